import type { PageParts } from '../pageDocument.ts';

/** The style and the script of the chat page, which the build compressed. Pages get them in a message. */
export class PackedParts {
  /** Whether a page has said that the browser keeps them. */
  areKept = false;
  /** Identify them to a page. */
  readonly digests: PageParts;
  readonly #readFile: () => Promise<Uint8Array>;
  #read: Promise<Uint8Array> | undefined;

  constructor(digests: PageParts, readFile: () => Promise<Uint8Array>) {
    this.digests = digests;
    this.#readFile = readFile;
  }

  /** The file is read once. If that fails, it is read again the next time. */
  read(): Promise<Uint8Array> {
    if (this.#read) return this.#read;
    const read = this.#readFile();
    this.#read = read;
    read.catch(() => {
      if (this.#read === read) this.forget();
    });
    return read;
  }

  /** What was read is of another build: the file is read again the next time. */
  forget(): void {
    this.#read = undefined;
  }
}
