import { toFault } from '../../platform/faults.ts';
import { collectYoungHeapAlone, keepCompiledCode, keepHeapTight, SETTLED_MS, skipMaglev } from '../../platform/heap.ts';
import { type Runtime, systemRuntime } from '../../platform/runtime.ts';
import {
  beforeYoungHeapGrows,
  boundYoungHeap,
  sizeYoungHeapsOfThreads,
  withFirstGrowth,
} from '../../platform/youngHeap.ts';
import { type ExitCode, exitCodes, LaunchFailure } from '../failure.ts';
import type { RoleContext } from '../runSidecar.ts';
import type { GatewayFiles, GatewayListen, GatewayWorkers } from './gatewayContract.ts';
import { openGatewayLog } from './gatewayLog.ts';
import { pagesFolderOf } from './lazyGateway.ts';

/** The gateway alone, as a process: says where it is, and leaves gently when the system asks. */
export async function gatewayRole(
  context: RoleContext,
  files: GatewayFiles,
  listen: GatewayListen,
  workers: number | undefined,
): Promise<ExitCode> {
  const { process, build, dataDir } = context;
  sizeYoungHeapsOfThreads(process);
  const { log, outlet, writeNow } = openGatewayLog();
  const runtime = systemRuntime(log);
  const crash = (thrown: unknown): void => {
    log.error({ thrown }, 'the gateway is stopping because of a bug');
    writeNow();
    process.exit(exitCodes.unclean);
  };
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  const { runStandalone } = await context.loadGateway();
  const gateway = await runStandalone({
    files,
    listen,
    dataDir,
    pagesFolder: pagesFolderOf(context.entry),
    env: process.env,
    build,
    runtime,
    outlet,
    workers: workers === undefined ? undefined : await startable(context, workers),
  }).catch((thrown: unknown) => {
    const { message } = toFault(thrown, log.report);
    throw new LaunchFailure(exitCodes.noHost, `The gateway cannot start: ${message}`, thrown);
  });
  // Before the address is announced: from then on signals may come.
  process.on('SIGHUP', () => void gateway.reload());
  const signalled = new Promise<string>((resolve) => {
    for (const it of ['SIGTERM', 'SIGINT'] as const) process.once(it, () => resolve(it));
  });
  process.stdout.write(`Switchboard gateway: ${gateway.baseUrl}\n`);
  beforeYoungHeapGrows(runtime.timers, () => boundYoungHeap(process));
  const keepCode = () => withFirstGrowth(process, context.keepCode);
  runtime.timers.after(SETTLED_MS, () => void settle(runtime, keepCode));
  if (gateway.newAdminKey !== undefined) {
    process.stdout.write(`Administrator's key, shown only once: ${gateway.newAdminKey}\n`);
  }
  const signal = await signalled;
  // What restarts programs may ask more than once, and through several processes: whoever is behind us still needs the time.
  process.on('SIGTERM', () => log.info({}, 'The gateway is already draining.'));
  // A person who asks twice does not want to wait.
  process.once('SIGINT', () => process.exit(exitCodes.unclean));
  await gateway.close({ isUrgent: signal === 'SIGINT' });
  keepCode(); // it may not have settled
  return exitCodes.ok;
}

async function startable({ entry, process, socket, uid }: RoleContext, count: number): Promise<GatewayWorkers> {
  const { openSocketFolder } = await import('../socketPath.ts');
  const { startWorkerProcess } = await import('../../platform/children/workerProcess.ts');
  // Beside the socket of the host, and of this process alone.
  const pipe = `${socket.replace(/(?:host)?\.sock$/, '')}-gateway-${process.pid}`;
  openSocketFolder(pipe, uid);
  return { count, pipe, start: () => startWorkerProcess(entry, [...process.argv.slice(2), '--worker'], process.env) };
}

/** Almost everything allocated so far stays in use, so collecting garbage earlier would have freed little. */
async function settle({ timers, log }: Runtime, keepCode: () => void): Promise<void> {
  keepCode();
  keepHeapTight();
  skipMaglev();
  collectYoungHeapAlone();
  keepCompiledCode();
  try {
    const { giveMemoryBackWhenIdle, ownMemory } = await import('../../platform/memory/idleMemory.ts');
    giveMemoryBackWhenIdle(timers);
    // The bound of the heap takes effect at the next collection of the whole heap. A busy gateway would first grow to the larger
    // limit that V8 chose.
    ownMemory().collect();
  } catch (thrown) {
    log.error({ thrown }, 'The gateway cannot give memory back when it is idle.');
  }
}
