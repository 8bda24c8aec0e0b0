import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectRoot } from './support/cache.ts';
import { gitFolder } from './support/changes/git.ts';
import { memoryFolder } from './support/files/memoryFolder.ts';
import { whenIdle } from './support/lanes/idleProcessors.ts';
import { inLanes, inPieces, type Lap, twoToOne } from './support/lanes/lanes.ts';
import type { Shown } from './support/report/countsReporter.ts';
import { featureTable } from './support/report/featureTable.ts';
import { faultsOf, type Titled } from './support/report/titleFaults.ts';
import { say } from './support/say.ts';

/**
 * `npm test` and its parts: `node run.mjs test/run.ts [part] [mocha arguments | words]`. Words without a dash are taken
 * as `-g word`. Parts run in pieces of their files, each in a process of its own, one more at a time than there are
 * processors, and up to two more while the processors are idle for a quarter of the time; exactly `SWITCHBOARD_LANES` where that is
 * set; with words or arguments in one. A piece prints when it has ended, one that runs alone as it goes.
 * What failed is told again at the end, and into the file that `SWITCHBOARD_FAILURES` names. The last line is
 * `N passed, N failed, N skipped`, the sum over the parts. A part without tests fails. So does a title that is too short to be a
 * sentence, or that belongs to two tests. A run of all parts writes `dist/features.md`: which features its tests have shown.
 */
interface Part {
  readonly files: string;
  /** Whether it uses the built bundles. */
  readonly built?: boolean;
  readonly timeoutMs?: number;
  /** Ends when the last test did, whatever a failed one left open: a browser, a socket. */
  readonly exits?: boolean;
  /** Among how many processes its files are divided; 1 by default. A process that uses less memory starts child processes faster. */
  readonly pieces?: number;
  /** How long one of its pieces may take before it is ended and has failed; 15 without. */
  readonly limitMinutes?: number;
  /** Its pieces take longest and begin first, so that none runs alone at the end, as many at a time as there are processors. */
  readonly isLong?: boolean;
  /**
   * Its pieces mostly wait for processes that they started, so they run beside pieces that compute. Two of them begin for
   * each of the others, which are short and keep all processors busy at the end.
   */
  readonly waits?: boolean;
}

const parts: Readonly<Record<string, Part>> = {
  unit: { files: 'test/unit/**/*.test.ts', pieces: 12 },
  contract: { files: 'test/contract/**/*.test.ts' },
  architecture: { files: 'test/architecture/**/*.test.ts', built: true },
  integration: { files: 'test/integration/**/*.test.ts', built: true, pieces: 8, waits: true },
  vscode: {
    files: 'test/vscode/**/*.test.ts',
    built: true,
    timeoutMs: 300_000,
    exits: true,
    pieces: 6,
    limitMinutes: 25,
    isLong: true,
  },
  // An agent mostly waits for its model.
  agents: {
    files: 'test/agents/**/*.test.ts',
    built: true,
    timeoutMs: 300_000,
    exits: true,
    pieces: 6,
    limitMinutes: 25,
  },
  conformance: { files: 'test/conformance/**/*.test.ts', timeoutMs: 300_000 },
  power: { files: 'test/power/**/*.test.ts', timeoutMs: 600_000, limitMinutes: 20 },
  kill: { files: 'test/kill/**/*.test.ts', built: true, timeoutMs: 1_800_000, limitMinutes: 120 },
};
const everyday = ['vscode', 'architecture', 'contract', 'integration', 'unit'];
const chosenLanes = process.env['SWITCHBOARD_LANES'];
const lanes = Number(chosenLanes ?? availableParallelism() + 1);
if (!(Number.isInteger(lanes) && lanes > 0))
  throw new Error(`SWITCHBOARD_LANES must be a whole number of 1 or more, and is '${chosenLanes}'`);
/** On a fast machine, pieces mostly wait for processes to start, or for the times that their tests contain. */
const moreWhenIdle = { pieces: 2, everyMs: 5_000, share: 0.25 };
/** How long a process that ended may leave its output open to the ones that it started. */
const afterExitMs = 5000;
const running = new Set<ChildProcess>();
/** Where tests keep their files. Sandboxes replace `/dev`, and some tests need a disk: their files are not kept in memory. */
const memory = process.env['TMPDIR'] === undefined ? memoryFolder() : undefined;
const onDisk = /^test\/(integration\/sandbox|power|kill)\//;
// A process that a test left behind may still write there. That is printed, and does not change the result.
process.on('exit', () => memory && spawnSync('rm', ['-rf', memory], { stdio: 'inherit' }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    for (const it of running) killWithChildren(it);
    process.exit(1);
  });

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed and why; a part that died before it could count names itself. */
  failures: readonly string[];
  /** By the id of a feature. */
  readonly shown?: Readonly<Record<string, Shown>>;
  readonly titles?: readonly Titled[];
  /** The test that ran when this was written; none at the end. */
  running?: string;
}

process.chdir(projectRoot);
const [wanted, ...rest] = process.argv.slice(2);
if (wanted !== undefined && !(wanted in parts))
  throw new Error(`no such part: ${wanted}; there are ${Object.keys(parts).join(', ')}`);
const chosen = wanted === undefined ? everyday : [wanted];
const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
let broken = false;
const words = rest.filter((it) => it !== '--');
const pattern = words.length > 0 && !words[0]?.startsWith('-') ? ['-g', words.join(' ')] : words;
await putGitOnPath();

if (chosen.some((it) => parts[it]?.built) && process.env['SWITCHBOARD_BUILT'] !== '1') {
  broken = (await run(process.execPath, ['esbuild.mjs'], {}, false)).code !== 0;
  if (broken) {
    total.failed += 1;
    failures.push('the build: see above');
  }
}
const counted = new Map<string, Counts[]>(chosen.map((it) => [it, []]));
const lapsIf = (wanted: (it: Part) => boolean | undefined) =>
  (broken ? [] : chosen).flatMap((it) => (wanted(parts[it]!) ? lapsOf(it, parts[it]!) : []));
const laps = [
  ...lapsIf((it) => it.isLong),
  ...twoToOne(
    lapsIf((it) => it.waits),
    lapsIf((it) => !it.isLong && !it.waits),
  ),
];
const alone = laps.length === 1;
await inLanes(laps, {
  width: lanes,
  ...(chosenLanes === undefined && {
    most: lanes + moreWhenIdle.pieces,
    watch: (begin: () => void) => whenIdle(begin, moreWhenIdle),
  }),
  atOnce: Object.fromEntries(chosen.filter((it) => parts[it]!.isLong).map((it) => [it, availableParallelism()])),
});
for (const [name, all] of broken ? [] : counted) {
  const counts = sumOf(all);
  if (all.length > 1) say(`${name}: ${lineOf(counts)}`);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  failures.push(...counts.failures.map((it) => `${name}: ${it}`));
}
const faults = faultsOf([...counted.values()].flat().flatMap((it) => it.titles ?? []));
total.failed += faults.length;
failures.push(...faults.map((it) => `titles: ${it}`));
if (failures.length > 0) {
  const told = failures.map((it) => `failed: ${it}`).join('\n');
  say(told);
  const file = process.env['SWITCHBOARD_FAILURES'];
  if (file) appendFileSync(file, `${told}\n`);
}
if (wanted === undefined && !broken) tellFeatures([...counted.values()].flat());
say(lineOf(total));
process.exitCode = total.failed > 0 ? 1 : 0;

function tellFeatures(all: readonly Counts[]): void {
  const shown: Record<string, Shown> = {};
  for (const [id, { passed, failed }] of all.flatMap((it) => Object.entries(it.shown ?? {}))) {
    const sum = (shown[id] ??= { passed: 0, failed: 0 });
    sum.passed += passed;
    sum.failed += failed;
  }
  const { text, line } = featureTable(shown);
  writeFileSync(join('dist', 'features.md'), text);
  say(`${line} (dist/features.md)`);
}

function lapsOf(name: string, part: Part): readonly Lap[] {
  const files = globSync(part.files).sort();
  const inMemory = files.filter((it) => !onDisk.test(it));
  // Tests that need a disk mostly wait, so they begin first.
  const kinds =
    pattern.length > 0 ? [files] : [files.filter((it) => onDisk.test(it)), ...inPieces(inMemory, part.pieces ?? 1)];
  const cut = kinds.filter((it) => it.length > 0);
  const title = (i: number) => (cut.length === 1 ? name : `${name} ${i + 1} of ${cut.length}`);
  return cut.map((it, i) => ({ kind: name, run: () => runPiece(title(i), name, part, it) }));
}

async function runPiece(title: string, name: string, part: Part, files: readonly string[]): Promise<void> {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-counts-'));
  const file = join(folder, 'counts.json');
  const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
  const reporter = join('test', 'support', 'report', 'countsReporter.ts');
  const timeout = part.timeoutMs === undefined ? [] : ['--timeout', String(part.timeoutMs)];
  const exit = part.exits ? ['--exit'] : [];
  const compiled = ['--require', join('test', 'support', 'report', 'compileCache.ts')];
  const args = [mocha, ...files, ...compiled, '--reporter', reporter, ...timeout, ...exit, ...pattern];
  say(`${title}: begins (${files.length} files)`);
  const minutes = part.limitMinutes ?? 15;
  const place = memory === undefined || files.some((it) => onDisk.test(it)) ? {} : { TMPDIR: memory };
  const { code, output } = await run(process.execPath, args, { SWITCHBOARD_COUNTS: file, ...place }, !alone, minutes);
  process.stdout.write(output);
  const counts = withDeath(readCounts(file), title, code, minutes);
  rmSync(folder, { recursive: true, force: true });
  const seconds = Math.round((performance.now() - started) / 1000);
  say(`${title}: ${lineOf(counts)} in ${seconds} s`);
  counted.get(name)?.push(counts);
}

/** One more has failed where the process was ended, died in a test, or failed without a test that says why. */
function withDeath(counts: Counts, title: string, code: number | 'limit', minutes: number): Counts {
  const silent = counts.failed === 0 && (code !== 0 || counts.passed === 0);
  if (!silent && counts.running === undefined && code !== 'limit') return counts;
  const how = code === 'limit' ? `was ended after ${minutes} minutes` : `ended with ${code}`;
  const during = counts.running === undefined ? 'no test said why' : `it ran “${counts.running}”`;
  return { ...counts, failed: counts.failed + 1, failures: [...counts.failures, `${title} ${how}: ${during}`] };
}

/** Of the pieces of a part; one without files has failed once. */
function sumOf(all: readonly Counts[]): Counts {
  const sum = (of: (it: Counts) => number) => all.reduce((total, it) => total + of(it), 0);
  const counts = {
    passed: sum((it) => it.passed),
    failed: sum((it) => it.failed),
    skipped: sum((it) => it.skipped),
    failures: all.flatMap((it) => it.failures),
  };
  return all.length === 0 ? { ...counts, failed: 1, failures: ['there is no test'] } : counts;
}

function lineOf({ passed, failed, skipped }: Omit<Counts, 'failures'>): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Where no git is to be had the tests of repositories fail: a missing part is not skipped. */
async function putGitOnPath(): Promise<void> {
  try {
    const folder = await gitFolder();
    if (folder !== undefined) process.env['PATH'] = [folder, process.env['PATH']].join(delimiter);
  } catch (thrown) {
    const reason = (thrown instanceof Error ? thrown.message : String(thrown)).trim().split('\n').at(-1);
    say(`git: it is not installed and cannot be fetched (${reason}); the tests of repositories will fail`);
  }
}

/** A part that died before it could count has failed once. */
function readCounts(file: string): Counts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Counts;
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: ['it died before it could count its tests'] };
  }
}

/**
 * @param held its output is answered when it has ended, and does not appear as it goes
 * @param minutes after which it and all that it started are killed
 */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv, held: boolean, minutes = 15) {
  return new Promise<{ code: number | 'limit'; output: string }>((resolve, reject) => {
    const colors = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
    const child = spawn(command, args, {
      cwd: projectRoot,
      env: { ...process.env, ...colors, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    running.add(child);
    let output = '';
    let overdue = false;
    const hear = (it: string) => {
      if (held) output += it;
      else process.stdout.write(it);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    const limit = setTimeout(() => {
      overdue = true;
      killWithChildren(child);
    }, minutes * 60_000);
    const ended = (code: number | null) => {
      running.delete(child);
      // What it started and left behind may hold its output open for ever.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code: overdue ? 'limit' : (code ?? 1), output });
    };
    child.on('error', reject);
    child.on('close', ended);
    child.on('exit', (code) => {
      clearTimeout(limit);
      setTimeout(() => ended(code), afterExitMs).unref();
    });
  });
}

/** It leads a group of its own, to which its children belong. */
function killWithChildren(child: ChildProcess): void {
  try {
    process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}
