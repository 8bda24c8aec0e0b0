import { writeSync } from 'node:fs';
import { type DestinationStream, pino } from 'pino';
import { Redactor } from './redact.ts';

/** Structured lines for the log: facts first, then one plain sentence. Secrets are taken out on the way. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
  /** Never writes this text again, wherever it occurs: for every token that comes in. */
  hide(secret: string): void;
  /** For `toFault`: the story of a bug under the id that the peer got. */
  report(id: string, thrown: unknown): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export interface LogOptions {
  readonly level?: LogLevel;
  /** Where lines go. Default: stderr, written at once. Never stdout, which is the wire. */
  readonly destination?: DestinationStream;
}

/**
 * A log that cannot be written (a full disk, a closed pipe) costs its lines, never the process. The next line that can be
 * written is preceded by how many were lost.
 */
export function lossy(write: (line: string) => void): DestinationStream {
  let lost = 0;
  return {
    write(line) {
      try {
        if (lost > 0) write(`${JSON.stringify({ level: 40, msg: `${lost} log lines could not be written` })}\n`);
        lost = 0;
        write(line);
      } catch {
        lost += 1;
      }
    },
  };
}

export function openLog({
  level = 'info',
  destination = lossy((line) => void writeSync(2, line)),
}: LogOptions = {}): Log {
  const redactor = new Redactor();
  const out = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const at = (severity: LogLevel) => (facts: object, message: string) => {
    if (out.isLevelEnabled(severity)) out[severity](redactor.value(facts) as object, redactor.text(message));
  };
  const error = at('error');
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error,
    hide: (secret) => redactor.hide(secret),
    report: (id, thrown) => error({ id, thrown }, 'internal error'),
  };
}
