import { ToolAnnotations } from './shared.ts';

/** The annotations of a tool, with the defaults for those it leaves out. They are advisory (`host.tool.advisory`). */
export interface ToolHints {
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
  readonly isIdempotent: boolean;
  readonly isOpenWorld: boolean;
}

/** @returns `undefined` where it says nothing at all, or something that cannot be read */
export function toolHints(annotations: unknown): ToolHints | undefined {
  const given = ToolAnnotations.safeParse(annotations).data;
  return (
    given && {
      isReadOnly: given.readOnlyHint ?? false,
      isDestructive: given.destructiveHint ?? true,
      isIdempotent: given.idempotentHint ?? false,
      isOpenWorld: given.openWorldHint ?? true,
    }
  );
}
