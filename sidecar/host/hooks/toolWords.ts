import type { ToolFacts, ToolKind } from '../../agents/provider.ts';
import { isRecord } from '../../platform/isRecord.ts';
import type { Hook } from './hookFile.ts';

/** A tool call as hooks know it. */
export interface HookedCall {
  readonly facts: ToolFacts;
  /** The agent's name of the tool; `mcp:<server>/<tool>` for one of a server. */
  readonly toolName: string;
}

/** What files of hooks call a kind of tool, the usual name first. */
const fieldNames: Readonly<Record<ToolKind, { readonly snake: readonly string[]; readonly camel: readonly string[] }>> =
  {
    shell: { snake: ['Bash'], camel: ['bash', 'powershell'] },
    edit: { snake: ['Edit', 'Write', 'MultiEdit'], camel: ['edit', 'create'] },
    read: { snake: ['Read'], camel: ['view'] },
    delete: { snake: ['Delete'], camel: ['delete'] },
    move: { snake: ['Move'], camel: ['move'] },
    search: { snake: ['Grep', 'Glob'], camel: ['grep', 'glob'] },
    fetch: { snake: ['WebFetch'], camel: ['web_fetch'] },
    think: { snake: [], camel: [] },
    other: { snake: [], camel: [] },
  };

/** Every name under which a hook may mean the tool, the one of its payload first. */
export function namesOf({ facts, toolName }: HookedCall, dialect: Hook['dialect']): readonly string[] {
  const served = /^mcp:([^/]+)\/(.+)$/.exec(toolName);
  const own = served ? [`mcp__${served[1]}__${served[2]}`] : [];
  return [...fieldNames[facts.kind][dialect], ...own, toolName];
}

/** @throws {SyntaxError} for a matcher that is no regular expression */
export function isMeant({ matcher, dialect }: Hook, call: HookedCall): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  const pattern = new RegExp(`^(?:${matcher})$`);
  return namesOf(call, dialect).some((it) => pattern.test(it));
}

/** The input under the members that files of hooks look for, where the host knows them. */
export function inputOf({ facts }: HookedCall): Readonly<Record<string, unknown>> {
  const { command, toolInput, paths } = facts;
  const [path] = paths;
  return {
    ...parsed(toolInput),
    ...(command !== undefined && { command }),
    ...(command === undefined && path !== undefined && { file_path: path }),
  };
}

function parsed(toolInput: string | undefined): Readonly<Record<string, unknown>> {
  if (toolInput === undefined) return {};
  try {
    const value: unknown = JSON.parse(toolInput);
    if (isRecord(value)) return { ...value };
  } catch {
    // It is text, as of a shell.
  }
  return { input: toolInput };
}
