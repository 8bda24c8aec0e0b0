import { basename } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import type { ChangesetLedger } from './changesetLedger.ts';
import { writeDisk } from './diskWriter.ts';
import { type FileReader, type FileState, isKept, sameState } from './fileState.ts';
import { isBelow, requireInside } from './insideFolders.ts';
import { fileUri, type PathChange } from './pathChange.ts';
import type { UndoneFile } from './undone.ts';

export interface UndoDeps {
  readonly reader: FileReader;
  readonly read: (sha: string) => Promise<Uint8Array>;
  readonly folders: readonly string[];
  readonly ledger: ChangesetLedger;
  /** Told what an operation did, so that other changesets of the session stay true. */
  readonly onWritten: (written: readonly Written[]) => Promise<void>;
}

/** What an operation did to one path. */
export interface Written {
  readonly kind: 'undo' | 'part' | 'redo';
  readonly path: string;
  /** What the changeset held for it, and what it holds now. */
  readonly from: FileState;
  readonly to: FileState;
  /** What was on the disk, which a person may have changed since. */
  readonly replaced: FileState;
}

/** One path, what the disk must hold, and what it gets. */
interface Step {
  readonly path: string;
  readonly expected: FileState;
  readonly wanted: FileState;
  readonly newFolders: number;
}
interface Judged extends Step {
  readonly found: FileState;
}

/**
 * Puts back what was there before the agent. All files are looked at before the first is written, so a conflict leaves
 * everything as it is.
 * @param overwrite also where the disk holds something else by now
 */
export async function undoChanges(deps: UndoDeps, changes: readonly PathChange[], overwrite: boolean): Promise<void> {
  const { ledger } = deps;
  const steps = changes.map((it) => ({
    path: it.path,
    expected: it.after,
    wanted: it.before,
    newFolders: it.newFolders ?? 0,
  }));
  const judged = await judgeSteps(deps, steps, overwrite);
  const batch = Math.max(0, ...ledger.undone.map((it) => it.batch)) + 1;
  const paths = new Set(changes.map((it) => it.path));
  const undone: UndoneFile[] = ledger.undone.filter((it) => !paths.has(it.path));
  const byPath = new Map(changes.map((it) => [it.path, it]));
  await writeSteps(deps, judged, async (done) => {
    for (const { path, wanted, found } of done) {
      undone.push({ path, batch, restored: wanted, replaced: found, change: byPath.get(path)! });
    }
    const gone = done.map(({ path }) => byPath.get(path)!);
    await ledger.put(gone.map((it) => ({ ...it, after: it.before })));
    ledger.setOperations(false, undone);
    const found = new Map(done.map((it) => [it.path, it.found]));
    await deps.onWritten(
      gone.map((it) => ({
        kind: 'undo',
        path: it.path,
        from: it.after,
        to: it.before,
        replaced: found.get(it.path) ?? it.after,
      })),
    );
  });
}

/** Puts a file to `content`, a state between before and after, when the disk holds the agent's after. */
export async function writePart(deps: UndoDeps, change: PathChange, content: FileState): Promise<void> {
  const { ledger } = deps;
  const step = { path: change.path, expected: change.after, wanted: content, newFolders: 0 };
  const judged = await judgeSteps(deps, [step], false);
  const batch = Math.max(0, ...ledger.undone.map((it) => it.batch)) + 1;
  await writeSteps(deps, judged, async (done) => {
    const others = ledger.undone.filter((it) => it.path !== change.path);
    const undone = done.map(({ path, found }) => ({ path, batch, restored: content, replaced: found, change }));
    await ledger.put(done.map(() => ({ ...change, after: content })));
    ledger.setOperations(false, [...others, ...undone]);
    await deps.onWritten(
      done.map(({ path, found }) => ({ kind: 'part', path, from: change.after, to: content, replaced: found })),
    );
  });
}

/** Takes an undo back: what it replaced is on the disk again, and in the changeset. */
export async function redoChanges(deps: UndoDeps, undone: readonly UndoneFile[]): Promise<void> {
  const { ledger } = deps;
  const steps = undone.map((it) => ({
    path: it.path,
    expected: it.restored,
    wanted: it.replaced,
    newFolders: it.change.newFolders ?? 0,
  }));
  const byPath = new Map(undone.map((it) => [it.path, it]));
  await writeSteps(deps, await judgeSteps(deps, steps, false), async (done) => {
    const paths = new Set(done.map((it) => it.path));
    await ledger.put(done.map((it) => byPath.get(it.path)!.change));
    const left = ledger.undone.filter((it) => !paths.has(it.path));
    ledger.setOperations(false, left);
    const ofPath = (path: string) => byPath.get(path)!;
    await deps.onWritten(
      done.map(({ path, found }) => ({
        kind: 'redo',
        path,
        from: ofPath(path).restored,
        to: ofPath(path).change.after,
        replaced: found,
      })),
    );
  });
}

async function judgeSteps(deps: UndoDeps, steps: readonly Step[], overwrite: boolean): Promise<Judged[]> {
  const judged: Judged[] = [];
  const conflicts: { uri: string; name: string }[] = [];
  for (const step of steps) {
    const name = basename(step.path);
    if (isKept(step.wanted) && step.wanted.notKept) {
      throw new Fault(
        'unavailable',
        `${name} was not kept (${reasons[step.wanted.notKept]}), so it cannot be put back.`,
      );
    }
    const path = await requireInside(step.path, deps.folders);
    const found = await deps.reader.read(path);
    const isFine = sameState(found, step.expected) || sameState(found, step.wanted);
    // A folder where a file was is no obstacle when all in it goes in the same breath; if not, writing says so.
    const isMakingRoom = found.kind === 'other' && steps.some((it) => isBelow(it.path, step.path));
    if (isMakingRoom) judged.push({ ...step, path, found: { kind: 'absent' } });
    else if (isFine || (overwrite && found.kind !== 'other' && !(isKept(found) && found.notKept)))
      judged.push({ ...step, path, found });
    else conflicts.push({ uri: fileUri(step.path), name });
  }
  if (conflicts.length === 0) return judged;
  const names = conflicts
    .slice(0, 3)
    .map((it) => it.name)
    .join(', ');
  const more = conflicts.length > 3 ? ` and ${conflicts.length - 3} more` : '';
  throw new Fault('conflict', `${names}${more} changed since the agent wrote it. Nothing was undone.`, {
    data: { conflicts },
  });
}

/**
 * Removals first: a file may have to make room for a folder of the same name, or a folder for a file. When one cannot be
 * written, what was done before it is told all the same.
 */
async function writeSteps(
  deps: UndoDeps,
  steps: readonly Judged[],
  onDone: (done: readonly Judged[]) => Promise<void>,
): Promise<void> {
  const done: Judged[] = [];
  try {
    for (const step of [...steps.filter((it) => !isKept(it.wanted)), ...steps.filter((it) => isKept(it.wanted))]) {
      if (!sameState(step.found, step.wanted)) {
        await writeStep(deps, step);
      }
      done.push(step);
    }
  } finally {
    await onDone(done);
  }
}

async function writeStep(deps: UndoDeps, { path, wanted, newFolders }: Judged): Promise<void> {
  try {
    await writeDisk(path, wanted, deps.folders, deps.read, newFolders);
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    throw new Fault('unavailable', `${basename(path)} could not be written.`, { cause: thrown });
  }
}

const reasons = {
  tooLarge: 'it is too large',
  unreadable: 'it could not be read',
  overBudget: 'its folder is too large to be copied',
};
