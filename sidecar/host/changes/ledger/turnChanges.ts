import { basename, dirname } from 'node:path';
import type { FileEdit } from '../../../protocol/shared.ts';
import type { TurnChanges } from '../changes.ts';
import type { Baseline } from '../snapshots/baseline.ts';
import { absent, type FileReader, type FileState, isKept, sameState, statOf } from '../snapshots/fileState.ts';
import { isBelow, realInside } from '../snapshots/insideFolders.ts';
import { openWays } from '../snapshots/openWays.ts';
import type { PathChange } from '../snapshots/pathChange.ts';
import type { ChangesetLedger } from './changesetLedger.ts';

export interface TurnDeps {
  readonly folders: readonly string[];
  readonly baseline: Baseline;
  readonly reader: FileReader;
  readonly turn: ChangesetLedger;
  readonly session: ChangesetLedger;
  /** The clock when the baseline was complete. */
  readonly startedMs: number;
  /** One at a time for a session. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** After the session's changeset changed. */
  readonly onSettled: () => void;
  readonly onEnd: () => void;
  readonly report: (thrown: unknown) => void;
}

/** Compares the disk with what was there before, for one turn. */
export class RunningTurn implements TurnChanges {
  readonly #deps: TurnDeps;
  /** The oldest state known of a path in this turn. */
  readonly #before = new Map<string, FileState>();
  readonly #captured = new Map<string, FileState>();
  /** The oldest state known in the session: a file that came back to it in this turn may leave it again. */
  readonly #beforeSession = new Map<string, FileState>();
  /** What the last look saw of each path that ever differed. */
  readonly #seen = new Map<string, FileState>();
  /** By tool call: what its files held when it began. */
  readonly #began = new Map<string, Map<string, FileState>>();
  readonly #notices = new Set<string>();
  #isEnded = false;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
  }

  get notices(): readonly string[] {
    return [...this.#deps.baseline.notices, ...this.#notices];
  }

  capture(paths: readonly string[]): Promise<void> {
    return this.#deps.inTurn(async () => {
      for (const named of paths) {
        const path = await realInside(named, this.#deps.folders);
        if (path === undefined || this.#captured.has(path)) continue;
        this.#captured.set(path, await this.#deps.reader.read(path));
      }
    });
  }

  settle(paths?: readonly string[]): Promise<readonly FileEdit[]> {
    return this.#deps.inTurn(async () => {
      await this.#look();
      return paths === undefined ? this.#edits([...this.#seen.keys()]) : this.#edits(await this.#realPaths(paths));
    });
  }

  async beginTool(toolCallId: string, paths: readonly string[]): Promise<void> {
    await this.capture(paths);
    await this.#deps.inTurn(async () => {
      const began = this.#began.get(toolCallId) ?? new Map<string, FileState>();
      this.#began.set(toolCallId, began);
      for (const path of await this.#realPaths(paths)) began.set(path, await this.#deps.reader.read(path));
    });
  }

  settleTool(toolCallId: string, paths: readonly string[]): Promise<readonly FileEdit[]> {
    return this.#deps.inTurn(async () => {
      const earlier = new Map(this.#seen);
      const moved = await this.#look();
      const atBegin = this.#began.get(toolCallId);
      this.#began.delete(toolCallId);
      const changes: PathChange[] = [];
      for (const path of new Set([...moved, ...(await this.#realPaths(paths))])) {
        const first = this.#before.get(path);
        if (!first) continue;
        const began = atBegin?.get(path) ?? earlier.get(path) ?? first;
        const before = began.kind === 'other' ? absent : began;
        const after = this.#seen.get(path) ?? first;
        if (!sameState(before, after)) changes.push({ path, before, after });
      }
      return this.#deps.turn.editsOf(changes);
    });
  }

  end(): Promise<void> {
    return this.#deps.inTurn(async () => {
      if (this.#isEnded) return;
      this.#isEnded = true;
      try {
        await this.#look();
      } finally {
        this.#deps.onEnd();
      }
    });
  }

  /** Answers the paths that moved since the look before. */
  async #look(): Promise<string[]> {
    const { baseline, reader, turn, session } = this.#deps;
    const found = await baseline.changes().catch((thrown: unknown) => {
      this.#deps.report(thrown);
      this.#notices.add('Some changes from this turn may be missing because the folder could not be compared.');
      return new Map<string, FileState>();
    });
    for (const [path, before] of found)
      if (!this.#before.has(path)) this.#before.set(path, this.#withBytes(before, this.#captured.get(path)));
    // What a tool named that is no file is nothing to go back to; a file that comes in its place is found as any other.
    for (const [path, before] of this.#captured)
      if (before.kind !== 'other' && !this.#before.has(path)) this.#before.set(path, before);
    const isOpen = openWays(this.#deps.folders);
    const moved: PathChange[] = [];
    for (const [path, before] of this.#before) {
      const state = (await isOpen(path)) ? await reader.read(path) : absent;
      const after: FileState = isKept(state) ? state : absent;
      const last = this.#seen.get(path) ?? before;
      if (sameState(last, after)) continue;
      this.#seen.set(path, after);
      moved.push({ path, before, after, ...(await this.#newFolders(path, before, after)) });
    }
    if (moved.length === 0) return [];
    await turn.put(moved);
    const earlier = session.changes();
    for (const { path, before } of moved) {
      const known = earlier.get(path)?.before ?? this.#beforeSession.get(path) ?? before;
      this.#beforeSession.set(path, known);
    }
    await session.put(moved.map((it) => ({ ...it, before: this.#beforeSession.get(it.path)! })));
    const paths = moved.map((it) => it.path);
    session.setOperations(
      true,
      session.undone.filter((it) => !paths.includes(it.path)),
    );
    turn.setOperations(true);
    this.#deps.onSettled();
    return paths;
  }

  /** Where the baseline has no bytes, those that a tool call kept before it wrote are what the file held. */
  #withBytes(before: FileState, captured: FileState | undefined): FileState {
    const isNotKept = isKept(before) && before.notKept !== undefined;
    return isNotKept && captured && isKept(captured) && !captured.notKept ? captured : before;
  }

  #edits(paths: readonly string[]): FileEdit[] {
    const files = new Set(paths.map((it) => this.#deps.turn.fileOf(it)));
    return [...files].flatMap((it) => (it ? [it.edit] : []));
  }

  async #realPaths(paths: readonly string[]): Promise<string[]> {
    const real: string[] = [];
    for (const path of paths) {
      const inside = await realInside(path, this.#deps.folders);
      if (inside !== undefined) real.push(inside);
    }
    return real;
  }

  /** Folders that came with a new file go with it when it is undone. */
  async #newFolders(path: string, before: FileState, after: FileState): Promise<{ newFolders?: number }> {
    if (isKept(before) || !isKept(after)) return {};
    let newFolders = 0;
    for (let at = dirname(path); this.#deps.folders.some((it) => isBelow(at, it)); at = dirname(at)) {
      const stats = await statOf(at);
      // The clock of a file system runs a few milliseconds behind.
      if (!stats || Number(stats.birthtimeMs) < this.#deps.startedMs - 10 || basename(at) === '.git') break;
      newFolders += 1;
    }
    return newFolders > 0 ? { newFolders } : {};
  }
}
