import { writeSync } from 'node:fs';
import { type Log, type LogLevel, lossy, openLog } from '../../platform/logger.ts';
import type { AddedSink, LogOutlet } from './gatewayContract.ts';

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

interface GatewayLog {
  readonly log: Log;
  readonly outlet: LogOutlet;
  /** The process ends at once: what waits is written. */
  writeNow(): void;
}

/**
 * The log of a gateway: on standard error, and wherever its configuration says once that was read.
 *
 * @param isWorker its lines go to its owner alone, as soon as it has one
 */
export function openGatewayLog({ isWorker = false } = {}): GatewayLog {
  const sinks: AddedSink[] = [];
  const stderr = lossy((line) => void writeSync(2, line));
  const write = (line: string) => {
    if (!isWorker || sinks.length === 0) stderr.write(line);
    for (const it of sinks) it.write(line);
  };
  const all = openLog({ level: 'debug', destination: { write } });
  let from = ranks.info;
  const at = (level: LogLevel) => (facts: object, message: string) => {
    if (ranks[level] >= from) all[level](facts, message);
  };
  const log: Log = { ...all, debug: at('debug'), info: at('info'), warn: at('warn') };
  return {
    log,
    outlet: {
      setLevel(level) {
        from = ranks[level];
      },
      add: (sink) => void sinks.push(sink),
      write,
    },
    writeNow() {
      for (const it of sinks) it.writeNow?.();
    },
  };
}
