import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isWithin } from '../../edits/files.ts';
import type { TurnHost } from '../../provider.ts';

/** Whether a folder is in one of the session's folders, also when links are followed. */
export async function isInside(path: string, folders: readonly string[]): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return false;
  return folders.some((it) => isWithin(real, it));
}

export interface Readable {
  /** Without those that a rule denies. */
  readonly names: readonly string[];
  /** Those of `names` that a rule asks about. */
  readonly asking: ReadonlySet<string>;
  readonly deniedCount: number;
}

/** Leaves out what a rule denies reading. Names are relative to `root`, and no link is between them. */
export async function readable(
  host: Pick<TurnHost, 'readLimits'>,
  root: string,
  names: readonly string[],
): Promise<Readable> {
  const real = await realpath(root).catch(() => root); // it was deleted meanwhile
  const paths = names.map((it) => join(real, it));
  const { denied, asking } = await host.readLimits(paths);
  const kept = names.filter((_name, at) => !denied.has(paths[at]!));
  return {
    names: kept,
    asking: new Set(names.filter((_name, at) => asking.has(paths[at]!))),
    deniedCount: names.length - kept.length,
  };
}

/** For the model. It counts what would not have been found too: otherwise, a search could be used to guess what is denied. */
export const deniedNote = (count: number): string =>
  count === 0 ? '' : `\n(Left out, because a rule denies reading: ${count} ${count === 1 ? 'path' : 'paths'})`;
