import { dirname } from 'node:path';
import { writeDisk } from '../snapshots/diskWriter.ts';
import { type FileReader, type FileState, isKept, sameState } from '../snapshots/fileState.ts';
import { realInside } from '../snapshots/insideFolders.ts';
import { changedSince, type LeftFile, notKept, toLeft } from '../snapshots/leftFile.ts';

/** One path, what the disk must hold, and what it gets. */
export interface Step {
  readonly path: string;
  readonly expected: FileState;
  readonly wanted: FileState;
  readonly newFolders: number;
}
export interface JudgedStep extends Step {
  /** What the disk held. */
  readonly found: FileState;
  /** A folder stands where the file goes, or on the way to it something that goes first. */
  readonly needsRoom: boolean;
}
export interface Applied {
  readonly done: readonly JudgedStep[];
  readonly left: readonly LeftFile[];
}
export interface ApplyDeps {
  readonly reader: FileReader;
  readonly read: (sha: string) => Promise<Uint8Array>;
  /** Absolute real paths. */
  readonly folders: readonly string[];
}

/**
 * Brings paths to what they are to hold, as many as can be; what cannot stays as it is, with the reason. All are looked at
 * before the first is written.
 * @param groups steps that are done together or not at all, as far as can be known before: the two sides of a rename
 * @param overwrite also where the disk holds something else than expected
 */
export async function applySteps(
  deps: ApplyDeps,
  groups: readonly (readonly Step[])[],
  overwrite: boolean,
): Promise<Applied> {
  const moving = new Set(groups.flat().map((it) => it.path));
  const left: LeftFile[] = [];
  const accepted: JudgedStep[] = [];
  const groupOf = new Map<JudgedStep, number>();
  for (const [n, group] of groups.entries()) {
    const verdicts: (JudgedStep | LeftFile)[] = [];
    for (const step of group) {
      const verdict = judge(deps, step, overwrite, moving);
      verdicts.push(await verdict.catch((thrown: unknown) => toLeft(step.path, thrown)));
    }
    const refused = verdicts.filter((it) => 'reason' in it);
    left.push(...refused);
    if (refused.length > 0) continue;
    for (const it of verdicts) {
      accepted.push(it as JudgedStep);
      groupOf.set(it as JudgedStep, n);
    }
  }
  const failed = new Set<number>();
  const done: JudgedStep[] = [];
  for (const { steps, isLast } of inOrder(accepted)) {
    for (const step of steps) {
      // The other side of a rename that could not be put back is not taken away.
      if (isLast && failed.has(groupOf.get(step)!)) continue;
      const refused = await write(deps, step);
      if (refused) failed.add(groupOf.get(step)!);
      if (refused) left.push(refused);
      else done.push(step);
    }
  }
  return { done, left };
}

async function judge(
  deps: ApplyDeps,
  step: Step,
  overwrite: boolean,
  moving: ReadonlySet<string>,
): Promise<JudgedStep | LeftFile> {
  const { path, expected, wanted } = step;
  const real = await realInside(path, deps.folders);
  const isOpen = real === path;
  if (!isOpen && !ancestors(path).some((it) => moving.has(it))) {
    const message = real === undefined ? "it is outside the session's folders" : 'its folder was replaced by a link';
    return { path, reason: 'refused', message };
  }
  const there = isOpen ? await deps.reader.read(path) : undefined;
  const isBlocked = there === undefined || (there.kind === 'other' && expected.kind === 'absent' && isKept(wanted));
  const found: FileState = isBlocked ? { kind: 'absent' } : there;
  const judged = { ...step, found, needsRoom: isBlocked };
  if (sameState(found, wanted)) return judged;
  if (isKept(wanted) && wanted.notKept) return notKept(path, wanted.notKept);
  if (sameState(found, expected)) return judged;
  if (!overwrite || found.kind === 'other') return changedSince(path);
  if (!isKept(found) || !found.notKept) return judged;
  return {
    path,
    reason: 'conflict',
    message: 'it has changed since then, and overwriting it would lose its current content, which cannot be saved',
  };
}

async function write(deps: ApplyDeps, step: JudgedStep): Promise<LeftFile | undefined> {
  const { path, wanted, found, newFolders } = step;
  try {
    const now = step.needsRoom ? found : await deps.reader.read(path);
    if (!sameState(now, found)) return changedSince(path);
    if (!sameState(found, wanted)) await writeDisk(path, wanted, deps.folders, deps.read, newFolders);
    return undefined;
  } catch (thrown) {
    return toLeft(path, thrown);
  }
}

/**
 * First what makes room: a file where a folder comes, or in a folder where a file comes. The other removals come last, so
 * that a full disk takes nothing away that it cannot put elsewhere.
 */
function inOrder(steps: readonly JudgedStep[]): { steps: readonly JudgedStep[]; isLast: boolean }[] {
  const writes = steps.filter((it) => isKept(it.wanted));
  const removals = steps.filter((it) => !isKept(it.wanted));
  const written = new Set(writes.map((it) => it.path));
  const above = new Set<string>();
  for (const { path } of writes)
    for (const folder of ancestors(path)) {
      if (above.has(folder)) break;
      above.add(folder);
    }
  const makesRoom = ({ path }: Step) => above.has(path) || ancestors(path).some((it) => written.has(it));
  return [
    { steps: removals.filter(makesRoom), isLast: false },
    { steps: writes, isLast: false },
    { steps: removals.filter((it) => !makesRoom(it)), isLast: true },
  ];
}

/** The folders above `path`, nearest first. */
function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let at = dirname(path); dirname(at) !== at; at = dirname(at)) found.push(at);
  return found;
}
