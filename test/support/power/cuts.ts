import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seeded } from '../../kill/plan.ts';
import { say } from '../say.ts';
import { Disk, type Fate, type LeftOut } from './disk.ts';
import { type Call, parseTrace, straceProgram, stringsIn, tracedCalls } from './strace.ts';

const SEED = 20_260_102;
/** In seconds; a sync that is due later would show behind it. */
const LONG_PAUSE = 0.7;
const fates: readonly Fate[] = ['none', 'some', 'torn'];

/** A program that writes, and says with lines of a word and a number what it acknowledged. */
export interface Work {
  readonly name: string;
  /** Gets the data directory and `args`. */
  readonly child: string;
  readonly args: readonly string[];
  /** By word: up to which number it counts, and how many seconds of what was acknowledged a power cut may take. */
  readonly acknowledged: Readonly<Record<string, { readonly last: number; readonly grace: number }>>;
  /** Opens the files as the product does. */
  readBack(dataDir: string): Promise<Found>;
}
export interface Found {
  /** By word: up to which number everything is there. */
  readonly last: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}
export interface Traced {
  readonly work: Work;
  readonly dataDir: string;
  readonly calls: readonly Call[];
}

/** @returns by the name of each work what it did; all work at the same time, most of which is pauses */
export async function traceAll(
  root: string,
  works: Readonly<Record<string, Work>>,
): Promise<ReadonlyMap<string, Traced>> {
  const strace = await straceProgram();
  const all = Object.entries(works).map(async ([name, it]) => [name, await trace(strace, root, it)] as const);
  return new Map(await Promise.all(all));
}

async function trace(strace: string, root: string, work: Work): Promise<Traced> {
  const name = work.name.replaceAll(' ', '-');
  const dataDir = join(root, name, 'data');
  const file = join(root, `${name}.trace`);
  const options = ['-f', '--seccomp-bpf', '-y', '-xx', '-ttt', '-s', '1048576', '-e', `trace=${tracedCalls.join(',')}`];
  const args = [...options, '-o', file, process.execPath, work.child, dataDir, ...work.args];
  await promisify(execFile)(strace, args, { maxBuffer: Number.POSITIVE_INFINITY });
  return { work, dataDir, calls: parseTrace(readFileSync(file, 'latin1')) };
}

/** @returns what was wrong after the cuts */
export async function cutAll(root: string, traced: Traced, cuts: number, leftOut?: LeftOut): Promise<string[]> {
  const startedMs = performance.now();
  const { work, dataDir, calls } = traced;
  const random = seeded(SEED);
  const disk = new Disk(join(dataDir, '..'), leftOut && ((path, call) => leftOut(path.replace(/^data\/?/, ''), call)));
  const acks = calls.flatMap((call, n) => acksOf(call).map((ack) => ({ ...ack, n, at: call.at })));
  for (const [word, { last }] of Object.entries(work.acknowledged))
    assert.equal(acks.findLast((it) => it.word === word)?.number, last, 'the child acknowledged all that it did');
  const problems: string[] = [];
  let played = 0;
  let most = 0;
  const moments = momentsOf(calls, acks[0]!.n, cuts, random);
  for (const [n, { index, at }] of moments.entries()) {
    for (; played < index; played += 1) disk.play(calls[played]!);
    const fate = fates[n % fates.length]!;
    const target = join(root, 'cut');
    disk.cut(target, fate, random);
    const found = await work
      .readBack(join(target, 'data'))
      .catch((thrown: unknown): Found => ({ last: {}, problems: [`not opened: ${String(thrown)}`] }));
    for (const [word, { grace }] of Object.entries(work.acknowledged)) {
      const known = acks.filter((it) => it.word === word && it.n < index);
      const due = known.findLast((it) => it.at < at - grace)?.number ?? 0;
      const last = found.last[word] ?? 0;
      most = Math.max(most, (known.at(-1)?.number ?? 0) - last);
      if (last < due) problems.push(`lost ${due - last} of ${due} (${word}): cut ${n}, ${fate}`);
    }
    problems.push(...found.problems.map((it) => `${it}: cut ${n}, ${fate}`));
    rmSync(target, { recursive: true, force: true });
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const lost = problems.filter((it) => it.startsWith('lost')).length;
  const what = leftOut ? ', with a sync left out' : '';
  say(
    `${work.name}${what}: ${moments.length} cuts, ${lost} lost too much, ${problems.length - lost} other problems, ` +
      `at most ${most} younger writes gone, in ${seconds} s`,
  );
  return problems;
}

function acksOf({ name, args }: Call): { readonly word: string; readonly number: number }[] {
  if (name !== 'write' || !args.startsWith('1<')) return [];
  return [...String(stringsIn(args)[0]).matchAll(/^(\w+) (\d+)$/gm)].map(([, word = '', number]) => ({
    word,
    number: Number(number),
  }));
}

/** A third of them at calls, a third at times, and a third at the end of long pauses, when nothing is young any more. */
function momentsOf(calls: readonly Call[], first: number, cuts: number, random: () => number) {
  const [from, to] = [calls[first]!.at, calls.at(-1)!.at];
  const afterPauses = calls.flatMap((it, n) => (n > first && it.at - calls[n - 1]!.at > LONG_PAUSE ? [n] : []));
  const all = Array.from({ length: cuts }, (_it, n) => {
    const index = afterPauses[Math.floor(n / 3) % afterPauses.length];
    if (n % 3 === 0 && index !== undefined) return { index, at: calls[index]!.at };
    if (n % 3 === 1) {
      const at = from + random() * (to - from);
      return { index: calls.findLastIndex((it) => it.at <= at) + 1, at };
    }
    const called = first + 1 + Math.floor(random() * (calls.length - first - 1));
    return { index: called, at: calls[called - 1]!.at };
  });
  return all.sort((a, b) => a.index - b.index || a.at - b.at);
}
