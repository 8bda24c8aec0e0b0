import type { ChangesetFile } from '../../sidecar/protocol/channels/changeset/schema.ts';

export interface OverwritingDeps {
  /** Whether the person agrees to lose later changes: of this file, or without one of all. */
  readonly ask: (file: ChangesetFile | undefined) => Promise<boolean>;
  readonly operate: (
    changeset: string,
    operation: 'undo-overwrite',
    file: ChangesetFile | undefined,
  ) => Promise<unknown>;
}

/** Undoes over what the person changed since, where they agree: exactly that to which they were asked to agree. */
export async function overwriteAgreed(deps: OverwritingDeps, changeset: string, file?: ChangesetFile): Promise<void> {
  if (await deps.ask(file)) await deps.operate(changeset, 'undo-overwrite', file);
}
