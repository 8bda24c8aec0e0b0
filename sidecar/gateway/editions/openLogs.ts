import type { StandaloneGatewayDeps } from '../../launch/gateway/gatewayContract.ts';
import type { GatewayConfig } from '../../protocol/gateway/config.ts';
import type { LogSink } from '../activity/logs/sink.ts';
import type { SecretSources } from '../configuration/secretSources.ts';
import { headersOf } from './serverOptions.ts';

interface LogsDeps extends Pick<StandaloneGatewayDeps, 'outlet' | 'runtime' | 'build'> {
  readonly folder: string;
  readonly sources: SecretSources;
}

export interface Logs {
  /** As in the options of the gateway; absent where the log goes to standard error alone. */
  readonly dropped: (() => Iterable<readonly [sink: string, lines: number]>) | undefined;
  /** Writes what waits. */
  close(): Promise<void>;
}

/**
 * From now on the log goes where the configuration says.
 *
 * @throws {Fault} `invalid_params` for a file that cannot be written, and for a secret that is missing
 */
export async function openLogs(
  { logs }: GatewayConfig,
  { outlet, runtime, build, folder, sources }: LogsDeps,
): Promise<Logs> {
  outlet.setLevel(logs.level);
  if (!logs.file && !logs.otlp && !logs.http) return { dropped: undefined, close: () => Promise.resolve() };
  const { openSinks } = await import('../activity/logs/openSinks.ts');
  const sinks: readonly LogSink[] = await openSinks({
    ...runtime,
    config: logs,
    folder,
    version: build.version,
    headersOf: (headers, field) => headersOf(headers, field, sources, runtime.log),
  });
  for (const it of sinks) outlet.add(it);
  return {
    dropped: () => sinks.map((it) => [it.name, it.dropped] as const),
    async close() {
      await Promise.all(sinks.map((it) => it.close()));
    },
  };
}
