import { parseArgs } from 'node:util';

export interface Flag {
  /** What its value is called in the help; absent: it takes none. */
  readonly value?: string;
  /** It may stand several times. */
  readonly multiple?: true;
  readonly help: string;
  /** For our own processes: taken, and left out of the help. */
  readonly internal?: true;
}

/** Every flag of the command, by its name. */
export const flags = {
  stdio: { help: 'connects a window to its host with JSON-RPC over standard input and output' },
  version: { help: 'prints the version' },
  help: { help: 'prints this help' },
  force: { help: 'stops the host even while a turn is running' },
  'data-dir': { value: 'DIR', help: 'the data directory; default: a per-user folder' },
  socket: { value: 'PATH', help: 'where the host listens', internal: true },
  config: { value: 'FILE', help: 'the configuration file, switchboard.jsonc' },
  'database-file': {
    value: 'FILE',
    help: 'contains the URL of a PostgreSQL database; default: SQLite in the data directory',
  },
  'secret-file': {
    value: 'FILE',
    help: 'contains the secret that seals stored data; must be the same on all replicas',
  },
  'admin-key-file': { value: 'FILE', help: "contains the administrator's key; default: SWITCHBOARD_ADMIN_KEY" },
  host: { value: 'ADDRESS', help: 'the address to listen on; default: listen.host in the configuration, or 127.0.0.1' },
  port: {
    value: 'PORT',
    help: 'the port to listen on, or 0 for any free port; default: listen.port in the configuration',
  },
  workers: {
    value: 'NUMBER',
    help: 'the number of processes that judge and relay calls, from 1 to 64; default: the gateway is one process',
  },
  worker: { help: 'is one of them', internal: true },
  'token-file': { value: 'FILE', help: 'contains the client token; created if missing' },
  limits: { value: 'JSON', help: 'the limits for a window, as JSON' },
  'limits-file': { value: 'FILE', help: 'the limits for a client, as JSON' },
  'window-file': {
    value: 'FILE',
    help: 'agents and rules for clients without settings, as JSON; use - for standard input',
  },
  'allow-host': {
    value: 'NAME',
    multiple: true,
    help: 'the hostname of a proxy; can be repeated',
  },
  'allow-origin': {
    value: 'ORIGIN',
    multiple: true,
    help: 'the origin of pages that are allowed to connect; can be repeated',
  },
  // vscode-languageclient adds it; the relay ends with its stdin and needs no pid to watch.
  clientProcessId: { value: 'PID', help: 'ignored', internal: true },
} as const satisfies Record<string, Flag>;
export type FlagName = keyof typeof flags;
export const flagOf = (name: FlagName): Flag => flags[name];

interface RoleFlags {
  /** One line of the help. */
  readonly does: string;
  readonly flags: readonly FlagName[];
  /** What follows the role's name. */
  readonly argument?: string;
  readonly internal?: true;
}

/** Every role that is asked for by name, with the flags that it takes. */
export const namedRoles = {
  gateway: {
    does: 'runs a standalone gateway for a team; "gateway COMMAND" sets one up and maintains it ("gateway help")',
    flags: ['config', 'database-file', 'secret-file', 'admin-key-file', 'host', 'port', 'workers', 'worker'],
  },
  serve: {
    does: 'serves the host to other programs over WebSocket; "serve token create NAME", "… list", and "… revoke NAME" manage a separate token for each program',
    flags: ['port', 'token-file', 'host', 'limits-file', 'window-file', 'allow-host', 'allow-origin'],
  },
  import: { does: "converts another program's file to switchboard.jsonc and prints it", flags: [], argument: 'FILE' },
  completion: { does: 'prints a completion script for bash, zsh, or fish', flags: [], argument: 'SHELL' },
  status: { does: 'prints the status of the host, as JSON', flags: ['socket'] },
  stop: { does: 'stops the host', flags: ['force', 'socket'] },
  bridge: { does: 'connects an agent to an MCP server over HTTP; started by agents', flags: [], internal: true },
  launch: { does: 'starts the host and exits', flags: ['socket'], internal: true },
  host: { does: 'runs the host', flags: ['socket'], internal: true },
} as const satisfies Record<string, RoleFlags>;
export type NamedRole = keyof typeof namedRoles;
export const roleNames = Object.keys(namedRoles) as NamedRole[];
export const factsOf = (role: NamedRole): RoleFlags => namedRoles[role];

/** Of the relay, which is asked for by `--stdio`. */
export const relayFlags: readonly FlagName[] = ['stdio', 'limits', 'socket'];
/** Taken with every role. */
export const commonFlags: readonly FlagName[] = ['data-dir', 'help', 'version', 'clientProcessId'];

/** The words of a command line. Nothing is judged: a flag without a value has `undefined`. */
export function wordsOf(argv: readonly string[], known: Readonly<Record<string, Flag>> = flags) {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(name === 'help' && { short: 'h' }),
      },
    ]),
  );
  const { tokens } = parseArgs({ args: [...argv], allowPositionals: true, strict: false, tokens: true, options });
  return tokens;
}
