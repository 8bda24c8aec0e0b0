import * as z from 'zod';

const MB = 1024 * 1024;

/**
 * What one connection may cost the host (host-completion 11, points 12 and 14). A window on this machine has the
 * defaults; `switchboard serve --limits-file` sets them for those that come over WebSocket.
 */
export const ConnectionLimits = z.strictObject({
  /** Largest message that is read, in bytes; a larger one ends the connection. */
  messageBytes: z
    .int()
    .min(1_024)
    .default(32 * MB),
  /** Most bytes that may wait for a client that does not read; then it is let go, and gets states when it is back. */
  queueBytes: z
    .int()
    .min(1_024)
    .default(64 * MB),
  /** Deepest nesting of a message. */
  jsonDepth: z.int().min(8).max(1_000).default(128),
  /** Most requests that may be under way. */
  pendingRequests: z.int().min(1).default(1_000),
  /** Most channels that a client may be subscribed to. */
  subscriptions: z.int().min(1).default(2_000),
  /** Most messages that may wait in the queue of one chat. */
  queuedMessages: z.int().min(1).default(100),
  /** Longest draft, in characters of its JSON text. */
  draftCharacters: z.int().min(1_024).default(MB),
  /** Most attachments of one message. */
  attachments: z.int().min(0).default(100),
});
export type ConnectionLimits = z.output<typeof ConnectionLimits>;

export const defaultLimits: ConnectionLimits = ConnectionLimits.parse({});
