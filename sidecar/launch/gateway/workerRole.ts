import { keepCompiledCode, keepHeapTight, SETTLED_MS, skipMaglev } from '../../platform/heap.ts';
import { systemRuntime } from '../../platform/runtime.ts';
import { type ExitCode, exitCodes, LaunchFailure } from '../failure.ts';
import type { RoleContext } from '../runSidecar.ts';
import type { GatewayFiles, GatewayListen } from './gatewayContract.ts';
import { openGatewayLog } from './gatewayLog.ts';

/** A worker of a gateway, as a process: its owner says when it ends, and it ends with its owner. */
export async function workerRole(context: RoleContext, files: GatewayFiles, listen: GatewayListen): Promise<ExitCode> {
  const { process, build, dataDir } = context;
  if (!process.connected) throw new LaunchFailure(exitCodes.usage, 'Only the gateway starts workers. Use --workers.');
  const { log, outlet, writeNow } = openGatewayLog({ isWorker: true });
  const runtime = systemRuntime(log);
  const end = (thrown: unknown): void => {
    log.error({ thrown }, 'A worker of the gateway is stopping because of a bug.');
    writeNow();
    process.exit(exitCodes.unclean);
  };
  process.on('uncaughtException', end).on('unhandledRejection', end);
  // A terminal sends signals to all processes of a program.
  for (const it of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(it, () => undefined);
  process.once('disconnect', () => process.exit(exitCodes.unclean));
  const { runWorker } = await context.loadGateway();
  const deps = { files, listen, dataDir, env: process.env, build, runtime, outlet, owner: process };
  const over = new Promise<void>((left, failed) => void runWorker({ ...deps, left }).catch(failed));
  runtime.timers.after(SETTLED_MS, () => {
    context.keepCode();
    keepHeapTight();
    skipMaglev();
    keepCompiledCode();
  });
  await over.catch((thrown: unknown) => {
    log.error({ thrown }, 'A worker of the gateway cannot start.');
    writeNow();
    process.exit(exitCodes.noHost);
  });
  return exitCodes.ok;
}
