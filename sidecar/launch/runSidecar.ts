import { homedir, tmpdir } from 'node:os';
import { type Runtime, systemMachine } from '../platform/runtime.ts';
import type { Build } from '../protocol/hostInfo.ts';
import { sayReady } from './attach/readyLine.ts';
import { type CommandLine, isGatewayCommand, readCommandLine } from './command/commandLine.ts';
import { hostEnvironment } from './command/environment.ts';
import { defaultDataDir, openDataDir } from './dataDir.ts';
import { type ExitCode, exitCodes, LaunchFailure } from './failure.ts';
import type { GatewayRoles, OpenConfigDocuments } from './gateway/gatewayContract.ts';
import type { OpenHost } from './host/hostContract.ts';
import { socketPath } from './socketPath.ts';

export interface SidecarProcess {
  readonly process: NodeJS.Process;
  readonly build: Build;
  /** The file that starts this build again. */
  readonly entry: string;
  /** Loaded by the host role alone: the others start faster without it. */
  readonly loadHost: () => Promise<OpenHost>;
  /** Loaded when a window starts the gateway, or as a role of its own. */
  readonly loadGateway: () => Promise<GatewayRoles>;
  /** Loaded when an editor opens the gateway's configuration. */
  readonly loadDocuments: () => Promise<OpenConfigDocuments>;
  /**
   * Keeps the compiled code of what was loaded for the next start. V8 refuses code that was kept under other flags than those it is loaded
   * under. A role that changes flags calls this before, and one that may be killed as soon as it has started.
   */
  readonly keepCode: () => void;
}

/** Plays the role that the command line names, to its end. A failure is one sentence on stderr and its exit code. */
export async function runSidecar(sidecar: SidecarProcess): Promise<ExitCode> {
  const { process } = sidecar;
  try {
    const argv = process.argv.slice(2);
    if (isGatewayCommand(argv)) {
      const { runCommand } = await import('./gatewayCommands/runCommand.ts');
      return await runCommand(sidecar, argv.slice(1));
    }
    const commandLine = readCommandLine(argv);
    if (commandLine.role === 'version') {
      process.stdout.write(`${sidecar.build.version}\n`);
      return exitCodes.ok;
    }
    if (commandLine.role === 'help') {
      process.stdout.write(commandLine.help);
      return exitCodes.ok;
    }
    if (commandLine.role === 'import') {
      const { importRole } = await import('./gateway/importRole.ts');
      const printed = await importRole(commandLine.file ?? '', sidecar.loadGateway);
      // The process ends after this, and a pipe takes a long text in pieces.
      await new Promise((resolve) => void process.stdout.write(printed, resolve));
      return exitCodes.ok;
    }
    if (commandLine.role === 'completion') {
      const { printCompletion } = await import('./gatewayCommands/runCommand.ts');
      await printCompletion(process.stdout, commandLine.file ?? '');
      return exitCodes.ok;
    }
    if (commandLine.role === 'bridge') {
      const { bridgeRole } = await import('./bridgeRole.ts');
      return await bridgeRole(process.stdin, process.stdout, process.env);
    }
    return await roles[commandLine.role](toRoleContext(sidecar, commandLine), commandLine);
  } catch (thrown) {
    if (!(thrown instanceof LaunchFailure)) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    return thrown.exitCode;
  }
}

/** Where this sidecar works. */
export interface RoleContext extends SidecarProcess, Omit<Runtime, 'log'> {
  readonly dataDir: string;
  readonly socket: string;
  readonly uid: number | undefined;
  /** For the launcher and the host. */
  readonly env: Record<string, string>;
}

function toRoleContext(sidecar: SidecarProcess, { dataDir: asked, socket }: CommandLine): RoleContext {
  const { env, platform, versions, getuid } = sidecar.process;
  const dataDir = openDataDir(asked ?? defaultDataDir(env, homedir(), platform));
  return {
    ...sidecar,
    ...systemMachine,
    dataDir,
    socket: socket ?? socketPath(dataDir, { env, tmpdir: tmpdir(), platform }),
    uid: getuid?.(),
    env: hostEnvironment(env, versions['electron'] !== undefined),
  };
}

type Role = (context: RoleContext, commandLine: CommandLine) => Promise<ExitCode>;

const roles: Record<Exclude<CommandLine['role'], 'help' | 'version' | 'import' | 'completion' | 'bridge'>, Role> = {
  async relay(context, { limits }) {
    const { process, ...rest } = context;
    const { readLimits } = await import('./command/readLimits.ts');
    const held = limits === undefined ? {} : { limits: readLimits(limits) };
    const { findHost } = await import('./attach/findHost.ts');
    const { relay } = await import('./attach/relay.ts');
    const socket = await findHost({
      ...rest,
      ...held,
      execPath: process.execPath,
      pid: process.pid,
    });
    await relay(process.stdin, process.stdout, socket, context.timers);
    return exitCodes.ok;
  },
  async launch(context) {
    const { launchHost } = await import('./attach/launcher.ts');
    await launchHost({ ...context, execPath: context.process.execPath, deadlineMs: 9_000, ready: sayReady });
    return exitCodes.ok;
  },
  async host(context) {
    const { hostRole } = await import('./host/hostRole.ts');
    return hostRole(context);
  },
  async gateway(context, { files, listen, workers, isWorker }) {
    if (isWorker) return (await import('./gateway/workerRole.ts')).workerRole(context, files, listen);
    const { gatewayRole } = await import('./gateway/gatewayRole.ts');
    return gatewayRole(context, files, listen, workers);
  },
  async serve(context, { serve, token }) {
    if (token) return (await import('./serve/tokenRole.ts')).tokenRole(context, token);
    const { serveRole } = await import('./serve/serveRole.ts');
    return serveRole(context, serve);
  },
  async status(context) {
    return print(context, await ask(context, { switchboard: 'status' }));
  },
  async stop(context, { force }) {
    return print(context, await ask(context, { switchboard: 'stop', force }));
  },
};

async function ask(context: RoleContext, question: Parameters<typeof import('./attach/askHost.ts').askHost>[1]) {
  const { askHost } = await import('./attach/askHost.ts');
  return askHost(context, question);
}

function print({ process }: RoleContext, answer: { readonly ok: boolean } | undefined): ExitCode {
  process.stdout.write(`${answer ? JSON.stringify(answer) : 'No Switchboard host is running.'}\n`);
  return answer?.ok ? exitCodes.ok : exitCodes.noHost;
}
