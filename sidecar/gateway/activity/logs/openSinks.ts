import { resolve } from 'node:path';
import type { Runtime } from '../../../platform/runtime.ts';
import type { LogsConfig } from '../../../protocol/gateway/config/logs.ts';
import type { SecretRef } from '../../../protocol/gateway/config/secretRef.ts';
import { BatchSink } from './batchSink.ts';
import { FileSink } from './fileSink.ts';
import { otlpLogs } from './otlpLines.ts';
import type { LogSink, SinkTrouble } from './sink.ts';

export interface SinksDeps extends Pick<Runtime, 'clock' | 'timers' | 'log'> {
  readonly config: LogsConfig;
  /** Of the configuration file. */
  readonly folder: string;
  readonly version: string;
  /** Headers with their secrets. @param field where they stand */
  readonly headersOf: (
    headers: Readonly<Record<string, SecretRef>>,
    field: string,
  ) => Promise<Readonly<Record<string, string>>>;
}

/**
 * Everywhere that the log goes beside standard error.
 *
 * @throws {Fault} `invalid_params` for a file that cannot be written, and for a header whose secret is missing
 */
export async function openSinks(deps: SinksDeps): Promise<readonly LogSink[]> {
  const { config, folder, clock, log, version, headersOf } = deps;
  const trouble: SinkTrouble = {
    failed: (sink, thrown) => log.warn({ sink, thrown }, 'Log lines could not be written. The gateway tries again.'),
    recovered: (sink, dropped) => log.info({ sink, dropped }, 'Log lines can be written again.'),
  };
  const { file, otlp, http } = config;
  const sinks: LogSink[] = [];
  if (file) {
    const { max_bytes: maxBytes, daily: isDaily, keep, keep_days, gzip } = file;
    const keepDays = keep_days === 0 ? undefined : keep_days;
    const options = { path: resolve(folder, file.path), maxBytes, isDaily, keep, keepDays, gzip };
    sinks.push(await FileSink.open(options, clock, trouble));
  }
  const batches = { ...deps, trouble };
  if (otlp) {
    const url = `${otlp.endpoint.replace(/\/+$/, '')}/v1/logs`;
    const headers = await headersOf(otlp.headers, 'logs.otlp.headers');
    const bodyOf = (lines: readonly string[]) => ({
      contentType: 'application/json',
      body: otlpLogs(lines, version),
    });
    sinks.push(
      new BatchSink({ name: 'otlp', url, headers, allowPrivate: otlp.allow_private_network, bodyOf }, batches),
    );
  }
  if (http) {
    const headers = await headersOf(http.headers, 'logs.http.headers');
    const bodyOf = (lines: readonly string[]) => ({ contentType: 'application/x-ndjson', body: lines.join('') });
    const allowPrivate = http.allow_private_network;
    sinks.push(new BatchSink({ name: 'http', url: http.url, headers, allowPrivate, bodyOf }, batches));
  }
  return sinks;
}
