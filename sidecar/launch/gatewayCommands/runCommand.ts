import { homedir } from 'node:os';
import { Fault, type FaultCode } from '../../platform/faults.ts';
import { systemMachine } from '../../platform/runtime.ts';
import { defaultDataDir, openDataDir } from '../dataDir.ts';
import { type ExitCode, exitCodes, LaunchFailure } from '../failure.ts';
import type { SidecarProcess } from '../runSidecar.ts';
import type { CommandContext, CommandRun } from './command.ts';
import { completionOf } from './completion.ts';
import { importCommand } from './importCommand.ts';
import { init } from './init/init.ts';
import { type AskedCommand, readCommand } from './readCommand.ts';
import { keyCreate } from './remote/keyCreate.ts';
import { scimTokenCreate, scimTokenRevoke } from './remote/scimToken.ts';
import { serverAdd } from './remote/serverAdd.ts';
import type { CommandName } from './table.ts';
import { backup, check, restore, rotateSecret } from './upkeep.ts';

const runs: Readonly<Record<CommandName, CommandRun>> = {
  init,
  check,
  backup,
  restore,
  'rotate-secret': rotateSecret,
  import: importCommand,
  'key create': keyCreate,
  'scim-token create': scimTokenCreate,
  'scim-token revoke': scimTokenRevoke,
  'server add': serverAdd,
};

/** `switchboard completion SHELL`. @throws {LaunchFailure} `usage` for a shell without a script */
export const printCompletion = (stdout: NodeJS.WritableStream, shell: string): Promise<void> =>
  written(stdout, completionOf(shell));

/**
 * A command of `switchboard gateway`, to its end. Its result goes to standard output, as text or as JSON. A failure is one sentence
 * on standard error, and with `--json` also an object on standard output.
 *
 * @param argv what follows `gateway`
 */
export async function runCommand(sidecar: SidecarProcess, argv: readonly string[]): Promise<ExitCode> {
  const { stdout, stderr } = sidecar.process;
  // Also for a command line that cannot be read.
  const asJson = argv.includes('--json');
  try {
    const asked = readCommand(argv);
    if ('help' in asked) {
      await written(stdout, asked.help);
      return exitCodes.ok;
    }
    const { text, data, exitCode = exitCodes.ok } = await runs[asked.name](asked, contextOf(sidecar, asked));
    await written(stdout, asJson ? json({ ok: exitCode === exitCodes.ok, ...data }) : text);
    return exitCode;
  } catch (thrown) {
    const { message, exitCode } = toFailure(thrown);
    await written(stderr, `${message}\n`);
    if (asJson) await written(stdout, json({ ok: false, error: { message, exit_code: exitCode } }));
    return exitCode;
  }
}

const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;

/** The process ends after this, and a pipe takes a long text in pieces. */
const written = (stream: NodeJS.WritableStream, text: string) =>
  new Promise<void>((resolve) => void stream.write(text, () => resolve()));

function contextOf(sidecar: SidecarProcess, asked: AskedCommand): CommandContext {
  const { process, build, loadGateway } = sidecar;
  return {
    process,
    version: build.version,
    loadGateway,
    ...systemMachine,
    dataDir: () => openDataDir(asked.one('data-dir') ?? defaultDataDir(process.env, homedir(), process.platform)),
  };
}

/** What the gateway's own code refuses, as exit codes. Every other code is a matter of what was asked for. */
const codes: Partial<Record<FaultCode, ExitCode>> = {
  unavailable: exitCodes.noHost,
  unsupported_version: exitCodes.versions,
  conflict: exitCodes.locked,
  already_exists: exitCodes.badFolder,
  internal: exitCodes.badData,
};

function toFailure(thrown: unknown): LaunchFailure {
  if (thrown instanceof LaunchFailure) return thrown;
  if (!(thrown instanceof Fault)) throw thrown;
  return new LaunchFailure(codes[thrown.code] ?? exitCodes.usage, thrown.message, thrown);
}
