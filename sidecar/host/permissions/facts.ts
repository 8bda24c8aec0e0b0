/**
 * The shapes of a permission decision. They are structural twins of `ToolFacts` (sidecar/agents/provider.ts) and
 * `PermissionRule` (sidecar/protocol/window.ts): this room imports nothing, so that it is the same everywhere.
 */
export interface PermissionFacts {
  readonly kind: 'shell' | 'edit' | 'read' | 'delete' | 'move' | 'search' | 'fetch' | 'think' | 'other';
  /** The agent's name of the tool, for rules whose target is `tool`. */
  readonly toolName?: string;
  /** The whole command line, for `shell`. */
  readonly command?: string;
  /** Absolute real path in which the command runs. */
  readonly cwd?: string;
  /** Absolute real paths it may read or change. Of a file that is not there yet: its real folder and its name. */
  readonly paths: readonly string[];
  /** The exact input; the addresses in it are what a `fetch` rule judges. */
  readonly toolInput?: string;
}

export interface Rule {
  readonly id: string;
  readonly effect: 'allow' | 'ask' | 'deny';
  readonly target: RuleTarget;
  /** A command prefix with `*`, a glob of paths, an address with `*`, or a tool name with `*`. */
  readonly pattern: string;
  /** An `allow` of the source `workspace` is ignored: a repository may narrow, it may not grant. */
  readonly source: 'user' | 'workspace' | 'granted';
  readonly session?: string;
  /** Absolute real path. Present for a rule that holds only in sessions of this one folder. */
  readonly folder?: string;
  /** For the target `tool`: the rule is about calls with exactly this input. */
  readonly input?: string;
}
export type RuleTarget = 'shell' | 'edit' | 'read' | 'fetch' | 'tool';

/** What a wider answer would save, shown to the person before it is saved. */
export interface ProposedRule {
  readonly target: RuleTarget;
  readonly pattern: string;
  readonly input?: string;
  /** What of the call it goes by. */
  readonly by: RuleBasis;
  readonly widest: 'session' | 'always';
}
export type RuleBasis = 'command' | 'path' | 'url' | 'tool' | 'server' | 'arguments';

/** How names of files compare on the volume that holds the folders. Absent members mean: byte for byte. */
export interface PathComparison {
  readonly ignoreCase?: boolean;
  readonly ignoreNormalization?: boolean;
}

export const targetOf: Record<PermissionFacts['kind'], RuleTarget> = {
  shell: 'shell',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  read: 'read',
  search: 'read',
  fetch: 'fetch',
  think: 'tool',
  other: 'tool',
};

/** Whether the call is one that changes something, or may. */
export function changes({ kind }: Pick<PermissionFacts, 'kind'>): boolean {
  return kind === 'shell' || targetOf[kind] === 'edit';
}

/** The addresses in the input of a call. */
export function addressesOf({ toolInput = '' }: PermissionFacts): readonly string[] {
  return [...new Set(toolInput.match(/https?:\/\/[^\s"'\\<>`]+/gi) ?? [])];
}
