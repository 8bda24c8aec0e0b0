import * as z from 'zod';

const MB = 1024 * 1024;

/** Most bytes of one attachment that is kept for a message. */
export const attachmentBytes = 10 * MB;

/** Here, because every process would make a parser at its start to have them from the schema. */
export const defaultLimits = {
  messageBytes: 32 * MB,
  queueBytes: 64 * MB,
  jsonDepth: 128,
  pendingRequests: 1_000,
  subscriptions: 2_000,
  queuedMessages: 100,
  draftCharacters: MB,
  attachments: 100,
} as const;

/**
 * What one connection may cost the host. A window on this machine has the defaults; `switchboard serve --limits-file`
 * sets the limits of connections over WebSocket.
 */
export const ConnectionLimits = z.strictObject({
  /** Largest message that is read, in bytes; a larger one ends the connection. */
  messageBytes: z.int().min(1_024).default(defaultLimits.messageBytes),
  /** Most bytes that may wait for a client that does not read; then it is let go, and gets states when it is back. */
  queueBytes: z.int().min(1_024).default(defaultLimits.queueBytes),
  /** Deepest nesting of a message. */
  jsonDepth: z.int().min(8).max(1_000).default(defaultLimits.jsonDepth),
  /** Most requests that may be under way. */
  pendingRequests: z.int().min(1).default(defaultLimits.pendingRequests),
  /** Most channels that a client may be subscribed to. */
  subscriptions: z.int().min(1).default(defaultLimits.subscriptions),
  /** Most messages that may wait in the queue of one chat. */
  queuedMessages: z.int().min(1).default(defaultLimits.queuedMessages),
  /** Longest draft, in characters of its JSON text. */
  draftCharacters: z.int().min(1_024).default(defaultLimits.draftCharacters),
  /** Most attachments of one message. */
  attachments: z.int().min(0).default(defaultLimits.attachments),
});
export type ConnectionLimits = z.output<typeof ConnectionLimits>;
