import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import type { Timers } from '../../../platform/timers.ts';
import type { Git } from '../git/git.ts';
import { openGitBaseline } from '../git/gitBaseline.ts';
import { findRepository, ShadowRepository } from '../git/shadowRepository.ts';
import type { Baseline } from '../snapshots/baseline.ts';
import type { ContentStore } from '../snapshots/contentStore.ts';
import type { FileReader, FileState } from '../snapshots/fileState.ts';
import { isBelow } from '../snapshots/insideFolders.ts';
import { WalkedFolder, type WalkLimits } from '../snapshots/walkBaseline.ts';

export interface BaselinesDeps {
  readonly git: Git;
  /** Holds copies and git directories of ours. Only a cache: emptied at every start. */
  readonly folder: string;
  readonly content: ContentStore;
  readonly reader: FileReader;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly timers: Pick<Timers, 'soon'>;
  readonly limits?: WalkLimits;
  readonly report: (thrown: unknown) => void;
}

/** Keeps what makes the second baseline of a folder cheap. */
export class Baselines {
  readonly #deps: BaselinesDeps;
  readonly #shadows = new Map<string, ShadowRepository>();
  readonly #walked = new Map<string, WalkedFolder>();
  #isEmptied: Promise<void> | undefined;

  constructor(deps: BaselinesDeps) {
    this.#deps = deps;
  }

  /** One baseline for all of `folders`. A folder that cannot be looked at becomes a notice. */
  async open(folders: readonly string[]): Promise<Baseline> {
    await (this.#isEmptied ??= this.#empty());
    const parts: Baseline[] = [];
    const outer = folders.filter((it) => !folders.some((other) => isBelow(it, other)));
    for (const folder of new Set(outer)) {
      try {
        parts.push(...(await this.#openFolder(folder, 0)));
      } catch (thrown) {
        this.#deps.report(thrown);
        parts.push(blind(`Changes in ${basename(folder)} are not shown because the folder could not be read.`));
      }
    }
    return joined(parts);
  }

  async #empty(): Promise<void> {
    try {
      await rm(this.#deps.folder, { recursive: true, force: true });
    } catch (thrown) {
      this.#isEmptied = undefined; // the next turn tries again
      throw thrown;
    }
  }

  async #openFolder(folder: string, depth: number): Promise<Baseline[]> {
    const { git, content, reader, clock, timers } = this.#deps;
    const startedMs = clock.nowMs();
    const repository = await findRepository(git, folder);
    if (!repository) return [await this.#walkedFolder(folder).open(content)];
    let shadow = this.#shadows.get(repository.top);
    if (!shadow)
      this.#shadows.set(
        repository.top,
        (shadow = new ShadowRepository(git, this.#deps.folder, repository, reader.maxBytes)),
      );
    try {
      const { baseline, nested } = await openGitBaseline({
        shadow,
        content,
        reader,
        startedMs,
        timers,
        scopes: [folder],
      });
      const inner: Baseline[] = [];
      const below = depth < 3 ? nested.filter((it) => isBelow(it, folder)) : [];
      for (const it of below) if (await isFolder(git, it)) inner.push(...(await this.#openFolder(it, depth + 1)));
      return [baseline, ...inner];
    } catch (thrown) {
      // A git too old or a repository too odd: looked at like any other folder.
      this.#deps.report(thrown);
      this.#shadows.delete(repository.top);
      return [await this.#walkedFolder(folder).open(content)];
    }
  }

  #walkedFolder(folder: string): WalkedFolder {
    const { clock, reader, limits } = this.#deps;
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 24);
    let walked = this.#walked.get(folder);
    if (!walked) {
      walked = new WalkedFolder(folder, join(this.#deps.folder, `copies-${name}`), clock, reader.maxBytes, limits);
      this.#walked.set(folder, walked);
    }
    return walked;
  }
}

/** A submodule that was never checked out is an empty folder of the outer repository. */
async function isFolder(git: Git, path: string): Promise<boolean> {
  return (await findRepository(git, path))?.top === path;
}

function joined(parts: readonly Baseline[]): Baseline {
  return {
    get notices() {
      return parts.flatMap((it) => it.notices);
    },
    async changes() {
      const all = new Map<string, FileState>();
      for (const part of parts) for (const [path, before] of await part.changes()) all.set(path, before);
      return all;
    },
  };
}

function blind(notice: string): Baseline {
  return { notices: [notice], changes: async () => new Map() };
}
