import { type Flag, flags } from '../command/flags.ts';

/** Every flag that a command of the gateway may take, by its name. */
export const commandFlags = {
  config: { value: 'FILE', help: 'the configuration file; default: switchboard.jsonc in this folder' },
  'data-dir': flags['data-dir'],
  'database-file': flags['database-file'],
  'secret-file': {
    value: 'FILE',
    help: 'contains the secret that seals stored data; default: gateway.secret in the data directory',
  },
  'admin-key-file': flags['admin-key-file'],
  host: { value: 'ADDRESS', help: 'the address to listen on' },
  port: { value: 'PORT', help: 'the port to listen on' },
  'public-url': { value: 'URL', help: 'the URL that callers use, if a proxy is in front of the gateway' },
  'allow-command': { value: 'NAME', multiple: true, help: 'a program that stdio servers may run; can be repeated' },
  yes: { help: 'asks no questions, and uses the default for each answer without a flag' },
  force: { help: 'replaces an existing file' },
  offline: { help: 'does not contact MCP servers' },
  out: { value: 'FILE', help: 'the file to write; it must not exist' },
  url: { value: 'URL', help: 'the address of the gateway; default: http://127.0.0.1:4000' },
  wait: { value: 'SECONDS', help: 'how long to wait for a gateway that is starting; default: 0' },
  alias: { value: 'NAME', help: 'the name of the key' },
  server: { value: 'NAME', multiple: true, help: 'an MCP server that the key may use; can be repeated' },
  model: { value: 'NAME', multiple: true, help: 'a model that the key may use; can be repeated' },
  agent: { value: 'NAME', multiple: true, help: 'an A2A agent that the key may use; can be repeated' },
  team: { value: 'ID', help: 'the team that the key belongs to' },
  expires: { value: 'DURATION', help: 'when the key expires, for example 30d; default: never' },
  budget: { value: 'DOLLARS', help: 'how much the key can spend in total' },
  address: { value: 'URL', help: 'the URL of a server over HTTP' },
  transport: { value: 'NAME', help: 'http, sse, or stdio; default: http, or stdio with --command' },
  command: { value: 'NAME', help: 'the program of a stdio server' },
  arg: { value: 'TEXT', multiple: true, help: 'an argument of that program; can be repeated' },
  'auth-type': {
    value: 'NAME',
    help: 'how the gateway authenticates to the server; default with a credential: bearer_token',
  },
  'credential-file': { value: 'FILE', help: 'contains the credential for the server; use - for standard input' },
  'allow-private-network': { help: 'allows an address on this machine or in a private network' },
  json: { help: 'prints the result as JSON' },
  help: flags.help,
} as const satisfies Record<string, Flag>;
export type CommandFlag = keyof typeof commandFlags;

interface CommandFacts {
  /** One line of the help. */
  readonly does: string;
  readonly flags: readonly CommandFlag[];
  /** What follows the name of the command. */
  readonly argument?: string;
}

const store = ['data-dir', 'database-file'] as const;
const remote = ['url', 'admin-key-file', 'wait'] as const;

/** The commands of `switchboard gateway`, by their words. */
export const commandTable = {
  init: {
    does: 'asks five questions and writes switchboard.jsonc, an administrator key, and a sealing secret',
    flags: ['config', 'host', 'port', 'public-url', 'database-file', 'allow-command', 'yes', 'force'],
  },
  check: {
    does: 'checks the configuration, its secrets, the database, and whether servers, identity providers, and alert targets respond',
    flags: ['config', ...store, 'secret-file', 'offline'],
  },
  backup: { does: 'writes a backup of the database, also while the gateway runs', flags: store, argument: 'FILE' },
  restore: { does: 'restores a backup to an empty database of either kind', flags: store, argument: 'FILE' },
  'rotate-secret': {
    does: 'replaces the sealing secret and encrypts all stored credentials with the new one; the gateway must not run',
    flags: [...store, 'secret-file'],
  },
  import: {
    does: "converts another program's file to switchboard.jsonc and prints it",
    flags: ['out'],
    argument: 'FILE',
  },
  'key create': {
    does: 'creates a virtual key in a running gateway and prints it, or writes it to a file',
    flags: [...remote, 'alias', 'server', 'agent', 'model', 'team', 'expires', 'budget', 'out'],
  },
  'scim-token create': {
    does: 'creates a token with which an identity provider manages users and teams by SCIM, and prints it or writes it to a file',
    flags: [...remote, 'out'],
    argument: 'NAME',
  },
  'scim-token revoke': { does: 'revokes a token for SCIM by its ID', flags: remote, argument: 'ID' },
  'server add': {
    does: 'adds an MCP server to a running gateway',
    flags: [
      ...remote,
      ...['address', 'transport', 'command', 'arg', 'auth-type', 'credential-file', 'allow-private-network'],
    ] as readonly CommandFlag[],
    argument: 'NAME',
  },
} as const satisfies Record<string, CommandFacts>;
export type CommandName = keyof typeof commandTable;
export const commandNames = Object.keys(commandTable) as CommandName[];
export const commandFacts = (name: CommandName): CommandFacts => commandTable[name];
/** Taken by every command. */
export const everyCommand: readonly CommandFlag[] = ['json', 'help'];
