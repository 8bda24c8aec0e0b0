/** The style and the script of the chat page, which the build compressed. Pages get them in a message. */
export class PackedParts {
  /** Also the browser keeps them, as a page has said. */
  areKept = false;
  /** By this a page knows them. */
  readonly digest: string;
  readonly #readFile: () => Promise<Uint8Array>;
  #read: Promise<Uint8Array> | undefined;

  constructor(digest: string, readFile: () => Promise<Uint8Array>) {
    this.digest = digest;
    this.#readFile = readFile;
  }

  /** The file is read once. If that fails, it is read again the next time. */
  read(): Promise<Uint8Array> {
    this.#read ??= this.#readFile().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.#read;
  }

  /** What was read is of another build: the file is read again the next time. */
  forget(): void {
    this.#read = undefined;
  }
}
