import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, zFields } from '../git/git.ts';
import type { FileState } from '../snapshots/fileState.ts';
import { isKept } from '../snapshots/fileState.ts';
import { countLines, countPlain, type LineCounts } from '../snapshots/lineCounts.ts';

export interface CountDeps {
  readonly git: Git;
  readonly read: (sha: string) => Promise<Uint8Array>;
  /** For the files that git compares; made and emptied here. */
  readonly temporary: string;
}
export interface Pair {
  readonly before: FileState;
  readonly after: FileState;
}

/** Counts lines as `git diff --numstat` does, by asking it where there is more than one way to count. */
export class LineCounter {
  readonly #deps: CountDeps;
  readonly #known = new Map<string, LineCounts | null>();

  constructor(deps: CountDeps) {
    this.#deps = deps;
  }

  /** In the order of `pairs`; `null` for what has no lines (binary, or not kept). */
  async count(pairs: readonly Pair[]): Promise<(LineCounts | null)[]> {
    const hard = new Map<string, { before: Uint8Array; after: Uint8Array }>();
    for (const pair of pairs) {
      const key = keyOf(pair);
      if (this.#known.has(key) || hard.has(key)) continue;
      if ([pair.before, pair.after].some((it) => isKept(it) && it.notKept)) {
        this.#known.set(key, null);
        continue;
      }
      const [before, after] = [await this.#bytes(pair.before), await this.#bytes(pair.after)];
      const counted = countPlain(before, after);
      if (counted === undefined) hard.set(key, { before, after });
      else this.#known.set(key, counted);
    }
    for (const [key, counted] of await this.#askGit(hard)) this.#known.set(key, counted);
    const counts = pairs.map((it) => this.#known.get(keyOf(it)) ?? null);
    if (this.#known.size > 5_000) this.#known.clear();
    return counts;
  }

  async #bytes(state: FileState): Promise<Uint8Array> {
    return isKept(state) ? this.#deps.read(state.sha) : new Uint8Array();
  }

  async #askGit(hard: ReadonlyMap<string, { before: Uint8Array; after: Uint8Array }>) {
    const counted = new Map([...hard].map(([key, it]) => [key, countLinesLater(it)] as const));
    const answers = new Map<string, LineCounts>();
    if (hard.size > 0) {
      const found = await this.#numstat([...hard.values()]);
      [...hard.keys()].forEach((key, n) => {
        answers.set(key, found?.[n] ?? counted.get(key)!());
      });
    }
    return answers;
  }

  async #numstat(
    pairs: readonly { before: Uint8Array; after: Uint8Array }[],
  ): Promise<(LineCounts | undefined)[] | undefined> {
    await mkdir(this.#deps.temporary, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(this.#deps.temporary, 'count-'));
    try {
      await mkdir(join(folder, 'a'));
      await mkdir(join(folder, 'b'));
      for (const [n, { before, after }] of pairs.entries()) {
        await writeFile(join(folder, 'a', String(n)), before, { mode: 0o600 });
        await writeFile(join(folder, 'b', String(n)), after, { mode: 0o600 });
      }
      const args = [
        '-c',
        'core.attributesFile=/dev/null',
        '-c',
        'core.autocrlf=false',
        'diff',
        '--no-index',
        '--no-renames',
        '--numstat',
        '-z',
        'a',
        'b',
      ];
      const { code, stdout } = await this.#deps.git(args, { cwd: folder });
      if (code !== 0 && code !== 1) return undefined;
      const counts: (LineCounts | undefined)[] = [];
      // Each entry: counts and an empty name, then the two names.
      const fields = zFields(stdout);
      for (let at = 0; at + 2 < fields.length; at += 3) {
        const [added, removed] = fields[at]!.split('\t');
        counts[Number(fields[at + 2]!.slice(2))] = { added: Number(added), removed: Number(removed) };
      }
      return counts;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function countLinesLater({ before, after }: { before: Uint8Array; after: Uint8Array }): () => LineCounts {
  return () => countLines(before, after);
}

function keyOf({ before, after }: Pair): string {
  return `${isKept(before) ? before.sha : '-'} ${isKept(after) ? after.sha : '-'}`;
}
