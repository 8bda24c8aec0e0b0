import { constants } from 'node:fs';
import { appendFile, copyFile, lstat, mkdir, stat, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { Fault } from '../../../platform/faults.ts';
import { codeOf } from '../../files/fileFaults.ts';
import { toFs } from '../../files/rawPath.ts';
import { type Git, zFields } from '../git/git.ts';
import { looking } from '../git/gitRepository.ts';
import { isMissing } from '../snapshots/contentStore.ts';
import { realInside } from '../snapshots/insideFolders.ts';

/** Names files that Git ignores and a new worktree gets, with the patterns of `.gitignore`. */
const INCLUDE = '.worktreeinclude';
const MAX_FILES = 5_000;

/**
 * Makes a new working tree one in which programs run: it gets copies of the ignored files that the repository names, and
 * links to the ignored folders that the person names.
 * @param top of the repository @param tree the new one, absolute and real
 * @param links folders relative to the repository; those that are not there or not ignored are left out
 * @throws {Fault} `unavailable` with a sentence for a person
 */
export async function prepareTree(git: Git, top: string, tree: string, links: readonly string[]): Promise<void> {
  const linked = links.map((it) => normalize(it)).filter((it) => !isAbsolute(it) && it.split(sep)[0] !== '..');
  const isLinked = (path: string) => linked.some((it) => path === it || path.startsWith(`${it}/`));
  for (const path of await includedFiles(git, top)) if (!isLinked(path)) await copy(path, top, tree);
  for (const it of linked) await link(git, it, top, tree);
}

async function includedFiles(git: Git, top: string): Promise<string[]> {
  if (!(await lstat(join(top, INCLUDE)).catch(none))?.isFile()) return [];
  const named = await git([...looking, 'ls-files', '--others', '--ignored', `--exclude-from=${INCLUDE}`, '-z'], {
    cwd: top,
  });
  const paths = zFields(named.stdout);
  if (named.code !== 0)
    throw new Fault('unavailable', `Git could not read ${INCLUDE}.`, { cause: new Error(named.stderr) });
  if (paths.length > MAX_FILES)
    throw new Fault(
      'unavailable',
      `${INCLUDE} names more than ${MAX_FILES} files. Name fewer, and link large folders with the setting switchboard.worktrees.linkedFolders.`,
    );
  if (paths.length === 0) return [];
  // What Git does not ignore is work that belongs in a commit.
  const ignored = await git([...looking, 'check-ignore', '-z', '--stdin'], {
    cwd: top,
    input: `${paths.join('\0')}\0`,
  });
  return zFields(ignored.stdout);
}

async function copy(path: string, top: string, tree: string): Promise<void> {
  const [from, to] = [join(top, path), join(tree, path)];
  // A link could lead anywhere, on either side.
  if (!(await lstat(toFs(from)).catch(none))?.isFile()) return;
  if ((await realInside(to, [tree])) !== to) return;
  await mkdir(toFs(dirname(to)), { recursive: true });
  try {
    await copyFile(toFs(from), toFs(to), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return; // the last commit has it
    throw new Fault('unavailable', `${path} could not be copied into the new worktree.`, { cause: thrown });
  }
}

async function link(git: Git, path: string, top: string, tree: string): Promise<void> {
  const [from, to] = [join(top, path), join(tree, path)];
  const isIgnored = async (cwd: string, name: string) =>
    (await git([...looking, 'check-ignore', '--quiet', name], { cwd })).code === 0;
  const isFolder = (await stat(from).catch(none))?.isDirectory() === true;
  if (!isFolder || !(await isIgnored(top, `${path}/`)) || (await lstat(to).catch(none))) return;
  if ((await realInside(to, [tree])) !== to) return;
  await mkdir(dirname(to), { recursive: true });
  await symlink(from, to, 'junction');
  if (await isIgnored(tree, path)) return;
  // A pattern that ends with a slash matches only folders, and a link is not a folder.
  const found = await git(['rev-parse', '--path-format=absolute', '--git-path', 'info/exclude'], { cwd: tree });
  const exclude = found.stdout.toString('utf8').trim();
  await mkdir(dirname(exclude), { recursive: true });
  await appendFile(exclude, `\n/${path.split(sep).join('/')}\n`);
}

function none(thrown: unknown): undefined {
  if (!isMissing(thrown)) throw thrown;
}
