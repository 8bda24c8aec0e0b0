import {
  addressesOf,
  type PathComparison,
  type PermissionFacts,
  type ProposedRule,
  type RuleBasis,
  targetOf,
} from './facts.ts';
import { readShell } from './judgeShell.ts';
import { relativeTo } from './paths.ts';
import { canonicalCommand } from './patterns.ts';
import { programOf } from './wrappedCommands.ts';

/** Their second word says what they do: a rule about it covers all its arguments. */
const withSubcommands = new Set(
  'npm pnpm yarn bun deno cargo go git dotnet mvn gradle gradlew make just task rake bundle pip poetry uv composer mix swift'.split(
    ' ',
  ),
);
/** They only show what is there. */
const lookers = new Set(
  'ls cat head tail wc pwd echo grep rg tree stat file du df which date uname diff sort uniq'.split(' '),
);
/** They run any program or script by name, so a rule about them alone would allow everything. */
const scripts = /^(?:run|run-script|exec|x|dlx|start)$/;

/** A longer input is not kept in a rule. */
const MAX_INPUT = 4096;

/**
 * What wider answers could save for a call like this one: the usual rule first, then narrower and wider ones. Empty when no
 * rule of use can be written. The caller shows it before saving; whether it may be offered at all is decided in
 * decidePermission.
 */
export function proposeRules(
  facts: PermissionFacts,
  folders: readonly string[],
  comparison: PathComparison = {},
): readonly ProposedRule[] {
  const pattern = proposePattern(facts, folders, comparison);
  if (pattern === undefined) return [];
  const target = targetOf[facts.kind];
  const [by, others] = othersFor[target](facts, pattern, folders, comparison);
  const widest = by === 'arguments' ? widestOfLine(facts, folders, comparison) : 'always';
  const usual: ProposedRule = { target, pattern, by, widest };
  return [usual, ...others.filter((it) => it.pattern !== pattern || it.input !== undefined)];
}

type Others = (
  facts: PermissionFacts,
  usual: string,
  folders: readonly string[],
  comparison: PathComparison,
) => readonly [RuleBasis, readonly ProposedRule[]];

const ofPaths =
  (target: 'edit' | 'read'): Others =>
  ({ paths }, usual, folders, comparison) => {
    const only = paths.length === 1 ? relativeTo(paths[0]!, folders, comparison) : undefined;
    return [
      usual === '**' ? 'tool' : 'path',
      [
        ...(only ? [{ target, pattern: `./${only}`, by: 'arguments', widest: 'always' } as const] : []),
        { target, pattern: '**', by: 'tool', widest: 'always' },
      ],
    ];
  };

/** By what the usual rule goes, and the rules beside it. What would let everything run lasts no longer than a session. */
const othersFor: Record<ProposedRule['target'], Others> = {
  shell: (facts, usual, folders, comparison) => {
    const line = (facts.command ?? '').trim();
    const any = { target: 'shell', pattern: '*', by: 'tool', widest: 'session' } as const;
    if (!usual.endsWith('*') || usual === line) return ['arguments', [any]];
    const widest = widestOfLine(facts, folders, comparison);
    return ['command', [{ target: 'shell', pattern: line, by: 'arguments', widest }, any]];
  },
  edit: ofPaths('edit'),
  read: ofPaths('read'),
  fetch: (facts) => {
    const [address = '*', ...more] = addressesOf(facts);
    const exact = { target: 'fetch', pattern: address, by: 'arguments', widest: 'always' } as const;
    const any = { target: 'fetch', pattern: '*', by: 'tool', widest: 'session' } as const;
    return ['url', [...(address.includes('*') || more.length > 0 ? [] : [exact]), any]];
  },
  tool: ({ toolInput = '', toolName = '' }, pattern) => {
    const server = serverOf(toolName);
    return [
      'tool',
      [
        ...(toolInput !== '' && toolInput.length <= MAX_INPUT
          ? [{ target: 'tool', pattern, input: toolInput, by: 'arguments', widest: 'always' } as const]
          : []),
        ...(server === undefined ? [] : [{ target: 'tool', pattern: server, by: 'server', widest: 'always' } as const]),
      ],
    ];
  },
};

/** A line of several commands is seldom met again as it is. */
function widestOfLine(facts: PermissionFacts, folders: readonly string[], comparison: PathComparison) {
  return readShell(facts, folders, comparison).commands.length > 1 ? 'session' : 'always';
}

/** All tools of the server of this one, by the names that the host (`mcp:server/tool`) and agents (`mcp__server__tool`) give. */
function serverOf(toolName: string): string | undefined {
  const prefix = /^mcp:[^*/]+\//.exec(toolName)?.[0] ?? /^mcp__(?:(?!__)[^*])+__(?!.*__)/.exec(toolName)?.[0];
  return prefix && `${prefix}*`;
}

function proposePattern(
  facts: PermissionFacts,
  folders: readonly string[],
  comparison: PathComparison,
): string | undefined {
  switch (targetOf[facts.kind]) {
    case 'shell':
      return proposeCommand(facts, folders, comparison);
    case 'edit':
    case 'read':
      return proposePaths(facts.paths.map((it) => relativeTo(it, folders, comparison)));
    case 'fetch': {
      const origin = /https?:\/\/[^\s"'\\<>`/?#]+/i.exec(facts.toolInput ?? '')?.[0];
      return origin && `${origin}/*`;
    }
    case 'tool':
      return facts.toolName?.includes('*') ? undefined : facts.toolName;
  }
}

function proposeCommand(
  facts: PermissionFacts,
  folders: readonly string[],
  comparison: PathComparison,
): string | undefined {
  const { line, commands, reach } = readShell(facts, folders, comparison);
  const real = commands.filter((it) => programOf(it) !== 'cd');
  const only = real[0];
  if (!only || real.length > 1 || reach.writes.length > 0) return line || undefined;
  const program = programOf(only);
  const words = only.words.map((it) => it.canonical);
  const isPlain = only.assignments.length === 0 && words[0] === program;
  if (isPlain && withSubcommands.has(program) && /^[a-z][\w:-]*$/i.test(words[1] ?? '')) {
    if (!scripts.test(words[1]!)) return `${words[0]} ${words[1]}*`;
    return /^[a-z][\w:.-]*$/i.test(words[2] ?? '')
      ? `${words.slice(0, 3).join(' ')}*`
      : exact(canonicalCommand(only), line);
  }
  if (isPlain && lookers.has(program)) return `${program} *`;
  return exact(canonicalCommand(only), line);
}

/** A bare star in the command would be a wildcard in a rule: the whole line is compared as text then. */
function exact(command: string, line: string): string {
  return command.includes('*') ? line : command;
}

/** One file by its name, several by the folder that holds them all. */
function proposePaths(paths: readonly (string | undefined)[]): string | undefined {
  const known = paths.filter((it) => it !== undefined);
  if (known.length === 0 || known.length < paths.length) return undefined;
  const folders = known.map((it) => it.split('/').slice(0, -1));
  const shared = folders.reduce((all, own) => all.slice(0, all.findIndex((it, n) => it !== own[n]) >>> 0));
  const isGlob = known.some((it) => /[*?]/.test(it));
  if (isGlob) return undefined;
  if (shared.length > 0) return `${shared.join('/')}/**`;
  return known.length === 1 ? `./${known[0]}` : '**';
}
