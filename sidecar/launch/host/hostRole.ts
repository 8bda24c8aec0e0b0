import { toFault } from '../../platform/faults.ts';
import { keepHeapTight, SETTLED_MS } from '../../platform/heap.ts';
import { openLog } from '../../platform/logger.ts';
import { type Runtime, systemRuntime } from '../../platform/runtime.ts';
import { compileWith } from '../../protocol/building.ts';
import type { HostReport } from '../attach/launcher.ts';
import { type ExitCode, exitCodes, LaunchFailure } from '../failure.ts';
import type { RoleContext } from '../runSidecar.ts';
import { runHostProcess } from './hostProcess.ts';
import { toolProgramOf } from './toolProgram.ts';

/** How long the host waits for its launcher to go before it serves all the same. */
const LAUNCHER_MS = 2_000;

/** The host as a process: signals of the system, messages of its launcher. */
export async function hostRole(context: RoleContext): Promise<ExitCode> {
  const { process } = context;
  const launcher = process.ppid;
  const log = openLog();
  const runtime = systemRuntime(log);
  // State after an unexpected failure is unknown; what was acknowledged is on disk, so end and be started again.
  const crash = (thrown: unknown): void => {
    log.error({ thrown }, 'the host is stopping because of a bug');
    process.exit(exitCodes.unclean);
  };
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  try {
    const running = await runHostProcess({
      ...context,
      pid: process.pid,
      platform: process.platform,
      runtime,
      openHost: await context.loadHost(),
      toolProgram: toolProgramOf(context.entry, process),
      ready: () => void process.send?.({ state: 'ready' } satisfies HostReport),
      detached: () => detached(process, launcher, runtime),
    });
    runtime.timers.after(SETTLED_MS, () => void settle(context));
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => running.stop(signal));
    return await running.ended;
  } catch (thrown) {
    const failure = toLaunchFailure(thrown, log.report);
    const { exitCode, message } = failure;
    // Sent before the process ends, so the launcher gets the reason and not only the exit.
    const report: HostReport = { state: 'failed', exitCode, message };
    if (process.send) await new Promise((resolve) => void process.send?.(report, resolve));
    throw failure;
  }
}

/** Work that can wait until the host has started, but makes later work and the next start faster. */
async function settle({ keepCode }: RoleContext): Promise<void> {
  const { compile } = await import('./schemaCompiler.ts');
  keepCode();
  keepHeapTight();
  compileWith(compile);
}

function toLaunchFailure(thrown: unknown, report: (id: string, thrown: unknown) => void): LaunchFailure {
  if (thrown instanceof LaunchFailure) return thrown;
  // What keeps the database from being used has words of its own, and is no bug.
  const { message } = thrown instanceof Error && 'failure' in thrown ? thrown : toFault(thrown, report);
  return new LaunchFailure(exitCodes.noHost, `The Switchboard host cannot start: ${message}.`, thrown);
}

/** Settles once the launcher exited, so that no client is served while a window's process tree still holds the host. */
async function detached(process: NodeJS.Process, launcher: number, { clock, timers }: Runtime): Promise<void> {
  if (!process.connected) return;
  const startedMs = clock.monotonicMs();
  await Promise.race([new Promise((resolve) => void process.once('disconnect', resolve)), timers.wait(LAUNCHER_MS)]);
  while (process.platform !== 'win32' && process.ppid === launcher) {
    if (clock.monotonicMs() - startedMs > LAUNCHER_MS) return;
    await timers.wait(2);
  }
}
