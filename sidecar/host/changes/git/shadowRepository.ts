import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fromBytes, toFs } from '../../files/rawPath.ts';
import { isMissing } from '../snapshots/contentStore.ts';
import { statOf } from '../snapshots/fileState.ts';
import { openWays } from '../snapshots/openWays.ts';
import { type Git, zFields } from './git.ts';
import { readSubmodules } from './readIndex.ts';
import { hasSignsOfRepository } from './signsOfRepository.ts';

/** Where the user's repository is; nothing in it is ever written. */
export interface Repository {
  readonly top: string;
  readonly index: string;
  readonly objects: string;
  readonly exclude: string;
  readonly objectFormat: string;
}

/** `undefined` when `folder` is in no repository, or git cannot be run. */
export async function findRepository(git: Git, folder: string): Promise<Repository | undefined> {
  if (!(await hasSignsOfRepository(folder))) return undefined;
  const paths = ['--git-path', 'index', '--git-path', 'objects', '--git-path', 'info/exclude'];
  const found = await git(
    ['rev-parse', '--path-format=absolute', '--show-toplevel', ...paths, '--show-object-format'],
    { cwd: folder },
  );
  const [top, index, objects, exclude, objectFormat] = found.stdout.toString('utf8').split('\n');
  if (found.code !== 0 || !top || !index || !objects || !exclude || !objectFormat) return undefined;
  return { top, index, objects, exclude, objectFormat };
}

/**
 * A git directory of our own over the user's working tree: own index, own objects (the user's are read as alternates),
 * own attributes that switch every conversion off, so that a tree holds exactly the bytes of the disk.
 */
export class ShadowRepository {
  readonly repository: Repository;
  readonly #git: Git;
  readonly #folder: string;
  readonly #maxBytes: number;
  #ready: Promise<void> | undefined;
  /** The tree that was last written, and the version of the index file that it was written from. */
  #written: { readonly tree: string; readonly from: string } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(git: Git, baselines: string, repository: Repository, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.repository = repository;
    this.#git = git;
    this.#folder = join(baselines, createHash('sha256').update(repository.top).digest('hex').slice(0, 24));
  }

  /** The tree of what is on the disk now, and what it leaves out. One look at a time. */
  look(scopes: readonly string[]): Promise<Look> {
    const next = this.#last.then(() => this.#look(scopes));
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** @throws {Error} with git's own words; for the log */
  async run(args: readonly string[], input?: string | Buffer): Promise<Buffer> {
    const { top } = this.repository;
    // An agent may have deleted its repository; what the turn began with is in ours.
    const cwd = (await statOf(top)) ? top : this.#folder;
    const { code, stdout, stderr } = await this.#git([...settings, ...args], {
      cwd,
      env: { GIT_DIR: this.#folder, GIT_WORK_TREE: top },
      ...(input !== undefined && { input }),
    });
    if (code !== 0) throw new Error(`git ${args[0]} exited with code ${code}: ${stderr.slice(0, 2_000)}`);
    return stdout;
  }

  async #look(scopes: readonly string[]): Promise<Look> {
    await (this.#ready ??= this.#prepare());
    await this.#copyExcludes();
    const specs = scopes.map((it) => relative(this.repository.top, it).replaceAll(sep, '/')).filter((it) => it !== '');
    const pathspecs = specs.length < scopes.length ? [] : specs.map((it) => `:(top,literal)${it}`);
    const listed = zFields(await this.run(['ls-files', '-z', '-o', '-m', '--exclude-standard', '--', ...pathspecs]));
    const nested = listed.filter((it) => it.endsWith('/')).map((it) => join(this.repository.top, it.slice(0, -1)));
    const large: string[] = [];
    const names: string[] = [];
    const deleted: string[] = [];
    const folders: string[] = [];
    const isOpen = openWays([this.repository.top]);
    for (const name of new Set(listed)) {
      if (name.endsWith('/')) continue;
      const verdict = await this.#judge(name, isOpen);
      if (verdict === 'keep') names.push(name);
      else if (verdict === 'gone') deleted.push(name);
      else if (verdict === 'folder') folders.push(name);
      else large.push(join(this.repository.top, name));
    }
    const submodules = folders.length > 0 ? await readSubmodules(this, []) : new Map<string, unknown>();
    await this.#takeOut([...deleted, ...folders.filter((it) => !submodules.has(it))]);
    await this.#update([...names, ...folders.filter((it) => submodules.has(it))]);
    return { tree: await this.#tree(), pathspecs, nested, large };
  }

  /** Writes a tree only if the index has changed. Git replaces the index file with each change, whichever instance makes it. */
  async #tree(): Promise<string> {
    if (this.#written && this.#written.from === (await this.#indexVersion())) return this.#written.tree;
    const tree = (await this.run(['write-tree'])).toString('utf8').trim();
    this.#written = { tree, from: await this.#indexVersion() };
    return tree;
  }

  async #indexVersion(): Promise<string> {
    const stats = await statOf(join(this.#folder, 'index'));
    return stats ? `${stats.ino} ${stats.mtimeNs} ${stats.size}` : 'none';
  }

  async #update(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], `${names.join('\0')}\0`);
  }

  /** Takes names out of the index, whatever is at them on the disk. */
  async #takeOut(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const zeros = '0'.repeat(this.repository.objectFormat === 'sha256' ? 64 : 40);
    const removals = names.map((name) => `0 ${zeros}\t${name}\0`).join('');
    await this.run(['update-index', '-z', '--index-info'], removals);
  }

  /** What git is to do with a name: a file that is not there is kept, because git notes its absence. */
  async #judge(name: string, isOpen: (path: string) => Promise<boolean>): Promise<Verdict> {
    const path = join(this.repository.top, name);
    if (!(await isOpen(path))) return 'gone';
    const stats = await statOf(path);
    if (stats?.isDirectory()) return 'folder';
    if (!stats?.isFile()) return 'keep';
    if (stats.size > BigInt(this.#maxBytes)) return 'large';
    return access(toFs(path), constants.R_OK).then(
      () => 'keep',
      (thrown: unknown) => (isMissing(thrown) ? 'keep' : 'large'),
    );
  }

  async #prepare(): Promise<void> {
    const { objects, index, objectFormat } = this.repository;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.run(['init', '--quiet', '--template=', `--object-format=${objectFormat}`]);
    await mkdir(join(this.#folder, 'info'), { recursive: true });
    await writeFile(join(this.#folder, 'info', 'attributes'), '* -text -eol -filter -ident -working-tree-encoding\n');
    await mkdir(join(this.#folder, 'objects', 'info'), { recursive: true });
    await writeFile(join(this.#folder, 'objects', 'info', 'alternates'), `${objects}\n`);
    try {
      await copyFile(index, join(this.#folder, 'index'));
      await this.#correctSeed();
    } catch (thrown) {
      // A repository without an index, or one whose index needs its own folder: everything is read once instead.
      if (!isMissing(thrown)) await this.run(['read-tree', '--empty']);
    }
  }

  /**
   * The user's index spares reading every file, but its entries are what git made of them (line ends, filters). An
   * entry whose size differs from the file's is replaced by the file's own bytes.
   */
  async #correctSeed(): Promise<void> {
    const entries = parseIndex(fromBytes(await this.run(['ls-files', '-z', '-s', '--debug'])));
    if (entries.length === 0) return;
    const asked = [...new Set(entries.map((it) => it.object))].join('\n');
    const answered = (await this.run(['cat-file', '--batch-check=%(objectname) %(objectsize)'], `${asked}\n`)).toString(
      'utf8',
    );
    const sizes = new Map(answered.split('\n').map((line) => line.split(' ') as [string, string]));
    const wrong = new Set(
      entries
        .filter((it) => it.mode !== '160000' && (it.stage !== '0' || sizes.get(it.object) !== it.size))
        .map((it) => it.name),
    );
    if (wrong.size === 0) return;
    await this.#takeOut([...wrong]);
    const isOpen = openWays([this.repository.top]);
    const present: string[] = [];
    for (const name of wrong) if ((await this.#judge(name, isOpen)) === 'keep') present.push(name);
    await this.#update(present);
  }

  async #copyExcludes(): Promise<void> {
    const text = await readFile(this.repository.exclude, 'utf8').catch((thrown: unknown) => {
      if (isMissing(thrown)) return '';
      throw thrown;
    });
    await writeFile(join(this.#folder, 'info', 'exclude'), text);
  }
}

export interface Look {
  readonly tree: string;
  readonly pathspecs: readonly string[];
  /** Absolute paths of repositories within this one. */
  readonly nested: readonly string[];
  /** Absolute paths of files that are too large or cannot be read. */
  readonly large: readonly string[];
}

const settings = Object.entries({
  'core.bare': 'false',
  'core.autocrlf': 'false',
  'core.safecrlf': 'false',
  'core.compression': '0',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.splitIndex': 'false',
  'core.sparseCheckout': 'false',
  'core.hooksPath': '/dev/null',
  'core.quotePath': 'false',
  'gc.auto': '0',
  'index.threads': '1',
  'feature.manyFiles': 'false',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

type Verdict = 'keep' | 'large' | 'gone' | 'folder';

function parseIndex(text: string) {
  const entries: { mode: string; object: string; stage: string; name: string; size: string }[] = [];
  const entry = /(\d{6}) ([0-9a-f]+) (\d)\t([^\0]*)\0(?: {2}[^\n]*\n)*? {2}size: (\d+)\tflags: [0-9a-f]+\n/g;
  for (const [, mode = '', object = '', stage = '', name = '', size = ''] of text.matchAll(entry)) {
    entries.push({ mode, object, stage, name, size });
  }
  return entries;
}
