import type { Socket } from 'node:net';
import { FrameDecoder } from '../../sidecar/transport/frames.ts';
import { toFrame } from '../support/host/toFrame.ts';

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}
/** Longer than any answer takes, also on a machine that does other things. */
const DEADLINE_MS = 120_000;

/** One connection to the host: what was asked on it and not answered yet. */
export class Lane {
  readonly #stream: Socket;
  readonly #decoder = new FrameDecoder({ maxBodyBytes: 1024 * 1024 * 1024 });
  readonly #waiting = new Map<number, string>();
  readonly #onAnswer: (answer: Answer) => void;
  #lastId = 0;
  /** Bytes were sent after which the host has to close. */
  isBroken = false;
  isClosed = false;
  #changed: () => void = () => undefined;
  answers = 0;
  bugs: string[] = [];

  constructor(stream: Socket, onAnswer: (answer: Answer) => void) {
    this.#stream = stream;
    this.#onAnswer = onAnswer;
    stream.on('data', (chunk: Buffer) => {
      for (const body of this.#decoder.push(chunk).bodies) this.#hear(JSON.parse(body.toString()) as Answer);
      this.#changed();
    });
    stream.on('error', () => undefined); // its close is looked at
    stream.on('close', () => {
      this.isClosed = true;
      this.#changed();
    });
  }

  write(bytes: string | Uint8Array): void {
    if (!this.isClosed) this.#stream.write(bytes);
  }
  /** A request whose answer is waited for. @param change what is done to it, its id aside */
  ask(method: string, params: object, change: (message: object) => object = (it) => it): void {
    const id = ++this.#lastId;
    this.#waiting.set(id, method);
    this.write(toFrame(JSON.stringify(change({ jsonrpc: '2.0', id, method, params }))));
  }

  /** Settles when all was answered, or the connection closed. @throws what was not answered */
  async settled(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), DEADLINE_MS);
    });
    while (!this.isClosed && (this.#waiting.size > 0 || this.isBroken)) {
      const changed = new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      if ((await Promise.race([changed, late])) === 'late')
        throw new Error(
          `no answer in ${DEADLINE_MS} ms to ${[...this.#waiting.values()].join(', ') || 'a broken frame'}`,
        );
    }
    clearTimeout(timer);
  }

  close(): void {
    this.#stream.destroy();
  }

  #hear(answer: Answer): void {
    if (typeof answer.id !== 'number' || 'method' in answer) return;
    if (!this.#waiting.delete(answer.id)) return;
    this.answers += 1;
    if (answer.error?.code === -32005) this.isBroken = true; // no version fits: the host says so, and closes
    // -32603 with an id is what a thrown value becomes that nobody threw on purpose.
    if (/^internal error \(/.test(answer.error?.message ?? '')) this.bugs.push(answer.error!.message);
    this.#onAnswer(answer);
  }
}
