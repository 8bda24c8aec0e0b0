import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../../platform/clock.ts';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { FileSinkOptions } from './fileSink.ts';

/** The time at which a file was closed, and a number where several were closed at once: in order, they sort by age. */
const ENDING = /^\.(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)(?:-\d{4})?(\.gz)?$/;

/** The log files that were closed: compressed, and deleted when they are too many or too old. */
export class EarlierFiles {
  readonly #options: FileSinkOptions;
  readonly #clock: Clock;
  #work = Promise.resolve();

  constructor(options: FileSinkOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** A name that no file has yet, for the one that is closed now. */
  async newName(): Promise<string> {
    const stem = `${this.#options.path}.${this.#clock.now().replaceAll(':', '-')}`;
    const taken = new Set((await this.#all()).map((it) => it.path.replace(/\.gz$/, '')));
    for (let n = 0; ; n += 1) {
      const name = n === 0 ? stem : `${stem}-${String(n).padStart(4, '0')}`;
      if (!taken.has(name)) return name;
    }
  }

  /** Deletes what is too much, and begins to compress the rest. */
  async tidy(): Promise<void> {
    const { keep, keepDays, gzip } = this.#options;
    const oldestMs = keepDays === undefined ? 0 : this.#clock.nowMs() - keepDays * DAY_MS;
    const all = await this.#all();
    const isKept = ({ closedMs }: { closedMs: number }, at: number) => at < keep && closedMs >= oldestMs;
    for (const [at, it] of all.entries()) if (!isKept(it, at)) await rm(it.path, { force: true });
    if (!gzip) return;
    const open = all.filter((it, at) => isKept(it, at) && !it.path.endsWith('.gz'));
    this.#work = this.#work.then(async () => {
      // One that cannot be compressed stays as it is, and is tried again with the next one.
      for (const it of open) await compress(it.path).catch(() => rm(`${it.path}.part`, { force: true }));
    });
  }

  /** Nothing is being compressed any more. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Newest first. */
  async #all(): Promise<{ readonly path: string; readonly closedMs: number }[]> {
    const { path } = this.#options;
    const name = basename(path);
    const found = (await readdir(dirname(path))).filter((it) => it.startsWith(name)).toSorted();
    return found.toReversed().flatMap((it) => {
      const [, hour, minute, second] = ENDING.exec(it.slice(name.length)) ?? [];
      if (hour === undefined) return [];
      return [{ path: join(dirname(path), it), closedMs: Date.parse(`${hour}:${minute}:${second}`) }];
    });
  }
}

async function compress(path: string): Promise<void> {
  const part = `${path}.part`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(part, { mode: 0o600 }));
  await rename(part, `${path}.gz`);
  await rm(path, { force: true });
}
