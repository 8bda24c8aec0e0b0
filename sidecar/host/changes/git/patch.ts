import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isWellFormed } from '../../files/rawPath.ts';
import { type FileState, isKept } from '../snapshots/fileState.ts';
import { isBelow } from '../snapshots/insideFolders.ts';
import type { PathChange } from '../snapshots/pathChange.ts';
import type { Git } from './git.ts';
import { openRepository } from './gitRepository.ts';

export interface PatchDeps {
  readonly git: Git;
  readonly read: (sha: string) => Promise<Uint8Array>;
  /** Made and emptied here. */
  readonly temporary: string;
}
export interface Patch {
  readonly bytes: Buffer;
  readonly files: number;
  /** Files whose bytes were not kept, or whose names are no UTF-8. */
  readonly leftOut: number;
}

/**
 * What `git apply` takes, from kept bytes: binary files, modes and links included. Names are relative to the repository of
 * a file, or to the folder that holds it.
 */
export async function makePatch(
  deps: PatchDeps,
  changes: readonly PathChange[],
  folders: readonly string[],
): Promise<Patch> {
  const whole = changes.filter(
    (it) => isWellFormed(it.path) && [it.before, it.after].every((state) => !isKept(state) || !state.notKept),
  );
  const parts: Buffer[] = [];
  for (const [top, own] of await byTop(deps.git, whole, folders)) parts.push(await patchOf(deps, top, own));
  return { bytes: Buffer.concat(parts), files: whole.length, leftOut: changes.length - whole.length };
}

async function byTop(git: Git, changes: readonly PathChange[], folders: readonly string[]) {
  const tops = new Map<string, string>();
  for (const folder of folders) tops.set(folder, (await openRepository(git, folder))?.top ?? folder);
  const found = new Map<string, PathChange[]>();
  for (const change of changes) {
    const folder = folders.find((it) => isBelow(change.path, it));
    const top = folder === undefined ? dirname(change.path) : (tops.get(folder) ?? folder);
    found.set(top, [...(found.get(top) ?? []), change]);
  }
  return found;
}

async function patchOf(deps: PatchDeps, top: string, changes: readonly PathChange[]): Promise<Buffer> {
  await mkdir(deps.temporary, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(deps.temporary, 'patch-'));
  try {
    for (const [side, key] of [
      ['a', 'before'],
      ['b', 'after'],
    ] as const) {
      await mkdir(join(folder, side));
      for (const change of changes) await put(deps, join(folder, side, relative(top, change.path)), change[key]);
    }
    const plain = ['-c', 'core.attributesFile=/dev/null', '-c', 'core.autocrlf=false', '-c', 'core.quotePath=false'];
    const diff = ['diff', '--no-index', '--no-renames', '--no-ext-diff', '--binary', '--no-prefix', '--no-color'];
    const { code, stdout, stderr } = await deps.git([...plain, ...diff, 'a', 'b'], { cwd: folder });
    if (code !== 0 && code !== 1) throw new Error(`git diff exited with code ${code}: ${stderr}`);
    return withBothSides(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function put({ read }: PatchDeps, path: string, state: FileState): Promise<void> {
  if (!isKept(state)) return;
  await mkdir(dirname(path), { recursive: true });
  const bytes = await read(state.sha);
  if (state.kind === 'link') return symlink(Buffer.from(bytes), path);
  await writeFile(path, bytes);
  await chmod(path, state.mode & 0o100 ? 0o755 : 0o644);
}

/** Of a file that is on one side only git names that side twice; no line of content begins like a header. */
function withBothSides(patch: Buffer): Buffer {
  const text = patch.toString('latin1').replace(/^diff --git [ab]\/(.*) [ab]\/\1$/gm, 'diff --git a/$1 b/$1');
  return Buffer.from(text, 'latin1');
}

/** A name for the patch of a session. */
export function patchName(title: string): string {
  const name = title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '');
  return `${name.slice(0, 60) || 'changes'}.patch`;
}
