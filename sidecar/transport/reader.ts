import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { DataCallback, Disposable, Event, MessageReader, PartialMessageInfo } from 'vscode-jsonrpc/node';
import { jsonRpcErrors } from '../protocol/jsonRpcErrors.ts';
import { Emitter } from './emitter.ts';
import { FrameDecoder, type FrameLimits } from './frames.ts';
import { judgeBody, MAX_DEPTH, type Refusal } from './judge.ts';

/** A refusal of what came in. After a `fatal` one nothing more is read: the framing is lost. */
export interface Refused extends Refusal {
  readonly fatal: boolean;
}

export interface ReaderLimits extends FrameLimits {
  /** Deepest nesting of a message. */
  readonly maxDepth: number;
}

/**
 * Reads `Content-Length` frames from a stream. All messages that a chunk completes are delivered in the tick in which
 * it arrived, in order; vscode-jsonrpc's own reader and connection take one `setImmediate` for each.
 */
export class FrameReader implements MessageReader {
  readonly #readable: Readable;
  readonly #decoder: FrameDecoder;
  readonly #maxDepth: number;
  readonly #errors = new Emitter<Error>();
  readonly #closes = new Emitter<void>();
  readonly #partials = new Emitter<PartialMessageInfo>();
  readonly #refusals = new Emitter<Refused>();
  #isClosed = false;

  constructor(readable: Readable, { maxDepth = MAX_DEPTH, ...limits }: Partial<ReaderLimits> = {}) {
    this.#readable = readable;
    this.#decoder = new FrameDecoder(limits);
    this.#maxDepth = maxDepth;
  }

  /** A failure of the stream itself. */
  get onError(): Event<Error> {
    return this.#errors.event;
  }
  /** Fired once, when the stream ended or broke. */
  get onClose(): Event<void> {
    return this.#closes.event;
  }
  /** Never fired: whoever sends half a message is waited for, as with any stream. */
  get onPartialMessage(): Event<PartialMessageInfo> {
    return this.#partials.event;
  }
  /** Bad input. The owner answers it; the reader only reads. */
  get onRefused(): Event<Refused> {
    return this.#refusals.event;
  }

  /** @param around runs `read`, which delivers all messages of a chunk */
  listen(callback: DataCallback, around = (read: () => void): void => read()): Disposable {
    const onData = (chunk: Buffer): void => around(() => this.#read(chunk, callback));
    const onError = (error: Error): void => this.#errors.fire(error);
    const onEnd = (): void => this.#close();
    this.#readable.on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd);
    return {
      dispose: () => {
        this.#readable.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
      },
    };
  }

  dispose(): void {
    for (const it of [this.#errors, this.#closes, this.#partials, this.#refusals]) it.dispose();
  }

  #read(chunk: Buffer, callback: DataCallback): void {
    const { bodies, lost } = this.#decoder.push(chunk);
    for (const body of bodies) {
      const verdict = judgeBody(body, this.#maxDepth);
      if (verdict.ok) callback(verdict.message);
      else this.#refusals.fire({ ...verdict.refusal, fatal: false });
    }
    if (lost !== undefined) {
      this.#refusals.fire({ code: jsonRpcErrors.parse, message: lost, id: null, answer: true, fatal: true });
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#decoder.isBetweenFrames) this.#errors.fire(new Error('the stream ended in the middle of a message'));
    this.#closes.fire();
  }
}
