import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import type { RaceFile } from '../../../protocol/channels/session/race.ts';
import { toFs } from '../../files/rawPath.ts';
import { type Git, zFields } from '../git/git.ts';
import { looking } from '../git/gitRepository.ts';
import { isMissing } from '../snapshots/contentStore.ts';
import { maxKeptBytes } from '../snapshots/fileState.ts';
import { type Content, hunksOfContents } from './mergeChosen.ts';

const MAX_FILES = 2_000;
/** Larger files are taken whole or not at all. */
const MAX_HUNK_BYTES = 2_000_000;

/**
 * Paths in which a working tree differs from a commit: committed since, staged, or neither. What git ignores is not among them.
 * @param tree absolute @throws {Fault} `unavailable`
 */
export async function changedPaths(git: Git, tree: string, base: string): Promise<string[]> {
  const run = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await git([...looking, ...args], { cwd: tree });
    if (code !== 0) throw new Fault('unavailable', 'The worktree cannot be read.', { cause: new Error(stderr) });
    return zFields(stdout);
  };
  const [tracked, others] = await Promise.all([
    run(['diff', '--name-only', '--no-renames', '--ignore-submodules', '-z', base, '--']),
    run(['ls-files', '--others', '--exclude-standard', '-z']),
  ]);
  const paths = [...new Set([...tracked, ...others])].sort();
  if (paths.length > MAX_FILES)
    throw new Fault('unavailable', `The agent changed more than ${MAX_FILES} files. Open its worktree instead.`);
  return paths;
}

/** What a commit has at a path, as it is checked out. */
export async function contentIn(git: Git, tree: string, commit: string, path: string): Promise<Content> {
  const listed = await git([...looking, 'ls-tree', '-z', commit, '--', `:(literal)${path}`], { cwd: tree });
  const mode = /^(\d+) blob /.exec(listed.stdout.toString('utf8'))?.[1];
  if (mode === undefined) return undefined;
  const found = await git([...looking, 'cat-file', '--filters', `${commit}:${path}`], { cwd: tree });
  if (found.code !== 0)
    throw new Fault('unavailable', 'The worktree cannot be read.', { cause: new Error(found.stderr) });
  const bytes = found.stdout;
  if (mode === '120000') return { kind: 'link', mode: 0o777, bytes };
  return { kind: 'file', mode: mode === '100755' ? 0o755 : 0o644, bytes };
}

/** What is at a path on disk, with the two modes that git knows. @throws {Fault} `unavailable` */
export async function contentAt(folder: string, path: string): Promise<Content> {
  const at = toFs(join(folder, path));
  const stats = await lstat(at).catch((thrown: unknown) => {
    if (!isMissing(thrown)) throw thrown;
    return undefined;
  });
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) return { kind: 'link', mode: 0o777, bytes: await readlink(at, 'buffer') };
  if (!stats.isFile() || stats.size > maxKeptBytes)
    throw new Fault('unavailable', `${path} is not a file, or is too large to keep.`);
  return { kind: 'file', mode: (stats.mode & 0o100) === 0 ? 0o644 : 0o755, bytes: await readFile(at) };
}

export function versionOf(content: Content): string {
  if (!content) return 'absent';
  return createHash('sha256').update(`${content.kind} ${content.mode} `).update(content.bytes).digest('hex');
}

/** What a person sees of a file and can choose from. */
export function toRaceFile(path: string, base: Content, after: Content): RaceFile {
  const isSmall = (it: Content) => (it?.bytes.byteLength ?? 0) <= MAX_HUNK_BYTES;
  const hunks = isSmall(base) && isSmall(after) ? hunksOfContents(base, after) : undefined;
  const kind = base ? (after ? 'changed' : 'deleted') : 'created';
  const readable = (lines: readonly string[]) => lines.map((it) => Buffer.from(it, 'latin1').toString('utf8'));
  return {
    path,
    kind,
    version: versionOf(after),
    ...(hunks && {
      hunks: hunks.map((it) => ({ line: it.beforeStart, removed: readable(it.removed), added: readable(it.added) })),
    }),
  };
}
