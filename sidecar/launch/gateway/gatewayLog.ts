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

/** The log of a gateway: on standard error, and wherever its configuration says once that was read. */
export function openGatewayLog(): GatewayLog {
  const sinks: AddedSink[] = [];
  const stderr = lossy((line) => void writeSync(2, line));
  const all = openLog({
    level: 'debug',
    destination: {
      write(line) {
        stderr.write(line);
        for (const it of sinks) it.write(line);
      },
    },
  });
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
    },
    writeNow() {
      for (const it of sinks) it.writeNow?.();
    },
  };
}
