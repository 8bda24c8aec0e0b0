import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';

type End = 'left' | 'right';

/** What waits to be taken in by the other end; `undefined` is the end of the stream. */
interface Way {
  readonly waiting: (Buffer | undefined)[];
  readonly to: Duplex;
  isMuted: boolean;
}

/**
 * One connection in memory: what one end writes waits until a step delivers it to the other, whole or in pieces. Sees every
 * chunk as it is written.
 */
export class SimWire {
  readonly left: Duplex;
  readonly right: Duplex;
  readonly #ways: Record<End, Way>;

  /** @param lay what is put on the wire instead of what was written; for faults */
  constructor(lay: (from: End, chunk: Buffer) => readonly Buffer[] = (_from, chunk) => [chunk]) {
    const end = (from: End) =>
      new Duplex({
        read: () => undefined,
        write: (chunk: Buffer, _encoding, done) => {
          if (!this.#ways[from].isMuted) this.#ways[from].waiting.push(...lay(from, chunk));
          done();
        },
        final: (done) => {
          if (!this.#ways[from].isMuted) this.#ways[from].waiting.push(undefined);
          done();
        },
      }).on('error', () => undefined);
    this.left = end('left');
    this.right = end('right');
    this.#ways = {
      left: { waiting: [], to: this.right, isMuted: false },
      right: { waiting: [], to: this.left, isMuted: false },
    };
  }

  /** Whether something waits that this end said. */
  hasFrom(end: End): boolean {
    const { waiting, to } = this.#ways[end];
    return waiting.length > 0 && !to.destroyed;
  }

  /** @param bytes at most so many of the first chunk @returns what was delivered */
  deliver(from: End, bytes = Number.POSITIVE_INFINITY): Buffer {
    const { waiting, to } = this.#ways[from];
    const chunk = waiting.shift();
    if (chunk === undefined) {
      to.push(null);
      return Buffer.from('end');
    }
    const now = chunk.subarray(0, bytes);
    if (now.length < chunk.length) waiting.unshift(chunk.subarray(now.length));
    to.push(now);
    return now;
  }

  /** What is under way is lost, and both ends notice. */
  cut(): void {
    for (const way of Object.values(this.#ways)) way.waiting.length = 0;
    this.left.destroy();
    this.right.destroy();
  }

  /** The process at this end is gone: nothing of it comes any more but what is under way, and then the end. */
  died(end: End): void {
    const own = this.#ways[end];
    if (own.isMuted) return;
    own.isMuted = true;
    own.waiting.push(undefined);
    const other = this.#ways[end === 'left' ? 'right' : 'left'];
    other.isMuted = true;
    other.waiting.length = 0;
  }
}
