import { parseArgs } from 'node:util';
import { exitCodes, LaunchFailure } from './failure.ts';
import type { GatewayFiles } from './gatewayContract.ts';

/** What `serve` was told; each may be absent. */
export interface ServeOptions {
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly tokenFile: string | undefined;
  readonly limitsFile: string | undefined;
  readonly windowFile: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** What the sidecar was asked to be. */
export interface CommandLine {
  readonly role:
    | 'relay'
    | 'bridge'
    | 'launch'
    | 'host'
    | 'status'
    | 'stop'
    | 'gateway'
    | 'serve'
    | 'import'
    | 'version';
  readonly dataDir: string | undefined;
  /** Where to listen; chosen by the relay that starts the host, in its own environment. */
  readonly socket: string | undefined;
  readonly force: boolean;
  /** For the gateway alone. */
  readonly files: GatewayFiles;
  /** For `serve` alone. */
  readonly serve: ServeOptions;
  /** What a window may cost the host, as JSON; for the relay alone. */
  readonly limits: string | undefined;
  /** What `import` reads. */
  readonly file: string | undefined;
}

const ROLES = ['bridge', 'launch', 'host', 'status', 'stop', 'gateway', 'serve', 'import'] as const;
const USAGE =
  'Usage: switchboard (--stdio [--limits JSON] | status | stop [--force] | gateway [--config FILE] [--database-file FILE] [--secret-file FILE] [--admin-key-file FILE] | serve --port N --token-file FILE [--host ADDRESS] [--limits-file FILE] [--window-file FILE] [--allow-host NAME]... [--allow-origin ORIGIN]... | import FILE | --version) [--data-dir DIR]. See README.md for what they do.';

/** @throws {LaunchFailure} `usage` */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { values, positionals } = parse(argv);
  const [name, ...more] = positionals;
  const asked = ROLES.find((it) => it === name);
  const roles = [asked, values.stdio && ('relay' as const), values.version && ('version' as const)].filter(
    (it) => !!it,
  );
  const [role] = roles;
  const others = role === 'import' ? 1 : 0;
  if (role === undefined || roles.length > 1 || more.length !== others || (name !== undefined && !asked)) throw usage();
  return {
    role,
    dataDir: values['data-dir'],
    socket: values.socket,
    force: values.force ?? false,
    files: filesOf(values),
    serve: {
      host: values.host,
      port: values.port,
      tokenFile: values['token-file'],
      limitsFile: values['limits-file'],
      windowFile: values['window-file'],
      allowedHosts: values['allow-host'] ?? [],
      allowedOrigins: values['allow-origin'] ?? [],
    },
    limits: values.limits,
    file: more[0],
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        stdio: { type: 'boolean' },
        version: { type: 'boolean' },
        force: { type: 'boolean' },
        'data-dir': { type: 'string' },
        socket: { type: 'string' },
        config: { type: 'string' },
        'database-file': { type: 'string' },
        'secret-file': { type: 'string' },
        'admin-key-file': { type: 'string' },
        host: { type: 'string' },
        port: { type: 'string' },
        'token-file': { type: 'string' },
        limits: { type: 'string' },
        'limits-file': { type: 'string' },
        'window-file': { type: 'string' },
        'allow-host': { type: 'string', multiple: true },
        'allow-origin': { type: 'string', multiple: true },
        // vscode-languageclient adds it; the relay ends with its stdin and needs no pid to watch.
        clientProcessId: { type: 'string' },
      },
    });
  } catch (thrown) {
    throw usage(thrown);
  }
}

function filesOf(values: ReturnType<typeof parse>['values']): GatewayFiles {
  const { config } = values;
  return {
    config,
    database: values['database-file'],
    secret: values['secret-file'],
    adminKey: values['admin-key-file'],
  };
}

function usage(cause?: unknown): LaunchFailure {
  return new LaunchFailure(exitCodes.usage, USAGE, cause);
}
