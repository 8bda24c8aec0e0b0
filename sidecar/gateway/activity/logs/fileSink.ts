import { writeFileSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import { EarlierFiles } from './earlierFiles.ts';
import type { LogSink, SinkTrouble } from './sink.ts';

export interface FileSinkOptions {
  /** Absolute. */
  readonly path: string;
  /** Of one file. */
  readonly maxBytes: number;
  /** A new file begins with each day (UTC). */
  readonly isDaily: boolean;
  /** Earlier files that are kept. */
  readonly keep: number;
  /** Earlier files that are older are deleted; absent: none is. */
  readonly keepDays?: number | undefined;
  readonly gzip: boolean;
}

/** Lines that wait for a slow disk, in bytes. */
const MAX_WAITING_BYTES = 8_000_000;

interface OpenFile {
  readonly handle: FileHandle;
  size: number;
  /** The day of its last line. */
  day: string;
}

/** Writes the log to a file, and begins a new one by size and by day. The process never waits for the disk. */
export class FileSink implements LogSink {
  readonly name = 'file';
  readonly #options: FileSinkOptions;
  readonly #clock: Clock;
  readonly #trouble: SinkTrouble;
  readonly #earlier: EarlierFiles;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #file: OpenFile | undefined;
  #isFailing = false;
  #dropped = 0;

  private constructor(options: FileSinkOptions, clock: Clock, trouble: SinkTrouble) {
    this.#options = options;
    this.#clock = clock;
    this.#trouble = trouble;
    this.#earlier = new EarlierFiles(options, clock);
  }

  /** @throws {Fault} `invalid_params` for a file that cannot be written */
  static async open(options: FileSinkOptions, clock: Clock, trouble: SinkTrouble): Promise<FileSink> {
    const sink = new FileSink(options, clock, trouble);
    try {
      sink.#file = await sink.#openFile();
    } catch (cause) {
      const data = { field: 'logs.file.path' };
      throw new Fault('invalid_params', 'The file in logs.file.path cannot be written.', { data, cause });
    }
    await sink.#earlier.tidy();
    return sink;
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (this.#waitingBytes + line.length > MAX_WAITING_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  writeNow(): void {
    try {
      writeFileSync(this.#options.path, this.#take().join(''), { flag: 'a', mode: 0o600 });
    } catch {
      // The lines are on standard error, too, and nobody is left to count them.
    }
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.handle.close();
    this.#file = undefined;
    await this.#earlier.settled();
  }

  #take(): string[] {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return lines;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#take();
      try {
        await this.#append(lines);
        if (this.#isFailing) this.#trouble.recovered(this.name, this.#dropped);
        this.#isFailing = false;
      } catch (thrown) {
        this.#dropped += lines.length;
        // Half a line may have been written: the file is opened anew and told apart from what follows.
        const { handle } = this.#file ?? {};
        this.#file = undefined;
        await handle?.close().catch(() => undefined);
        const isNew = !this.#isFailing;
        this.#isFailing = true;
        if (isNew) this.#trouble.failed(this.name, thrown);
      }
    }
  }

  /** Lines that do not fit together are written to several files. */
  async #append(lines: readonly string[]): Promise<void> {
    let piece = '';
    for (const line of lines) {
      const file = (this.#file ??= await this.#openFile());
      const size = file.size + Buffer.byteLength(piece) + Buffer.byteLength(line);
      const isFull = size > this.#options.maxBytes && file.size + piece.length > 0;
      if (isFull || (this.#options.isDaily && file.day !== this.#day() && file.size > 0)) {
        await this.#flush(piece);
        piece = '';
        await this.#rotate();
      }
      piece += line;
    }
    await this.#flush(piece);
  }

  async #flush(text: string): Promise<void> {
    if (text === '') return;
    const file = (this.#file ??= await this.#openFile());
    const day = this.#day(); // before a write that may end on the next one
    await file.handle.appendFile(text);
    file.size += Buffer.byteLength(text);
    file.day = day;
  }

  async #rotate(): Promise<void> {
    const { handle } = this.#file ?? {};
    this.#file = undefined;
    await handle?.close();
    await rename(this.#options.path, await this.#earlier.newName());
    await this.#earlier.tidy();
  }

  async #openFile(): Promise<OpenFile> {
    const handle = await open(this.#options.path, 'a+', 0o600);
    try {
      const { size, mtime } = await handle.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await handle.read(last, 0, 1, size - 1);
      const isTorn = size > 0 && last.toString() !== '\n';
      if (isTorn) await handle.appendFile('\n');
      const day = size > 0 ? mtime.toISOString().slice(0, 10) : this.#day();
      return { handle, size: isTorn ? size + 1 : size, day };
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  #day(): string {
    return this.#clock.now().slice(0, 10);
  }
}
