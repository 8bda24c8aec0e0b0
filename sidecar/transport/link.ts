import type { JsonRpcMessage } from './judge.ts';
import type { Refused } from './reader.ts';
import type { SharedNotification } from './wireText.ts';

/** What a link brings to the connection above it. */
export interface LinkEvents {
  readonly message: (message: JsonRpcMessage) => void;
  /** Bad input. The connection answers it; the link only reads. */
  readonly refused: (refused: Refused) => void;
  /** Called once, when nothing can be read or written any more; the link has ended itself. */
  readonly closed: (reason: string) => void;
  readonly trouble: (what: string, error: Error) => void;
  /** Runs `read`, which delivers all messages that came at once. */
  readonly around: (read: () => void) => void;
}

/** How the messages of one JSON-RPC connection travel. What is written in one tick leaves together. */
export interface MessageLink {
  /** Bytes that the other side has not taken yet. */
  readonly queuedBytes: number;
  /** Starts reading; called once. */
  listen(events: LinkEvents): void;
  /** @returns false when the link is closed and the message is lost @throws {TypeError} for what cannot be JSON */
  write(message: object): boolean;
  /** As {@link write}, for a message that others get too. */
  writeShared(message: SharedNotification): boolean;
  /** Sends what is waiting, then ends; a peer that does not read gets one second. */
  close(): void;
}
