import type {
  ChangesetAction,
  ChangesetFile,
  ChangesetOperation,
  ChangesetState,
} from '../../../protocol/channels/changeset/schema.ts';
import type { FileEdit } from '../../../protocol/shared.ts';
import type { Store } from '../../state/store.ts';
import { type FileState, isKept, sameState } from '../snapshots/fileState.ts';
import { type PathChange, toChangesetFile, toPathChanges } from '../snapshots/pathChange.ts';
import type { LineCounter } from './countChanges.ts';
import { findRenames } from './renames.ts';
import { operationsFor, readUndone, type UndoneFile } from './undone.ts';

/** The part of the store that changesets need. */
export type ChangesetStore = Pick<Store, 'commit' | 'create' | 'has' | 'state'>;

export interface LedgerDeps {
  readonly store: ChangesetStore;
  readonly counter: LineCounter;
  readonly read: (sha: string) => Promise<Uint8Array>;
  /** Notes that a session refers to a content, so that it is not collected. */
  readonly remember: (session: string, sha: string, size: number) => void;
}

/** One changeset: its state in the store is all there is, so it is the same after a restart. */
export class ChangesetLedger {
  readonly channel: string;
  readonly session: string;
  readonly #deps: LedgerDeps;

  constructor(deps: LedgerDeps, session: string, channel: string) {
    this.#deps = deps;
    this.session = session;
    this.channel = channel;
  }

  /** @returns whether it was not there yet */
  create(): boolean {
    if (this.#deps.store.has(this.channel)) return false;
    const state: ChangesetState = { status: 'ready', files: [], operations: operationsFor([], [], false, false) };
    this.#deps.store.create('changeset', this.channel, state, { session: this.session }, true);
    return true;
  }

  /** For a view: nothing is known yet. */
  createView(): void {
    const state: ChangesetState = { status: 'computing', files: [], operations: [] };
    this.#deps.store.create('changeset', this.channel, state, { session: this.session }, true);
  }

  get state(): ChangesetState {
    return this.#deps.store.state('changeset', this.channel) ?? { status: 'ready', files: [] };
  }
  get undone(): readonly UndoneFile[] {
    return readUndone(this.state.operations ?? []);
  }
  /** What is undone next gets this number. */
  get nextBatch(): number {
    return Math.max(0, ...this.undone.map((it) => it.batch)) + 1;
  }
  /** Its folders were in a repository when its last turn began. */
  get isInGit(): boolean {
    return this.state.operations?.some((it) => it.id === 'commit') === true;
  }
  changes(): Map<string, PathChange> {
    return new Map(this.state.files.flatMap((file) => toPathChanges(file).map((it) => [it.path, it] as const)));
  }
  /** The file that speaks about `path`, on either side. */
  fileOf(path: string): ChangesetFile | undefined {
    return this.state.files.find((it) => toPathChanges(it).some((change) => change.path === path));
  }

  /** Puts changes in; one whose sides are the same takes the file out. */
  async put(changed: readonly PathChange[]): Promise<void> {
    if (changed.length === 0) return;
    const all = this.changes();
    for (const it of changed) {
      if (sameState(it.before, it.after)) all.delete(it.path);
      else all.set(it.path, it);
    }
    this.#remember(changed.flatMap((it) => [it.before, it.after]));
    const target = await this.#toFiles([...all.values()]);
    this.#commitDifference(target);
  }

  /** These changes and no others. */
  async replace(changes: readonly PathChange[]): Promise<void> {
    this.#remember(changes.flatMap((it) => [it.before, it.after]));
    this.show(await this.#describe(changes));
  }

  /** These files and no others. A review is of the bytes that it saw. */
  show(files: readonly ChangesetFile[]): void {
    const known = new Map(this.state.files.map((it) => [it.id, it]));
    const reviewed = files.map((file) => {
      const old = known.get(file.id);
      const isSeen = old?.reviewed === true && isSame(sidesOf(old), sidesOf(file));
      return isSeen ? { ...file, reviewed: true } : file;
    });
    this.#commitDifference(reviewed);
  }

  setStatus(status: 'computing' | 'recomputing' | 'ready'): void {
    if (this.state.status !== status) this.commit({ type: 'changeset/statusChanged', status });
  }

  /** Says which operations are there now, with what can be undone once. */
  setOperations(isRunning: boolean, undone: readonly UndoneFile[] = this.undone, isInGit = this.isInGit): void {
    this.#remember(undone.flatMap((it) => [it.restored, it.replaced]));
    this.offerOperations(operationsFor(this.state.files, undone, isRunning, isInGit));
  }

  /** Commits these operations where they differ from those that are offered. */
  offerOperations(operations: ChangesetOperation[]): void {
    if (!isSame(operations, this.state.operations)) this.commit({ type: 'changeset/operationsChanged', operations });
  }

  setReviewed(ids: readonly string[]): void {
    const files = this.state.files.filter((it) => ids.includes(it.id) && !it.reviewed).map((it) => it.id);
    if (files.length > 0) this.commit({ type: 'changeset/filesReviewChanged', files, reviewed: true });
  }

  commit(action: ChangesetAction): void {
    this.#deps.store.commit(this.channel, action);
  }

  /** Changes as files with their counts, renames put together; they need not be those of this changeset. */
  async describe(changes: readonly PathChange[]): Promise<readonly ChangesetFile[]> {
    this.#remember(changes.flatMap((it) => [it.before, it.after]));
    return this.#describe(changes);
  }
  /** The same as edits. */
  async editsOf(changes: readonly PathChange[]): Promise<FileEdit[]> {
    return (await this.describe(changes)).map((it) => it.edit);
  }

  #remember(states: readonly FileState[]): void {
    for (const state of states) if (isKept(state)) this.#deps.remember(this.session, state.sha, state.size);
  }

  async #toFiles(changes: readonly PathChange[]): Promise<ChangesetFile[]> {
    const known = new Map(this.state.files.map((it) => [it.id, it]));
    return (await this.#describe(changes)).map((file) => {
      const old = known.get(file.id);
      // A review is of the bytes that it saw.
      const isSeen = old?.reviewed === true && isSame(old._meta?.['after'], file._meta?.['after']);
      return isSeen ? { ...file, reviewed: true } : file;
    });
  }

  async #describe(changes: readonly PathChange[]): Promise<ChangesetFile[]> {
    const renames = await findRenames(changes, this.#deps.read);
    const merged = new Set([...renames.values()].map((it) => it.path));
    const shown = changes.filter((it) => !merged.has(it.path));
    const counts = await this.#deps.counter.count(
      shown.map((it) => ({ before: (renames.get(it.path) ?? it).before, after: it.after })),
    );
    return shown.map((it, n) => toChangesetFile(it, renames.get(it.path), counts[n] ?? undefined));
  }

  #commitDifference(target: readonly ChangesetFile[]): void {
    const now = this.state.files;
    const ids = new Set(target.map((it) => it.id));
    const removed = now.filter((it) => !ids.has(it.id));
    const set = target.filter(
      (file) =>
        !isSame(
          now.find((it) => it.id === file.id),
          file,
        ),
    );
    if (removed.length + set.length > 100) return this.commit({ type: 'changeset/contentChanged', files: [...target] });
    for (const { id } of removed) this.commit({ type: 'changeset/fileRemoved', fileId: id });
    for (const file of set) this.commit({ type: 'changeset/fileSet', file });
  }
}

function sidesOf({ edit }: ChangesetFile): readonly unknown[] {
  return [edit.before?.content.nonce, edit.after?.content.nonce, edit.before?.uri, edit.after?.uri];
}

/** Both are plain data made by the same code, so members come in the same order. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
