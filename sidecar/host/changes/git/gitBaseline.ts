import { lstatSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { Timers } from '../../../platform/timers.ts';
import { isWellFormed, shownName, toFs } from '../../files/rawPath.ts';
import type { Baseline } from '../snapshots/baseline.ts';
import { type ContentStore, isMissing } from '../snapshots/contentStore.ts';
import {
  absent,
  type FileReader,
  type FileState,
  isKept,
  placeholderText,
  sameState,
  statOf,
} from '../snapshots/fileState.ts';
import { isCircle } from '../snapshots/insideFolders.ts';
import { readBlobs } from './blobs.ts';
import { zFields } from './git.ts';
import { isSubmodule, readIndex } from './readIndex.ts';
import type { Look, ShadowRepository } from './shadowRepository.ts';

export interface GitBaselineDeps {
  readonly shadow: ShadowRepository;
  readonly content: ContentStore;
  readonly reader: FileReader;
  readonly startedMs: number;
  readonly timers: Pick<Timers, 'soon'>;
  /** Absolute real paths within the repository. */
  readonly scopes: readonly string[];
}

/** Git keeps one permission bit; the others of the files present are remembered up to this many. */
const maxModes = 20_000;
/** Where there are more, permission bits that git does not see are not compared at each look. */
const maxModesCompared = 5_000;

/** The files that git would track, untracked ones included, ignored ones not; and the repositories found inside. */
export async function openGitBaseline(
  deps: GitBaselineDeps,
): Promise<{ baseline: Baseline; nested: readonly string[] }> {
  const { shadow, reader } = deps;
  const first = await shadow.look(deps.scopes);
  const { top } = shadow.repository;
  const index = await readIndex(shadow, first.pathspecs);
  const submodules = index.filter(isSubmodule).map((it) => join(top, it.name));
  const files = index.filter((it) => !isSubmodule(it));
  const atFirst = files.map(({ name, mode, object }): Entry => ({ path: join(top, name), gitMode: mode, object }));
  const modes = await readModes(
    atFirst.slice(0, maxModes).map((it) => it.path),
    deps.timers,
  );
  const large = await readAll(reader, first.large);
  const known = new Map<string, FileState>();
  const notices: string[] = [];
  const baseline: Baseline = {
    notices,
    async changes() {
      const isGone = (await statOf(top)) === undefined;
      const entries = isGone ? atFirst : await changedEntries(shadow, first, await shadow.look(deps.scopes));
      const found = await statesOf(deps, entries, modes, known);
      for (const [path, before] of await changedModes(deps, modes, found)) found.set(path, before);
      for (const [path, before] of large) if (!sameState(before, await reader.read(path))) found.set(path, before);
      await leaveOutUncovered(found, deps.startedMs, notices);
      return found;
    },
  };
  return { baseline, nested: [...first.nested, ...submodules] };
}

/** What was at each entry when the turn began, its bytes in the store. */
async function statesOf(
  { shadow, content, reader }: GitBaselineDeps,
  entries: readonly Entry[],
  modes: ReadonlyMap<string, number>,
  known: Map<string, FileState>,
): Promise<Map<string, FileState>> {
  const found = new Map<string, FileState>(entries.map((it) => [it.path, absent]));
  const wanted = entries.filter((it) => it.gitMode !== '000000');
  const missing = wanted.filter((it) => !known.has(keyOf(it)));
  const blobs = await readBlobs((...args) => shadow.run(...args), reader.maxBytes, [
    ...new Set(missing.map((it) => it.object)),
  ]);
  for (const it of wanted) {
    const key = keyOf(it);
    if (!known.has(key)) {
      const blob = blobs.get(it.object)!;
      const notKept = blob === 'missing' ? 'deleted' : 'tooLarge';
      const bytes = Buffer.isBuffer(blob)
        ? blob
        : Buffer.from(`${placeholderText({ size: 0n, mtimeNs: 0n }, notKept)}${it.object}\n`);
      const kept = await content.put(bytes);
      const mode = modes.get(it.path) ?? (it.gitMode === '100755' ? 0o755 : 0o644);
      const kind = it.gitMode === '120000' ? 'link' : 'file';
      const state = { kind, mode: kind === 'link' ? 0o777 : mode, ...kept } as const;
      known.set(key, Buffer.isBuffer(blob) ? state : { ...state, notKept });
    }
    found.set(it.path, known.get(key)!);
  }
  return found;
}

/** A file as it was in the first tree; the mode `000000` says that it was not there. */
interface Entry {
  readonly path: string;
  readonly gitMode: string;
  readonly object: string;
}

async function changedEntries(shadow: ShadowRepository, first: Look, now: Look): Promise<Entry[]> {
  const { top } = shadow.repository;
  const entries: Entry[] = [];
  if (first.tree !== now.tree) {
    const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', first.tree, now.tree, '--', ...first.pathspecs];
    const fields = zFields(await shadow.run(args));
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [oldMode = '', newMode, object = ''] = fields[at]!.slice(1).split(' ');
      // A repository within this one is no file of it, and looks after its own files.
      const gitMode = oldMode === '160000' ? '000000' : oldMode;
      const isThere = newMode !== '000000' && newMode !== '160000';
      if (gitMode !== '000000' || isThere) entries.push({ path: join(top, fields[at + 1]!), gitMode, object });
    }
  }
  // What is too large now was left out of the second tree, and may have been small before.
  const grown = now.large.filter((path) => !first.large.includes(path));
  if (grown.length === 0) return entries;
  const names = grown.map((it) => relative(top, it).replaceAll(sep, '/'));
  // An argument is UTF-8, so for another name all are listed.
  const only = names.every(isWellFormed) ? ['--', ...names] : ['-r'];
  const listed = zFields(await shadow.run(['--literal-pathspecs', 'ls-tree', '-z', first.tree, ...only]));
  const known = new Map(listed.map((it) => [join(top, it.slice(it.indexOf('\t') + 1)), it.split(/[ \t]/)]));
  for (const path of grown) {
    const [mode = '000000', type, object = ''] = known.get(path) ?? [];
    entries.push({ path, gitMode: type === 'blob' ? mode : '000000', object }); // else a folder was there
  }
  return entries;
}

function keyOf(it: Entry): string {
  return `${it.gitMode} ${it.object} ${it.path}`;
}

/** Of a file that only got other permission bits, what it was: git sees no more than whether it can be executed. */
async function changedModes(
  { reader, timers }: GitBaselineDeps,
  modes: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, FileState>,
): Promise<Map<string, FileState>> {
  const changed = new Map<string, FileState>();
  if (modes.size > maxModesCompared) return changed;
  const now = await readModes([...modes.keys()], timers);
  for (const [path, mode] of modes) {
    if (found.has(path) || !now.has(path) || now.get(path) === mode) continue;
    const state = await reader.read(path);
    if (state.kind === 'file') changed.set(path, { ...state, mode });
  }
  return changed;
}

async function readModes(paths: readonly string[], timers: GitBaselineDeps['timers']): Promise<Map<string, number>> {
  const modes = new Map<string, number>();
  for (let at = 0; at < paths.length; at += 500) {
    for (const path of paths.slice(at, at + 500)) {
      // Synchronous: 500 of these take about a millisecond, asynchronous ones ten.
      const mode = modeOf(path);
      if (mode !== undefined) modes.set(path, mode & 0o7777);
    }
    await new Promise<void>((resolve) => void timers.soon(resolve));
  }
  return modes;
}

function modeOf(path: string): number | undefined {
  try {
    return lstatSync(toFs(path), { throwIfNoEntry: false })?.mode;
  } catch (thrown) {
    if (isMissing(thrown) || isCircle(thrown)) return undefined; // a file, or links in a circle, on the way
    throw thrown;
  }
}

async function readAll(reader: FileReader, paths: readonly string[]): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>();
  for (const path of paths) {
    const state = await reader.read(path);
    if (isKept(state)) states.set(path, state);
  }
  return states;
}

/** When rules about ignored files changed in the turn, a file that was there before may look new. */
async function leaveOutUncovered(found: Map<string, FileState>, startedMs: number, notices: string[]): Promise<void> {
  if (![...found.keys()].some((it) => basename(it) === '.gitignore')) return;
  for (const [path, before] of found) {
    if (before.kind !== 'absent') continue;
    const stats = await statOf(path);
    if (!stats || Number(stats.birthtimeMs) >= startedMs - 2_000) continue;
    found.delete(path);
    const notice = `${shownName(basename(path))} was ignored by Git when the turn began, so Switchboard does not know whether it changed.`;
    if (!notices.includes(notice) && notices.length < 20) notices.push(notice);
  }
}
