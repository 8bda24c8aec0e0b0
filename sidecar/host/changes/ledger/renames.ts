import { basename } from 'node:path';
import { isKept, type KeptFile } from '../snapshots/fileState.ts';
import { isBinary, toLines } from '../snapshots/lineCounts.ts';
import type { PathChange } from '../snapshots/pathChange.ts';

/** Beyond this many candidates on a side only equal contents are paired, as git limits itself too. */
const maxCompared = 200;
const maxComparedBytes = 1024 * 1024;

/**
 * Pairs files that went away with files that appeared: equal bytes first, the same name preferred, then at least half
 * of the text in common. Answers the vanished change by the path of the new one.
 */
export async function findRenames(
  changes: readonly PathChange[],
  read: (sha: string) => Promise<Uint8Array>,
): Promise<Map<string, PathChange>> {
  const deleted = new Set(changes.filter((it) => !isKept(it.after) && isCandidate(it.before)));
  const fresh = new Set(changes.filter((it) => !isKept(it.before) && isCandidate(it.after)));
  const pairs = new Map<string, PathChange>();
  const pair = (to: PathChange, from: PathChange) => {
    pairs.set(to.path, from);
    fresh.delete(to);
    deleted.delete(from);
  };
  for (const to of fresh) {
    const same = [...deleted].filter((it) => (it.before as KeptFile).sha === (to.after as KeptFile).sha);
    const from = same.find((it) => basename(it.path) === basename(to.path)) ?? same[0];
    if (from) pair(to, from);
  }
  if (deleted.size === 0 || fresh.size === 0 || deleted.size > maxCompared || fresh.size > maxCompared) return pairs;
  const scored: { to: PathChange; from: PathChange; score: number }[] = [];
  for (const to of fresh) {
    for (const from of deleted) {
      const score = await similarity(from.before as KeptFile, to.after as KeptFile, read);
      if (score >= 0.5) scored.push({ to, from, score });
    }
  }
  scored.sort((a, b) => b.score - a.score);
  for (const { to, from } of scored) if (fresh.has(to) && deleted.has(from)) pair(to, from);
  return pairs;
}

function isCandidate(state: PathChange['before']): boolean {
  return isKept(state) && state.kind === 'file' && state.size > 0 && !state.notKept;
}

/** The share of bytes in lines that both have. */
async function similarity(one: KeptFile, other: KeptFile, read: (sha: string) => Promise<Uint8Array>): Promise<number> {
  const most = Math.max(one.size, other.size);
  if (most > maxComparedBytes || Math.min(one.size, other.size) < most / 2) return 0;
  const [a, b] = [await read(one.sha), await read(other.sha)];
  if (isBinary(a) || isBinary(b)) return 0;
  const left = new Map<string, number>();
  for (const line of toLines(a)) left.set(line, (left.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of toLines(b)) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    common += line.length;
  }
  return common / most;
}
