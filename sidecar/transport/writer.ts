import { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';
import type { Event, Message, MessageWriter } from 'vscode-jsonrpc/node';
import { Emitter } from './emitter.ts';
import { frameHeader } from './frames.ts';

export interface WriterOptions {
  /** Most bytes that may wait for a slow reader, those inside the stream included. Default 64 MB. */
  readonly maxQueueBytes?: number;
  /** Runs the flush of a tick; handed in by tests. */
  readonly schedule?: (flush: () => void) => void;
}

/**
 * Writes `Content-Length` frames, pre-serialised text included. All frames of one tick leave in one write of the stream;
 * while the stream is full they wait here. More than `maxQueueBytes` waiting fires `onOverflow` once, throws the queue
 * away and takes nothing more: the owner then drops the connection, because what is missing cannot be made up.
 */
export class FrameWriter implements MessageWriter {
  readonly #writable: Writable;
  readonly #maxQueueBytes: number;
  readonly #schedule: (flush: () => void) => void;
  readonly #errors = new Emitter<[Error, Message | undefined, number | undefined]>();
  readonly #closes = new Emitter<void>();
  readonly #overflows = new Emitter<{ readonly queuedBytes: number }>();
  #queue: string[] = [];
  #queueBytes = 0;
  #isScheduled = false;
  #isFull = false;
  #isClosed = false;
  #isEnding = false;

  constructor(writable: Writable, options: WriterOptions = {}) {
    this.#writable = writable;
    this.#maxQueueBytes = options.maxQueueBytes ?? 64 * 1024 * 1024;
    this.#schedule = options.schedule ?? afterThisTick;
    writable.on('drain', () => {
      this.#isFull = false;
      this.#flush();
    });
    writable.on('error', (error: Error) => this.#errors.fire([error, undefined, undefined]));
    writable.on('close', () => this.#close());
  }

  get onError(): Event<[Error, Message | undefined, number | undefined]> {
    return this.#errors.event;
  }
  get onClose(): Event<void> {
    return this.#closes.event;
  }
  get onOverflow(): Event<{ readonly queuedBytes: number }> {
    return this.#overflows.event;
  }
  /** Bytes that the other side has not taken yet. */
  get queuedBytes(): number {
    return this.#queueBytes + this.#writable.writableLength;
  }

  /** Takes the message for the next flush; does not wait until it is on the wire. */
  write(message: Message): Promise<void> {
    return this.writeRaw(JSON.stringify(message))
      ? Promise.resolve()
      : Promise.reject(new Error('the connection is closed'));
  }

  /** @param json one whole JSON-RPC message. @returns false when the connection is closed and the message is lost */
  writeRaw(json: string): boolean {
    if (this.#isClosed || this.#isEnding) return false;
    const bytes = Buffer.byteLength(json);
    const header = frameHeader(bytes);
    this.#queue.push(header, json);
    this.#queueBytes += header.length + bytes;
    if (this.queuedBytes > this.#maxQueueBytes) return this.#overflow();
    if (!this.#isScheduled && !this.#isFull) {
      this.#isScheduled = true;
      this.#schedule(() => {
        this.#isScheduled = false;
        this.#flush();
      });
    }
    return true;
  }

  /** What `work` writes leaves with its end, in one write, without waiting for the end of the tick. */
  batch(work: () => void): void {
    if (this.#isScheduled) return work();
    this.#isScheduled = true;
    try {
      work();
    } finally {
      this.#isScheduled = false;
      this.#flush();
    }
  }

  /** Writes what is waiting, then ends the stream. */
  end(): void {
    if (this.#isClosed || this.#isEnding) return;
    this.#isEnding = true;
    this.#flush();
  }

  dispose(): void {
    for (const it of [this.#errors, this.#closes, this.#overflows]) it.dispose();
  }

  #flush(): void {
    if (this.#isClosed || this.#isFull) return;
    if (this.#queue.length > 0) {
      const bytes = this.#queue.join('');
      this.#queue = [];
      this.#queueBytes = 0;
      this.#isFull = !this.#writable.write(bytes, 'utf8');
    }
    if (this.#isEnding) this.#writable.end();
  }

  #overflow(): false {
    const queuedBytes = this.queuedBytes;
    this.#isClosed = true;
    this.#queue = [];
    this.#queueBytes = 0;
    this.#overflows.fire({ queuedBytes });
    this.#closes.fire();
    return false;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    this.#queueBytes = 0;
    this.#closes.fire();
  }
}

/** After all promises that settle in this turn of the loop, so that answers of async handlers share one write. */
export function afterThisTick(flush: () => void): void {
  queueMicrotask(() => process.nextTick(flush));
}
