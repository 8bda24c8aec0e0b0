import { parseArgs } from 'node:util';
import { exitCodes, LaunchFailure } from './failure.ts';

/** What the sidecar was asked to be. */
export interface CommandLine {
  readonly role: 'relay' | 'launch' | 'host' | 'status' | 'stop' | 'version';
  readonly dataDir: string | undefined;
  /** Where to listen; chosen by the relay that starts the host, in its own environment. */
  readonly socket: string | undefined;
  readonly force: boolean;
}

const ROLES = ['launch', 'host', 'status', 'stop'] as const;
const USAGE =
  'Usage: switchboard (--stdio | status | stop [--force] | --version) [--data-dir DIR]. See README.md for what they do.';

/** @throws {LaunchFailure} `usage` */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { values, positionals } = parse(argv);
  const [name, ...more] = positionals;
  const asked = ROLES.find((it) => it === name);
  const roles = [asked, values.stdio && ('relay' as const), values.version && ('version' as const)].filter(
    (it) => !!it,
  );
  const [role] = roles;
  if (role === undefined || roles.length > 1 || more.length > 0 || (name !== undefined && !asked)) throw usage();
  return { role, dataDir: values['data-dir'], socket: values.socket, force: values.force ?? false };
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
        // vscode-languageclient adds it; the relay ends with its stdin and needs no pid to watch.
        clientProcessId: { type: 'string' },
      },
    });
  } catch (thrown) {
    throw usage(thrown);
  }
}

function usage(cause?: unknown): LaunchFailure {
  return new LaunchFailure(exitCodes.usage, USAGE, cause);
}
