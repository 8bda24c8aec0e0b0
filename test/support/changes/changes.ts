import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { URI } from 'vscode-uri';
import type { Changes } from '../../../sidecar/host/changes/changes.ts';
import type { ChangesDeps } from '../../../sidecar/host/changes/changesDeps.ts';
import { openChanges } from '../../../sidecar/host/changes/openChanges.ts';
import { recordedFolders } from '../../../sidecar/host/changes/snapshots/insideFolders.ts';
import { changesetPersistence } from '../../../sidecar/host/state/changesetPersistence.ts';
import { Store } from '../../../sidecar/host/state/store.ts';
import { openStorage } from '../../../sidecar/host/storage/hostStorage.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import type { ChangesetState } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import { sessionChangesetUri, sessionUri, turnChangesetUri } from '../../../sidecar/protocol/uris.ts';
import { commitAll } from './repository.ts';

/** A folder with files, a host's store on disk, and the changes of one session in it. */
export interface ChangesBench {
  readonly folder: string;
  readonly session: string;
  readonly changes: Changes;
  readonly store: Store;
  readonly totals: object[];
  readonly reports: unknown[];
  path(name: string): string;
  uri(name: string): string;
  write(name: string, content: string | Uint8Array, mode?: number): void;
  read(name: string): string;
  git(...args: string[]): string;
  sessionSet(): ChangesetState;
  turnSet(turnId: string): ChangesetState;
  /** Plays a turn in which `work` is all that the agent does. */
  turn(turnId: string, work: () => void | Promise<void>, capture?: readonly string[]): Promise<void>;
  invoke(
    operationId: string,
    more?: { turnId?: string; name?: string; range?: [number, number]; side?: 'before' | 'after' },
  ): Promise<unknown>;
  /** Bytes, permission bits and links of all files, without git's own. */
  tree(): Record<string, string>;
  /** The same as after a restart of the host. */
  reopen(): Promise<ChangesBench>;
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly git?: boolean;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Symbolic links, by name. */
  readonly links?: Readonly<Record<string, string>>;
  readonly deps?: Partial<ChangesDeps>;
}

/** What holds whether or not git looks after a folder runs in both. */
export const folderKinds = [
  { where: 'in a git repository', git: true },
  { where: 'in a folder without git', git: false },
] as const;

/** With the sample files, closed in the end; whatever was reported as a bug fails the test. */
export async function inBench(options: BenchOptions, work: (bench: ChangesBench) => Promise<void>): Promise<void> {
  const bench = await openBench({ files, ...options });
  try {
    await work(bench);
    assert.deepEqual(bench.reports, []);
  } finally {
    await bench.close();
  }
}

export const lines = (count: number, ending = '\n') =>
  Array.from({ length: count }, (_, n) => `line ${n + 1}${ending}`).join('');
export const three = lines(300);
export const pixels = Uint8Array.from({ length: 3000 }, (_, n) => n % 7);
export const files = {
  'a.txt': 'one\ntwo\nthree\n',
  'long.txt': three,
  'crlf.txt': lines(20, '\r\n'),
  'bom.txt': '\xef\xbb\xbfbom\n',
  'noend.txt': 'no end',
  'image.bin': pixels,
  'dir/sub.txt': lines(40),
  'run.sh': '#!/bin/sh\n',
};

export function openBench(options: BenchOptions = {}): Promise<ChangesBench> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'changes-')));
  const folder = join(root, 'ws');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(options.files ?? {})) writeAt(join(folder, name), content);
  for (const [name, target] of Object.entries(options.links ?? {})) symlinkSync(target, join(folder, name));
  if (options.git) {
    const contents = Object.entries(options.files ?? {}).map(([name, content]) => [name, sha(content)]);
    commitAll(folder, JSON.stringify([contents, options.links]));
  }
  return open(root, randomUUID(), options);
}

async function open(root: string, uuid: string, options: BenchOptions): Promise<ChangesBench> {
  const folder = join(root, 'ws');
  const session = sessionUri(uuid);
  const dataDir = join(root, 'data');
  mkdirSync(dataDir, { recursive: true });
  const storage = openStorage({
    dataDir,
    now: new Date().toISOString(),
    onDamage: () => undefined,
    warn: () => undefined,
  });
  const reports: unknown[] = [];
  const totals: object[] = [];
  const store = new Store({
    storage,
    clock: systemClock,
    persistence: { changeset: changesetPersistence },
    derive: () => [],
    schedule: (work, delayMs) => void (delayMs === 0 ? setImmediate(work) : setTimeout(work, delayMs).unref()),
    onTrouble: (thrown) => void (thrown && reports.push(thrown)),
    isPinned: () => false,
  });
  store.create('session', session, {
    lifecycle: 'ready',
    activeClients: [],
    chats: [],
    status: 0,
    title: '',
    provider: 'x',
  });
  const changes = openChanges({
    dataDir,
    store,
    references: {
      remember: (of, sha, size) => store.writeRows(() => storage.small.rememberContent(of, sha, size)),
      forget: (of) => storage.small.forgetContent(of),
      isUsed: (sha256) => storage.small.usesContent(sha256),
      sizeOf: (sha256) => storage.small.sizeOfContent(sha256),
    },
    changesetsOf: (of) => storage.changesets.ofSession(of),
    foldersOf: () => recordedFolders([folder]),
    onTotal: (_session, total) => void totals.push(total),
    env: process.env,
    clock: systemClock,
    report: (thrown) => void reports.push(thrown),
    isWatched: () => false,
    timers: { ...systemTimers, after: () => () => undefined },
    ...options.deps,
  });
  let isClosed = false;
  const closeStorage = async () => {
    if (isClosed) return;
    isClosed = true;
    store.close();
    await storage.close();
  };
  const bench: ChangesBench = {
    folder,
    session,
    changes,
    store,
    totals,
    reports,
    path: (name) => join(folder, name),
    uri: (name) => URI.file(join(folder, name)).toString(),
    write: (name, content, mode) => writeAt(join(folder, name), content, mode),
    read: (name) => readFileSync(join(folder, name), 'latin1'),
    git: (...args) => runGit(folder, ...args),
    sessionSet: () => store.state('changeset', sessionChangesetUri(uuid))!,
    turnSet: (turnId) => store.state('changeset', turnChangesetUri(uuid, turnId))!,
    async turn(turnId, work, capture = []) {
      const turn = await changes.beginTurn({ session, turnId, folders: [folder] });
      await turn.capture(capture.map((it) => join(folder, it)));
      await work();
      await turn.end();
    },
    async invoke(operationId, { turnId, name, range, side } = {}) {
      const channel = turnId === undefined ? sessionChangesetUri(uuid) : turnChangesetUri(uuid, turnId);
      const resource = URI.file(join(folder, name ?? '')).toString();
      const lines = range && { start: { line: range[0], character: 0 }, end: { line: range[1], character: 0 } };
      const kind = lines
        ? { kind: 'range' as const, resource, range: lines, ...(side && { side }) }
        : { kind: 'resource' as const, resource };
      return changes.invoke({ channel, operationId, ...(name !== undefined && { target: kind }) }, { isTrusted: true });
    },
    tree: () => treeOf(folder),
    async reopen() {
      await closeStorage();
      return open(root, uuid, options);
    },
    async close() {
      await closeStorage();
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  return bench;
}

export function sha(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function writeAt(path: string, content: string | Uint8Array, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
  if (mode !== undefined) chmodSync(path, mode);
}

function treeOf(folder: string): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name === '.git' || name.startsWith('.git/')) continue;
    const stats = lstatSync(join(folder, name));
    if (stats.isSymbolicLink()) tree[name] = `-> ${readlinkSync(join(folder, name))}`;
    else if (stats.isFile())
      tree[name] = `${(stats.mode & 0o7777).toString(8)} ${sha(readFileSync(join(folder, name)))}`;
    else tree[name] = 'folder';
  }
  return tree;
}

function runGit(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
