import { basename } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import { type SetUp, setUpOf } from '../../protocol/channels/session/setUp.ts';
import type { WorktreeHold, WorktreeSize } from '../../protocol/channels/session/worktrees.ts';
import type { Params, Result } from '../../protocol/methods.ts';
import { hasFlag, status } from '../../protocol/status.ts';
import { openGit } from '../changes/git/git.ts';
import { projectOf } from '../changes/git/project.ts';
import { ownBranch } from '../changes/git/worktrees.ts';
import { type FoundTree, foundTrees, holdsOf, repositoryOfTree, treeAround } from '../changes/worktrees/foundTrees.ts';
import { treeSize } from '../changes/worktrees/treeSize.ts';
import { commitSession } from '../context/chatAccess.ts';
import type { EffectDeps, Requester } from '../context/effectDeps.ts';
import { isAtOrBelow, pathOf, realFolders, toFileUri, toRealPath } from '../context/paths.ts';
import { trustedWindow } from '../context/trustedWindow.ts';

/** How many trees Git looks at in parallel. */
const AT_ONCE = 4;
const SIZE_MS = 60_000;

export type WorktreesDeps = Pick<EffectDeps, 'storage' | 'store' | 'changes' | 'clock'>;

interface Tree extends FoundTree {
  readonly top: string;
  readonly sessions: readonly { readonly resource: string; readonly title: string }[];
}

/** A session and one of its folders, as it was named and as it is. */
interface Working {
  readonly resource: string;
  readonly title: string;
  readonly path: string;
  readonly real: string;
}

/**
 * The worktrees that were made for sessions, including sessions that were deleted since. They are read from the disk, and
 * nothing else is stored about them.
 */
export class Worktrees {
  readonly #deps: WorktreesDeps;
  readonly #git = openGit(process.env);
  readonly #sizes = new Map<string, { readonly size: Promise<WorktreeSize>; readonly atMs: number }>();
  /** Trees are measured one at a time. */
  #measuring: Promise<unknown> = Promise.resolve();

  constructor(deps: WorktreesDeps) {
    this.#deps = deps;
  }

  /** @throws {Fault} `not_trusted` */
  async list(
    { folders, pinned }: Params<'x-switchboard/worktrees'>,
    requester: Requester,
  ): Promise<Result<'x-switchboard/worktrees'>> {
    trustedWindow(requester);
    const working = await this.#working();
    const trees = await this.#trees(await this.#repositories(folders, working), working);
    const pins = new Set(pinned);
    const items = await inOrder(trees, async (tree) => {
      const { path, top, branch, sessions } = tree;
      return {
        worktree: toFileUri(path),
        repository: toFileUri(top),
        ...(branch !== undefined && { branch }),
        sessions: [...sessions],
        ...this.#setUp(tree),
        holds: await this.#holds(tree, pins),
      };
    });
    return { items };
  }

  /** @throws {Fault} `not_trusted`, `not_found` */
  async size({ worktree, again }: Params<'x-switchboard/worktreeSize'>, requester: Requester): Promise<WorktreeSize> {
    trustedWindow(requester);
    const { path } = await this.#require(worktree);
    const nowMs = this.#deps.clock.monotonicMs();
    const known = this.#sizes.get(path);
    if (known && !again && nowMs - known.atMs < SIZE_MS) return known.size;
    const size = this.#measuring.then(() => treeSize(path));
    this.#measuring = size.catch(() => undefined);
    this.#sizes.set(path, { size, atMs: nowMs });
    size.catch(() => this.#sizes.delete(path));
    return size;
  }

  /** Each is checked again before it is removed. @throws {Fault} `not_trusted` */
  async remove(
    { worktrees, pinned }: Params<'x-switchboard/worktreesRemove'>,
    requester: Requester,
  ): Promise<Result<'x-switchboard/worktreesRemove'>> {
    trustedWindow(requester);
    const pins = new Set(pinned);
    const removed: string[] = [];
    const kept: { worktree: string; holds: WorktreeHold[] }[] = [];
    for (const worktree of worktrees) {
      const tree = await this.#find(worktree);
      if (!tree) continue; // somebody else removed it
      const holds = await this.#holds(tree, pins);
      const isGone = holds.length === 0 && (await this.#removeOne(tree));
      if (isGone) removed.push(worktree);
      else kept.push({ worktree, holds: holds.length === 0 ? [{ kind: 'unreadable' }] : holds });
    }
    return { removed, kept };
  }

  async #removeOne({ path, top, sessions }: Tree): Promise<boolean> {
    const { store, changes } = this.#deps;
    const isActive = (it: string) =>
      !hasFlag(store.state('session', it)?.status ?? status.IsArchived, status.IsArchived);
    const archived = sessions.map((it) => it.resource).filter(isActive);
    // Archiving a session releases its agents, which have the folder open.
    for (const it of archived) commitSession(store, it, { type: 'session/isArchivedChanged', isArchived: true });
    await store.settled();
    const own = { worktree: toFileUri(path), repository: toFileUri(top), branch: ownBranch(basename(path)) };
    const isGone = (await changes.removeWorktree(own)) === undefined;
    if (isGone) this.#sizes.delete(path);
    else
      for (const it of archived.filter((it) => store.has(it)))
        commitSession(store, it, { type: 'session/isArchivedChanged', isArchived: false });
    await store.settled();
    return isGone;
  }

  async #holds(tree: Tree, pins: ReadonlySet<string>): Promise<WorktreeHold[]> {
    const { store } = this.#deps;
    const isInRace = tree.sessions.some((it) => store.state('session', it.resource)?._meta?.['race'] !== undefined);
    const isPinned = tree.isLocked || tree.sessions.some((it) => pins.has(it.resource));
    return [
      ...(this.#isRunning(tree) ? [{ kind: 'running' } as const] : []),
      ...(await holdsOf(this.#git, tree)),
      ...(isInRace ? [{ kind: 'race' } as const] : []),
      ...(isPinned ? [{ kind: 'pinned' } as const] : []),
    ];
  }

  #isRunning(tree: Tree): boolean {
    const { store } = this.#deps;
    const isInTurn = (session: string) => hasFlag(store.state('session', session)?.status ?? 0, status.InProgress);
    return tree.sessions.some((it) => isInTurn(it.resource)) || this.#setUp(tree)?.setUp.state === 'running';
  }

  #setUp({ sessions }: Tree): { readonly setUp: SetUp } | undefined {
    const { store } = this.#deps;
    const [setUp] = sessions.flatMap((it) => setUpOf(store.state('session', it.resource)?._meta) ?? []);
    return setUp && { setUp };
  }

  /** The folders in such trees in which sessions work. */
  async #working(): Promise<Working[]> {
    const found = this.#deps.storage.sessions.inTrees().map(async ({ session, folder, title }) => {
      const path = pathOf(folder);
      return path === undefined ? [] : [{ resource: session, title, path, real: await toRealPath(path) }];
    });
    return (await Promise.all(found)).flat();
  }

  /** The repositories of sessions that work in such trees, and of the folders. */
  async #repositories(folders: readonly string[], working: readonly Working[]): Promise<string[]> {
    const ofSessions = working.flatMap((it) => treeAround(it.path) ?? []);
    const tops = new Set(await Promise.all(ofSessions.map((it) => toRealPath(repositoryOfTree(it) ?? it))));
    for (const it of await realFolders(folders)) {
      const top = pathOf((await projectOf(it)).uri);
      if (top !== undefined) tops.add(top);
    }
    const real = await realFolders([...tops].map(toFileUri));
    return real.sort();
  }

  async #trees(tops: readonly string[], working: readonly Working[]): Promise<Tree[]> {
    const paths = new Set(working.flatMap((it) => treeAround(it.real) ?? []));
    const all = await inOrder(tops, async (top) => {
      const found = await foundTrees(this.#git, top, paths);
      return found.map((tree) => {
        const own = working.filter((it) => isAtOrBelow(it.real, tree.path));
        const sessions = own.map(({ resource, title }) => ({ resource, title }));
        return { ...tree, top, sessions };
      });
    });
    return all.flat();
  }

  async #find(worktree: string): Promise<Tree | undefined> {
    const path = pathOf(worktree);
    const top = path === undefined ? undefined : repositoryOfTree(path);
    const [real] = top === undefined ? [] : await realFolders([toFileUri(top)]);
    const trees = real === undefined ? [] : await this.#trees([real], await this.#working());
    return trees.find((it) => toFileUri(it.path) === worktree);
  }

  /** @throws {Fault} `not_found` */
  async #require(worktree: string): Promise<Tree> {
    const tree = await this.#find(worktree);
    if (!tree) throw new Fault('not_found', 'The worktree was moved or deleted.');
    return tree;
  }
}

/** Runs a few at a time, and returns the results in the order of `all`. */
async function inOrder<T, R>(all: readonly T[], work: (it: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    results.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  return results;
}
