import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from './support/cache.ts';
import { inLanes } from './support/lanes/lanes.ts';
import { say } from './support/say.ts';

/**
 * `npm run check`: types, format, lint, unused code, architecture. All of them run, two at a time, the longest first; one
 * line each; exit code 1 where one fails. What the type checks found out about unchanged files is kept in `node_modules`.
 * `--without architecture` leaves out the architecture tests, which `npm test` also runs.
 */
interface Check {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** One checker each: more of them work out the same types again, and the other core has a check of its own. */
const typesOf = (part: string): Check => {
  const known = join('node_modules', '.cache', 'types', `${part}.tsbuildinfo`);
  const args = ['-p', `tsconfig.${part}.json`, '--checkers', '1', '--incremental', '--tsBuildInfoFile', known];
  return { name: `types of ${part}`, command: 'tsc', args };
};
/**
 * How far the heap of a Go program (compiler, lint with types) grows before it collects, in percent. At its usual 100 lint
 * spends a quarter of its processor time on that; at 300 it takes an eighth more memory (3 GB).
 */
const goCollects = '300';
const own = ['start.ts', 'vsix.ts', 'npmPackage.ts', 'marketplace.ts', 'rooms.ts', 'run.mjs', 'esbuild.mjs'];
const all: readonly Check[] = [
  typesOf('test'),
  {
    name: 'lint with types (oxlint)',
    command: 'oxlint',
    args: ['--type-aware', 'src', 'sidecar', 'media', 'test', ...own],
  },
  typesOf('sidecar'),
  { name: 'architecture', command: 'node', args: ['run.mjs', 'test/run.ts', 'architecture'] },
  {
    name: 'format and lint (biome)',
    command: 'biome',
    args: ['ci', '--error-on-warnings', '--max-diagnostics=50', '.'],
  },
  typesOf('src'),
  typesOf('protocol'),
  { name: 'unused code (knip)', command: 'knip', args: ['--no-progress'] },
  { name: 'code that tests alone use (knip)', command: 'knip', args: ['--production', '--no-progress'] },
  typesOf('media'),
];

const left = process.argv.slice(2);
if (left.length > 0 && left.join(' ') !== '--without architecture') throw new Error(`unknown: ${left.join(' ')}`);
const checks = all.filter((it) => left.length === 0 || it.name !== 'architecture');
const failed: string[] = [];
const begun = performance.now();
await inLanes(
  checks.map((it) => ({ run: () => check(it) })),
  { width: 2 },
);
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
say(`check: ${failed.length === 0 ? 'all ok' : `failed: ${failed.join(', ')}`} in ${seconds} s`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function check({ name, command, args }: Check): Promise<void> {
  const started = performance.now();
  const { code, output } = await run(command, args);
  const took = ((performance.now() - started) / 1000).toFixed(1);
  say(`check: ${name}: ${code === 0 ? 'ok' : 'failed'} in ${took} s`);
  if (code === 0) return;
  failed.push(name);
  say(output.trimEnd());
}

function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, GOGC: goCollects };
    const child = spawn(command, args, { cwd: projectRoot, env, shell: process.platform === 'win32' });
    let output = '';
    child.stdout.on('data', (it) => (output += it));
    child.stderr.on('data', (it) => (output += it));
    child.on('error', (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
