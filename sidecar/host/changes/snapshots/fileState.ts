import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import * as z from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { toFs } from '../../files/rawPath.ts';
import { type ContentStore, isMissing } from './contentStore.ts';

/** What is at a path. A folder, a socket and the like count as `other`: they are neither kept nor touched. */
export type FileState = { readonly kind: 'absent' } | { readonly kind: 'other' } | KeptFile;

/** `deleted`: only the user's repository had the bytes, and it is gone. */
export const NotKept = z.enum(['tooLarge', 'unreadable', 'overBudget', 'deleted']);
export type NotKept = z.infer<typeof NotKept>;

export interface KeptFile {
  /** A link is never followed; its content is the text of its target. */
  readonly kind: 'file' | 'link';
  /** Permission bits. */
  readonly mode: number;
  readonly sha: string;
  readonly size: number;
  /** Why the bytes were not kept; the content is a sentence about it instead, different for each version of the file. */
  readonly notKept?: NotKept;
}

export const absent: FileState = { kind: 'absent' };
/** 50 MB. */
export const maxKeptBytes = 50 * 1024 * 1024;

export function isKept(state: FileState): state is KeptFile {
  return state.kind === 'file' || state.kind === 'link';
}

export function sameState(one: FileState, other: FileState): boolean {
  if (!isKept(one) || !isKept(other)) return one.kind === other.kind;
  return one.kind === other.kind && one.sha === other.sha && (one.kind === 'link' || one.mode === other.mode);
}

/** Reads files into a store. What did not change since the last look is not read again. */
export class FileReader {
  readonly #content: ContentStore;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly maxBytes: number;
  readonly #seen = new Map<string, { readonly stamp: string; readonly state: FileState }>();

  constructor(content: ContentStore, clock: Pick<Clock, 'nowMs'>, maxBytes: number = maxKeptBytes) {
    this.#content = content;
    this.#clock = clock;
    this.maxBytes = maxBytes;
  }

  /** The state of `path` now, its bytes in the store. Links on the way to it are the caller's to judge. */
  async read(path: string): Promise<FileState> {
    const stats = await statOf(path);
    if (!stats) {
      this.#seen.delete(path);
      return absent;
    }
    const stamp = stampOf(stats);
    const seen = this.#seen.get(path);
    if (seen?.stamp === stamp) return seen.state;
    const state = await this.#readNow(path, stats);
    // A file that was written within the clock's grain may change again under the same stamp.
    if (this.#clock.nowMs() - Number(stats.ctimeMs) > 50) this.#seen.set(path, { stamp, state });
    else this.#seen.delete(path);
    return state;
  }

  async #readNow(path: string, stats: BigIntStats): Promise<FileState> {
    const mode = Number(stats.mode) & 0o7777;
    if (stats.isSymbolicLink()) {
      const target = await readlink(toFs(path), 'buffer');
      return { kind: 'link', mode: 0o777, ...(await this.#content.put(target)) };
    }
    if (!stats.isFile()) return { kind: 'other' };
    if (stats.size > BigInt(this.maxBytes)) return this.#placeholder(mode, stats, 'tooLarge');
    try {
      const file = await open(toFs(path), constants.O_RDONLY | noFollow | nonBlocking);
      try {
        const opened = await file.stat();
        if (!opened.isFile()) return { kind: 'other' };
        return { kind: 'file', mode, ...(await this.#content.put(await file.readFile())) };
      } finally {
        await file.close();
      }
    } catch (thrown) {
      if (isMissing(thrown)) return absent;
      if (isDenied(thrown)) return this.#placeholder(mode, stats, 'unreadable');
      throw thrown;
    }
  }

  async #placeholder(mode: number, stats: BigIntStats, notKept: 'tooLarge' | 'unreadable'): Promise<FileState> {
    return { kind: 'file', mode, notKept, ...(await this.#content.put(Buffer.from(placeholderText(stats, notKept)))) };
  }
}

/** Stands for bytes that were not kept. Size and time in it make two versions of a file two contents. */
export function placeholderText(stats: { readonly size: bigint; readonly mtimeNs: bigint }, notKept: NotKept): string {
  const why = {
    tooLarge: 'it is too large',
    unreadable: 'it could not be read',
    overBudget: 'its folder is too large to be saved without Git',
    deleted: 'its content existed only in its Git repository, which was also deleted',
  };
  return `Switchboard did not save this file: ${why[notKept]}. Size: ${stats.size} bytes; changed: ${stats.mtimeNs} ns.\n`;
}

export async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(toFs(path), { bigint: true });
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

export function stampOf(stats: BigIntStats): string {
  return `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.mode}`;
}

export function isDenied(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return code === 'EACCES' || code === 'EPERM' || code === 'ELOOP';
}

// Absent on Windows, where opening a link for reading follows it; the real path was judged before.
const noFollow = constants.O_NOFOLLOW ?? 0;
const nonBlocking = constants.O_NONBLOCK ?? 0;
