import * as z from 'zod';
import { ConnectionLimits } from '../../protocol/limits.ts';
import { WindowInfo } from '../../protocol/window.ts';
import { isThisMachine } from '../../transport/webSocket/admission.ts';

/** Where and for whom the host listens, as `serve` asks for it. No token: only the hash of the one that clients share. */
export const ListenOptions = z.strictObject({
  host: z.string().refine(isThisMachine),
  /** 0: any that is free. */
  port: z.int().min(0).max(65_535),
  tokenHash: z.string().regex(/^[0-9a-f]{64}$/),
  allowedHosts: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  connections: z.int().min(1),
  messagesPerSecond: z.int().min(1),
  limits: ConnectionLimits,
  /** What a window would declare, for clients that have none. */
  window: WindowInfo,
});
export type ListenOptions = z.infer<typeof ListenOptions>;

/** The line that the host answers: the port, or why it cannot listen there. */
export const ListenAnswer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), port: z.int() }),
  z.object({ ok: z.literal(false), why: z.string() }),
]);
export type ListenAnswer = z.infer<typeof ListenAnswer>;
