/** Bytes that never change, by their URI, up to so many: the oldest leave first. What is asked for twice at once is read once. */
export class KeptContents {
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Uint8Array>();
  readonly #running = new Map<string, Promise<Uint8Array>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws what `read` throws; the next one who asks reads again */
  async get(uri: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    return this.#kept.get(uri) ?? this.#running.get(uri) ?? this.#start(uri, read);
  }

  async #start(uri: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const reading = read();
    this.#running.set(uri, reading);
    try {
      const bytes = await reading;
      this.#keep(uri, bytes);
      return bytes;
    } finally {
      this.#running.delete(uri);
    }
  }

  #keep(uri: string, bytes: Uint8Array): void {
    this.#kept.set(uri, bytes);
    this.#bytes += bytes.byteLength;
    for (const [oldest, { byteLength }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}
