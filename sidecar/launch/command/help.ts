import {
  commonFlags,
  type Flag,
  type FlagName,
  factsOf,
  flagOf,
  type NamedRole,
  relayFlags,
  roleNames,
} from './flags.ts';

const shown = roleNames.filter((it) => factsOf(it).internal === undefined);

/** Of one role, or of the command. */
export const usageOf = (role: NamedRole | undefined): string =>
  role === undefined
    ? `Usage: switchboard (${[...shown, '--stdio', '--version', '--help'].join(' | ')}) [FLAGS]. "switchboard --help" describes them.`
    : `Usage: switchboard ${[role, factsOf(role).argument, '[FLAGS]'].filter(Boolean).join(' ')}. "switchboard ${role} --help" lists the flags.`;

/** What `--help` prints: of one role its flags, of the command all roles. */
export function helpOf(role: NamedRole | undefined): string {
  if (role !== undefined) {
    const { does, argument, flags } = factsOf(role);
    const words = ['switchboard', role, argument, '[FLAGS]'].filter(Boolean).join(' ');
    return page(`Usage: ${words}\n\nswitchboard ${role} ${does}.`, 'Flags', [...flags, ...commonFlags].map(ownRow));
  }
  const rows = shown.map((it): Row => [[it, factsOf(it).argument].filter(Boolean).join(' '), factsOf(it).does]);
  const usage =
    'Usage: switchboard ROLE [FLAGS]\n\n"switchboard ROLE --help" lists the flags for a role. README.md has examples.';
  return page(usage, 'Roles', [...rows, ...[...relayFlags, ...commonFlags].map(ownRow)]);
}

type Row = readonly [left: string, right: string] | undefined;

const ownRow = (name: FlagName): Row => flagRow(name, flagOf(name));

export const flagRow = (name: string, { value, help, internal }: Flag): Row =>
  internal ? undefined : [[`--${name}`, value].filter(Boolean).join(' '), help];

/** A head, and below its title a table of what is shown. */
export function page(head: string, title: string, rows: readonly Row[]): string {
  const all = rows.filter((it) => it !== undefined);
  const width = Math.max(...all.map(([left]) => left.length));
  return `${head}\n\n${title}:\n${all.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')}\n`;
}
