import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'mocha';
import { seeded } from '../kill/plan.ts';
import { Disk, type Fate, type LeftOut } from '../support/power/disk.ts';
import { CHAT, openPlace, SESSION } from '../support/power/place.ts';
import { type Call, parseTrace, straceProgram, stringsIn, tracedCalls } from '../support/power/strace.ts';
import { say } from '../support/say.ts';

const CUTS = Number(process.env['SWITCHBOARD_CUTS'] ?? 200);
const SEED = 20_260_102;
const fates: readonly Fate[] = ['none', 'some', 'torn'];
type Durability = 'normal' | 'full';
/** How long before the cut something was acknowledged that has to be there, in seconds. */
const graceOf: Readonly<Record<Durability, number>> = { normal: 1, full: 0 };

interface Traced {
  readonly dataDir: string;
  readonly calls: readonly Call[];
}

describe('a power cut', () => {
  let root = '';
  const traced = new Map<Durability, Traced>();
  before(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-power-')));
    const strace = await straceProgram();
    for (const it of ['normal', 'full'] as const) traced.set(it, trace(strace, root, it));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it(`takes nothing that was acknowledged with full durability, ${CUTS} times`, async () => {
    assert.deepEqual(await cutAll(root, traced.get('full')!, 'full', CUTS), []);
  });
  it(`takes nothing that was acknowledged a second before with normal durability, ${CUTS} times`, async () => {
    assert.deepEqual(await cutAll(root, traced.get('normal')!, 'normal', CUTS), []);
  });

  const missing: readonly [string, Durability, LeftOut][] = [
    ['the log of the database at a commit', 'full', (path) => path === 'host.db-wal'],
    ['the log of the database after a while', 'normal', (path) => path === 'host.db-wal'],
    ['the database at a checkpoint', 'full', (path) => path === 'host.db'],
    ['the folder of the database', 'normal', (path) => path === ''],
    ['a stored content', 'normal', (path) => /^content\/..\/\./.test(path)],
    ['the folder of a stored content', 'full', (path) => /^content\/..$/.test(path)],
  ];
  for (const [what, durability, leftOut] of missing) {
    it(`is found to do harm where ${what} is not synced (${durability})`, async () => {
      const problems = await cutAll(root, traced.get(durability)!, durability, Math.min(CUTS, 60), leftOut);
      assert.notEqual(problems.length, 0);
    });
  }
});

function trace(strace: string, root: string, durability: Durability): Traced {
  const dataDir = join(root, durability, 'data');
  const file = join(root, `${durability}.trace`);
  const options = ['-f', '--seccomp-bpf', '-y', '-xx', '-ttt', '-s', '1048576', '-e', `trace=${tracedCalls.join(',')}`];
  const child = join(import.meta.dirname, 'hostWork.child.ts');
  const ended = spawnSync(strace, [...options, '-o', file, process.execPath, child, dataDir, durability]);
  assert.equal(ended.status, 0, String(ended.stderr));
  return { dataDir, calls: parseTrace(readFileSync(file, 'latin1')) };
}

/** @returns what was wrong after the cuts */
async function cutAll(
  root: string,
  { dataDir, calls }: Traced,
  durability: Durability,
  cuts: number,
  leftOut?: LeftOut,
): Promise<string[]> {
  const startedMs = performance.now();
  const random = seeded(SEED);
  const disk = new Disk(join(dataDir, '..'), leftOut && ((path, call) => leftOut(path.replace(/^data\/?/, ''), call)));
  const acks = calls.flatMap((call, n) => acksOf(call).map((ack) => ({ ack, n, at: call.at })));
  assert.equal(acks.at(-1)?.ack, 300, 'the child acknowledged all that it did');
  const problems: string[] = [];
  let played = 0;
  let most = 0;
  const moments = momentsOf(calls, acks[0]!.n, cuts, random);
  for (const [n, { index, at }] of moments.entries()) {
    for (; played < index; played += 1) disk.play(calls[played]!);
    const fate = fates[n % fates.length]!;
    const target = join(root, 'cut');
    disk.cut(target, fate, random);
    const known = acks.filter((it) => it.n < index);
    const due = known.filter((it) => it.at < at - graceOf[durability]).at(-1)?.ack ?? 0;
    const found = await readBack(join(target, 'data'));
    most = Math.max(most, (known.at(-1)?.ack ?? 0) - found.last);
    if (found.last < due) problems.push(`lost ${due - found.last} of ${due}: cut ${n}, ${fate}`);
    problems.push(...found.problems.map((it) => `${it}: cut ${n}, ${fate}`));
    rmSync(target, { recursive: true, force: true });
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const lost = problems.filter((it) => it.startsWith('lost')).length;
  const what = leftOut ? ' with a sync left out' : '';
  say(
    `${durability}${what}: ${moments.length} cuts, ${lost} lost too much, ${problems.length - lost} other problems, ` +
      `at most ${most} younger commits gone, in ${seconds} s`,
  );
  return problems;
}

function acksOf({ name, args }: Call): number[] {
  if (name !== 'write' || !args.startsWith('1<')) return [];
  return [...String(stringsIn(args)[0]).matchAll(/ack (\d+)\n/g)].map((it) => Number(it[1]));
}

/** Half of them at calls, half at times, so that pauses are cut too. */
function momentsOf(calls: readonly Call[], first: number, cuts: number, random: () => number) {
  const [from, to] = [calls[first]!.at, calls.at(-1)!.at];
  const all = Array.from({ length: cuts }, (_it, n) => {
    if (n % 2 === 0) {
      const index = first + 1 + Math.floor(random() * (calls.length - first - 1));
      return { index, at: calls[index - 1]!.at };
    }
    const at = from + random() * (to - from);
    return { index: calls.findLastIndex((it) => it.at <= at) + 1, at };
  });
  return all.sort((a, b) => a.index - b.index || a.at - b.at);
}

/** Opens the files as the product does, and reads how far the text goes. */
async function readBack(dataDir: string): Promise<{ readonly last: number; readonly problems: string[] }> {
  const { store, storage, problems } = openPlace(dataDir);
  const chat = store.state('chat', CHAT);
  const turns = [...(chat?.turns ?? []), ...(chat?.activeTurn ? [chat.activeTurn] : [])];
  const text = turns.flatMap((it) => it.responseParts.map((part) => (part.kind === 'markdown' ? part.content : '')));
  const counts = text.join('').split(';').slice(0, -1).map(Number);
  if (counts.some((it, n) => it !== n + 1)) problems.push(`a gap: ${counts.join(' ')}`);
  for (const { sha, size } of storage.small.contentOf(SESSION)) {
    const file = join(dataDir, 'content', sha.slice(0, 2), sha);
    const bytes = existsSync(file) ? readFileSync(file) : undefined;
    if (bytes === undefined) problems.push('a content is missing');
    else if (createHash('sha256').update(bytes).digest('hex') !== sha) problems.push(`a content of ${size} is torn`);
  }
  store.close();
  await storage.close();
  const sql = new DatabaseSync(join(dataDir, 'host.db'));
  const verdict = sql.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
  sql.close();
  if (verdict !== 'ok') problems.push(`damaged: ${String(verdict)}`);
  return { last: counts.at(-1) ?? 0, problems };
}
