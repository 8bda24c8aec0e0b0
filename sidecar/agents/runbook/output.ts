const headBytes = 16 * 1024;
const tailBytes = 48 * 1024;

/** Output of a command as it grows: the first 16 KB and the last 48 KB, and how much was cut between them. */
export class BoundedOutput {
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #cutBytes = 0;

  add(data: Buffer): void {
    const room = headBytes - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, data.subarray(0, room)]);
    if (data.length <= room) return;
    const grown = Buffer.concat([this.#tail, data.subarray(Math.max(0, room))]);
    const over = Math.max(0, grown.length - tailBytes);
    this.#cutBytes += over;
    this.#tail = grown.subarray(over);
  }

  /** Both ends fall between characters, so no half of one is shown. */
  get text(): string {
    if (this.#cutBytes === 0)
      return Buffer.concat([this.#head, this.#tail])
        .toString('utf8')
        .replace(/\uFFFD$/, '');
    const head = this.#head.toString('utf8').replace(/\uFFFD+$/, '');
    const tail = this.#tail
      .toString('utf8')
      .replace(/^\uFFFD+/, '')
      .replace(/\uFFFD$/, '');
    return `${head}\n… ${this.#cutBytes} bytes omitted …\n${tail}`;
  }
}
