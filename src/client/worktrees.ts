import type { WorktreeInfo, WorktreeSize } from '../../sidecar/protocol/channels/session/worktrees.ts';
import { Listeners } from './listeners.ts';
import type { Disposable, HostPort } from './port.ts';

interface WorktreesDeps {
  readonly port: Pick<HostPort, 'request'>;
  /** URIs of the folders whose repositories are looked at. */
  folders(): readonly string[];
  pins(): ReadonlySet<string>;
  /** Whether somebody sees the sizes. */
  isShown(): boolean;
}

export interface MeasuredTree extends WorktreeInfo {
  /** Absent until the host measured it. */
  readonly size?: WorktreeSize;
}

/** The worktrees that the host of this machine last listed, and their sizes, which arrive one at a time. */
export class WorktreeList {
  readonly #deps: WorktreesDeps;
  readonly #changed = new Listeners<void>();
  readonly #sizes = new Map<string, WorktreeSize>();
  #items: readonly WorktreeInfo[] = [];
  #fetching: Promise<void> | undefined;
  #isStale = false;
  #isMeasuring = false;
  /** Whether those that the host measured a moment ago are measured again, too. */
  #again = false;

  constructor(deps: WorktreesDeps) {
    this.#deps = deps;
  }

  readonly onDidChange = (listener: () => void): Disposable => this.#changed.add(listener);

  get items(): readonly MeasuredTree[] {
    return this.#items.map((it) => {
      const size = this.#sizes.get(it.worktree);
      return size ? { ...it, size } : it;
    });
  }

  /** Requests the list. A caller that asks during a request gets the list of the next one. */
  fetch(): Promise<void> {
    if (this.#fetching) this.#isStale = true;
    this.#fetching ??= this.#fetchAll().finally(() => void (this.#fetching = undefined));
    return this.#fetching;
  }

  /** Asks for the list, and then for the sizes that are missing. */
  async look(): Promise<void> {
    await this.fetch();
    await this.#measure();
  }

  /** Measures all again, too. */
  async refresh(): Promise<void> {
    this.#sizes.clear();
    this.#again = true;
    await this.look();
  }

  /** Removes those of the worktrees in which nothing is lost. */
  async remove(worktrees: readonly string[]) {
    const pinned = [...this.#deps.pins()];
    const answer = await this.#deps.port.request('x-switchboard/worktreesRemove', {
      worktrees: [...worktrees],
      pinned,
    });
    await this.fetch();
    return answer;
  }

  async #fetchAll(): Promise<void> {
    do {
      this.#isStale = false;
      const { folders, pins, port } = this.#deps;
      const asked = { folders: [...folders()], pinned: [...pins()] };
      this.#items = (await port.request('x-switchboard/worktrees', asked)).items;
    } while (this.#isStale);
    this.#changed.fire();
  }

  /** Measures those whose size is not known, and those that are added in the meantime. */
  async #measure(): Promise<void> {
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    // One that was removed in the meantime has no size, and is not in the next list.
    const failed = new Set<string>();
    try {
      while (this.#deps.isShown()) {
        const next = this.#items.find((it) => !this.#sizes.has(it.worktree) && !failed.has(it.worktree));
        if (!next) {
          this.#again = false;
          return;
        }
        const asked = { worktree: next.worktree, again: this.#again };
        const size = await this.#deps.port.request('x-switchboard/worktreeSize', asked).catch(() => undefined);
        if (!size) failed.add(next.worktree);
        else {
          this.#sizes.set(next.worktree, size);
          this.#changed.fire();
        }
      }
    } finally {
      this.#isMeasuring = false;
    }
  }
}
