import { exitCodes, LaunchFailure } from '../failure.ts';
import type { GatewayFiles, GatewayListen } from '../gateway/gatewayContract.ts';
import { commonFlags, type FlagName, factsOf, flags, type NamedRole, relayFlags, roleNames, wordsOf } from './flags.ts';
import { helpOf, usageOf } from './help.ts';
import { judgeFlags, meant } from './judgeFlags.ts';

/** The options of `serve`; each may be absent. */
export interface ServeOptions {
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly tokenFile: string | undefined;
  readonly limitsFile: string | undefined;
  readonly windowFile: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

export type TokenCommand =
  | { readonly does: 'create' | 'revoke'; readonly name: string }
  | { readonly does: 'list'; readonly name?: undefined };

/** What the sidecar was asked to be. */
export interface CommandLine {
  readonly role: NamedRole | 'relay' | 'version' | 'help';
  /** What the role `help` prints. */
  readonly help: string;
  readonly dataDir: string | undefined;
  /** Where to listen; chosen by the relay that starts the host, in its own environment. */
  readonly socket: string | undefined;
  readonly force: boolean;
  /** For the gateway alone. */
  readonly files: GatewayFiles;
  /** For the gateway alone: goes before what the configuration says. */
  readonly listen: GatewayListen;
  /** For the gateway alone: processes beside the one that owns everything. Absent: none. */
  readonly workers: number | undefined;
  /** This process is one of them. */
  readonly isWorker: boolean;
  /** For `serve` alone. */
  readonly serve: ServeOptions;
  /** `serve token …`: what to do with the tokens of clients. */
  readonly token: TokenCommand | undefined;
  /** What a window may cost the host, as JSON; for the relay alone. */
  readonly limits: string | undefined;
  /** What `import` reads, and the shell of `completion`. */
  readonly file: string | undefined;
}

/** Whether a command follows `gateway`, instead of the flags of the gateway itself: another table judges it. */
export const isGatewayCommand = ([role, command]: readonly string[]): boolean =>
  role === 'gateway' && command !== undefined && !command.startsWith('-');

/** @throws {LaunchFailure} `usage`, naming what is wrong */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const tokens = wordsOf(argv);
  const [name, ...more] = tokens.flatMap((it) => (it.kind === 'positional' ? [it.value] : []));
  const named = roleNames.find((it) => it === name);
  const asked = new Set(tokens.flatMap((it) => (it.kind === 'option' ? [it.name] : [])));
  const fail = (sentence: string) => usage(sentence, named);
  const isRelay = named === undefined && asked.has('stdio');
  const own = named ? factsOf(named).flags : isRelay ? relayFlags : undefined;
  const taken = [...(own ?? []), ...commonFlags];
  const values = judgeFlags(tokens, { known: flags, taken, ...(own && { of: named ?? '--stdio' }), fail });
  const isAsking = asked.has('help') || asked.has('version');
  if (name !== undefined && !named) throw fail(`Unknown role "${name}".${meant(name, roleNames)}`);
  const { argument } = named ? factsOf(named) : {};
  const token = named === 'serve' && more[0] === 'token' && !isAsking ? tokenCommand(more.slice(1), fail) : undefined;
  const extra = token ? undefined : more[argument === undefined ? 0 : 1];
  if (extra !== undefined) throw fail(`Unexpected argument "${extra}".`);
  if (argument !== undefined && more.length === 0 && !isAsking) throw fail(`"${named}" requires ${argument}.`);
  const role = roleOf(asked, named);
  if (role === undefined) throw fail('A role is missing.');
  const one = (flag: FlagName) => values.get(flag)?.at(-1);
  return {
    role,
    help: helpOf(named),
    dataDir: one('data-dir'),
    socket: one('socket'),
    force: asked.has('force'),
    files: {
      config: one('config'),
      database: one('database-file'),
      secret: one('secret-file'),
      adminKey: one('admin-key-file'),
    },
    listen: { host: one('host'), port: portOf(one('port'), fail) },
    workers: workersOf(one('workers'), fail),
    isWorker: asked.has('worker'),
    serve: {
      host: one('host'),
      port: one('port'),
      tokenFile: one('token-file'),
      limitsFile: one('limits-file'),
      windowFile: one('window-file'),
      allowedHosts: values.get('allow-host') ?? [],
      allowedOrigins: values.get('allow-origin') ?? [],
    },
    token,
    limits: one('limits'),
    file: more[0],
  };
}

/** @throws {LaunchFailure} `usage` */
function tokenCommand(words: readonly string[], fail: (sentence: string) => LaunchFailure): TokenCommand {
  const [does, name, extra] = words;
  if (does === 'list' && name === undefined) return { does };
  if ((does !== 'create' && does !== 'revoke') || extra !== undefined)
    throw fail('"serve token" must be followed by create NAME, list, or revoke NAME.');
  if (name === undefined || !/^[\w.@-]{1,100}$/.test(name))
    throw fail(
      `"serve token ${does}" requires a name of up to 100 characters. Letters, digits, and . _ - @ are allowed.`,
    );
  return { does, name };
}

function roleOf(asked: ReadonlySet<string>, named: NamedRole | undefined): CommandLine['role'] | undefined {
  if (asked.has('help')) return 'help';
  if (asked.has('version')) return 'version';
  return named ?? (asked.has('stdio') ? 'relay' : undefined);
}

function portOf(port: string | undefined, fail: (sentence: string) => LaunchFailure): number | undefined {
  if (port === undefined) return undefined;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw fail(`--port must be a number from 0 (any free port) to 65535, not "${port}".`);
  return Number(port);
}

/** @throws {LaunchFailure} `usage` */
function workersOf(count: string | undefined, fail: (sentence: string) => LaunchFailure): number | undefined {
  if (count === undefined) return undefined;
  if (!/^\d{1,2}$/.test(count) || Number(count) < 1 || Number(count) > MAX_WORKERS)
    throw fail(`--workers must be a number from 1 to ${MAX_WORKERS}, not "${count}".`);
  return Number(count);
}
const MAX_WORKERS = 64;

const usage = (sentence: string, role: NamedRole | undefined): LaunchFailure =>
  new LaunchFailure(exitCodes.usage, `${sentence}\n${usageOf(role)}`);
