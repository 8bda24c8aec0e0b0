import { damaged } from './entryPath.ts';

/** Reads a stream in the pieces that a format has. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);
  #isOver = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes. @throws {Fault} where the stream ends before that */
  async take(length: number): Promise<Buffer> {
    await this.#fill(length);
    if (this.#held.length < length) throw damaged();
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  /** Up to so many bytes; none at the end of the stream. */
  async takeSome(most: number): Promise<Buffer> {
    if (this.#held.length === 0) await this.#fill(1);
    const taken = this.#held.subarray(0, most);
    this.#held = this.#held.subarray(taken.length);
    return taken;
  }

  async #fill(length: number): Promise<void> {
    const pieces = [this.#held];
    let size = this.#held.length;
    while (size < length && !this.#isOver) {
      const { value, done } = await this.#source.next();
      if (done === true) this.#isOver = true;
      else {
        pieces.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
        size += value.byteLength;
      }
    }
    if (pieces.length > 1) this.#held = Buffer.concat(pieces);
  }
}
