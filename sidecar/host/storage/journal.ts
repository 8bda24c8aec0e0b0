import { Buffer } from 'node:buffer';
import { closeSync, constants, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { type Chain, toLines } from './journalChain.ts';
import { toStorageFault } from './storageFault.ts';

/** Name of the file in the data directory. */
export const JOURNAL = 'host.journal';

/**
 * What is durable and not in rows yet: lines of text, appended one after the other. One write of the system for a line
 * costs a fifth of a transaction, and survives the end of this process as a transaction does.
 */
export interface Journal {
  /** True while there are lines: written by us, or left by an earlier host. */
  readonly hasLines: boolean;
  /** The whole lines that an earlier host left, oldest first. */
  remaining(): string[];
  /** Drops all but the first lines that an earlier host left, because a power failure undid what came between. */
  keep(lines: number): void;
  /**
   * @param texts one for each line
   * @param chain the chain before them
   * @returns the chain after them
   * @throws {StorageFault} and leaves nothing of them behind
   */
  append(texts: readonly string[], chain: Chain): Chain;
  /** Forgets all lines: they are in rows now. Where the disk does not let go of them they stay, and count for nothing. */
  clear(): void;
  /** The file goes where nothing is in it. */
  close(): void;
}

/** How bytes get into the file and out of it. */
export interface JournalFiles {
  readonly write: (fd: number, bytes: Buffer, from: number, length: number, position: number) => number;
  readonly truncate: (fd: number, length: number) => void;
  readonly sync: (fd: number) => void;
}
export const systemJournalFiles: JournalFiles = { write: writeSync, truncate: ftruncateSync, sync: fsyncSync };

/** Opens or makes the file; what is behind its last line feed was never acknowledged and is written over. */
export function openJournal(file: string, { write, truncate, sync }: JournalFiles = systemJournalFiles): Journal {
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  const before = readFileSync(fd);
  let length = before.lastIndexOf(0x0a) + 1;
  /** Something that was refused stands behind the last line: it has to go before the next one is written. */
  let isTorn = false;
  const mend = () => {
    truncate(fd, length);
    sync(fd); // else a power failure could bring back the removed lines
    isTorn = false;
  };
  const tear = () => {
    isTorn = true;
    try {
      mend();
    } catch {
      // No whole line of it may be read again: this makes its first one none, and nothing behind it is read either.
      attempt(() => void write(fd, Buffer.from('x'), 0, 1, length));
    }
  };
  return {
    get hasLines() {
      return length > 0;
    },
    remaining: () =>
      before
        .toString('utf8', 0, before.lastIndexOf(0x0a) + 1)
        .split('\n')
        .slice(0, -1),
    keep(lines) {
      let end = 0;
      for (let n = 0; n < lines; n += 1) end = before.indexOf(0x0a, end) + 1;
      if (end === length) return;
      length = end;
      tear();
    },
    append(texts, before) {
      const { bytes, chain } = toLines(texts, before);
      try {
        if (isTorn) mend();
        for (let at = 0; at < bytes.length; ) at += write(fd, bytes, at, bytes.length - at, length + at);
      } catch (thrown) {
        tear(); // a part of it, whole lines among them, may be there
        throw toStorageFault(thrown);
      }
      length += bytes.length;
      return chain;
    },
    clear() {
      // The rows say up to which number they have everything. They are written: nothing of them may be taken back.
      attempt(() => {
        truncate(fd, 0);
        length = 0;
        isTorn = false;
      });
    },
    close() {
      closeSync(fd);
      if (length === 0) rmSync(file, { force: true });
    },
  };
}

/** What may fail, because the next write is tried anyhow. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The next write reports it.
  }
}
