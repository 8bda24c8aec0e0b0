import type { Duplex } from 'node:stream';
import * as z from 'zod';
import type { Timers } from '../../platform/timers.ts';
import { Build } from '../../protocol/hostInfo.ts';
import { ConnectionLimits } from '../../protocol/limits.ts';

/** The one line that a process sends on the host's socket before anything else; JSON, ended by LF. */
export const Preamble = z.discriminatedUnion('switchboard', [
  /**
   * Then the bytes of JSON-RPC follow, both ways. `protocol` is the version that the client behind the relay speaks, `limits`
   * what a client that is no window of this machine may cost.
   */
  z.object({
    switchboard: z.literal('attach'),
    build: Build,
    protocol: z.string(),
    limits: ConnectionLimits.exactOptional(),
  }),
  /** Then a line says where to listen for clients over WebSocket; the host does so as long as the stream is open. */
  z.object({ switchboard: z.literal('listen'), build: Build, protocol: z.string() }),
  z.object({ switchboard: z.literal('status') }),
  /** Without `force` a busy host refuses. */
  z.object({ switchboard: z.literal('stop'), force: z.boolean().default(false) }),
]);
export type Preamble = z.input<typeof Preamble>;
export type AttachLine = Extract<z.output<typeof Preamble>, { switchboard: 'attach' }>;
export type ListenLine = Extract<z.output<typeof Preamble>, { switchboard: 'listen' }>;

/**
 * `leaving`: try again, another host will be there. `busy`: a turn runs in it. `versions`: no common protocol version.
 * `olderBusy`: both of these, and the host leaves when its turn is done.
 */
export const RefusalReason = z.enum(['leaving', 'busy', 'versions', 'olderBusy', 'malformed']);
export type RefusalReason = z.infer<typeof RefusalReason>;

/** The one line that the host answers. */
export const PreambleAnswer = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    build: Build,
    /** For `status`. */
    status: z
      .object({
        pid: z.int(),
        startedAt: z.string(),
        clients: z.int(),
        busy: z.boolean(),
        newerBuildWaiting: z.boolean(),
      })
      .optional(),
  }),
  z.object({ ok: z.literal(false), reason: RefusalReason, build: Build.optional() }),
]);
export type PreambleAnswer = z.infer<typeof PreambleAnswer>;

const MAX_LINE_BYTES = 4096;

/**
 * Reads up to the first LF and leaves what follows in the stream.
 * @returns undefined when the stream ends, the line is too long, or nothing came in time
 */
export function readLine(
  stream: Duplex,
  timeoutMs: number,
  timers: Timers,
  maxBytes = MAX_LINE_BYTES,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let held = Buffer.alloc(0);
    const finish = (line: string | undefined): void => {
      stopTimer();
      stream.off('readable', onReadable).off('end', onEnd).off('close', onEnd).off('error', onEnd);
      resolve(line);
    };
    const onEnd = (): void => finish(undefined);
    const onReadable = (): void => {
      for (let chunk = stream.read() as Buffer | null; chunk !== null; chunk = stream.read() as Buffer | null) {
        held = Buffer.concat([held, chunk]);
        const end = held.indexOf(0x0a);
        if (end < 0 && held.length <= maxBytes) continue;
        if (end >= 0 && end + 1 < held.length) stream.unshift(held.subarray(end + 1));
        finish(end < 0 ? undefined : held.toString('utf8', 0, end));
        return;
      }
    };
    const stopTimer = timers.after(timeoutMs, onEnd);
    stream.on('readable', onReadable).on('end', onEnd).on('close', onEnd).on('error', onEnd);
  });
}

export function parseLine<T>(line: string | undefined, schema: z.ZodType<T>): T | undefined {
  if (line === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

export const toLine = (value: object): string => `${JSON.stringify(value)}\n`;
