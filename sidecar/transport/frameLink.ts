import type { Duplex } from 'node:stream';
import type { Timers } from '../platform/timers.ts';
import type { JsonRpcMessage } from './judge.ts';
import type { LinkEvents, MessageLink } from './link.ts';
import { FrameReader } from './reader.ts';
import type { SharedNotification } from './wireText.ts';
import { FrameWriter } from './writer.ts';

/** How long a peer may take to read the last that it is sent. */
const LAST_MS = 1_000;

export interface FrameLinkOptions {
  readonly timers: Timers;
  /** Largest message that is read. Default 32 MB. */
  readonly maxMessageBytes?: number | undefined;
  /** Most bytes that may wait for a slow peer; beyond, the link closes with reason `overflow`. Default 64 MB. */
  readonly maxQueueBytes?: number | undefined;
  /** Deepest nesting of a message. Default 128. */
  readonly maxDepth?: number | undefined;
}

/** Messages in `Content-Length` frames over a stream. */
export class FrameLink implements MessageLink {
  readonly #stream: Duplex;
  readonly #timers: Timers;
  readonly #reader: FrameReader;
  readonly #writer: FrameWriter;
  #isClosed = false;

  constructor(stream: Duplex, { timers, maxMessageBytes, maxQueueBytes, maxDepth }: FrameLinkOptions) {
    this.#stream = stream;
    this.#timers = timers;
    this.#reader = new FrameReader(stream, {
      ...(maxMessageBytes !== undefined && { maxBodyBytes: maxMessageBytes }),
      ...(maxDepth !== undefined && { maxDepth }),
    });
    this.#writer = new FrameWriter(stream, maxQueueBytes ? { maxQueueBytes } : {});
  }

  get queuedBytes(): number {
    return this.#writer.queuedBytes;
  }

  listen({ message, refused, closed, trouble, around }: LinkEvents): void {
    this.#reader.onRefused(refused);
    this.#reader.onError((error) => trouble('reading failed', error));
    this.#reader.onClose(() => {
      this.close();
      closed('the peer closed the connection');
    });
    this.#writer.onError(([error]) => trouble('writing failed', error));
    this.#writer.onClose(() => closed('the peer closed the connection'));
    this.#writer.onOverflow(() => {
      closed('overflow');
      this.#stream.destroy();
    });
    this.#reader.listen(
      (it) => message(it as JsonRpcMessage),
      (read) => this.#writer.batch(() => around(read)),
    );
  }

  write(message: object): boolean {
    return this.#writer.writeRaw(JSON.stringify(message));
  }
  writeShared({ wire }: SharedNotification): boolean {
    return this.#writer.writeRaw(wire.text);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#writer.end();
    this.#stream.once(
      'close',
      this.#timers.after(LAST_MS, () => this.#stream.destroy()),
    );
  }
}
