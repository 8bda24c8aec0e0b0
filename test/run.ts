import { spawn } from 'node:child_process';
import { appendFileSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectRoot } from './support/cache.ts';
import { gitFolder } from './support/changes/git.ts';
import { say } from './support/say.ts';

/**
 * `npm test` and its parts: `node run.mjs test/run.ts [part] [mocha arguments | words]`. Words without a dash are taken
 * as `-g word`. What failed is told again at the end, and into the file that `SWITCHBOARD_FAILURES` names. The last line
 * is `N passed, N failed, N skipped`, the sum over the parts. A part without tests fails.
 */
interface Part {
  readonly files: string;
  /** Whether it uses the built bundles. */
  readonly built?: boolean;
  readonly timeoutMs?: number;
  /** Ends when the last test did, whatever a failed one left open: a browser, a socket. */
  readonly exits?: boolean;
}

const parts: Readonly<Record<string, Part>> = {
  unit: { files: 'test/unit/**/*.test.ts' },
  contract: { files: 'test/contract/**/*.test.ts' },
  architecture: { files: 'test/architecture/**/*.test.ts', built: true, timeoutMs: 60_000 },
  integration: { files: 'test/integration/**/*.test.ts', built: true, timeoutMs: 60_000 },
  vscode: { files: 'test/vscode/**/*.test.ts', built: true, timeoutMs: 180_000, exits: true },
  agents: { files: 'test/agents/**/*.test.ts', built: true, timeoutMs: 300_000, exits: true },
  conformance: { files: 'test/conformance/**/*.test.ts', timeoutMs: 300_000 },
  kill: { files: 'test/kill/**/*.test.ts', built: true, timeoutMs: 1_800_000 },
};
const everyday = ['unit', 'contract', 'architecture', 'integration', 'vscode'];

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed and why; a part that died before it could count names itself. */
  failures: readonly string[];
}

process.chdir(projectRoot);
const [wanted, ...rest] = process.argv.slice(2);
if (wanted !== undefined && !(wanted in parts))
  throw new Error(`no such part: ${wanted}; there are ${Object.keys(parts).join(', ')}`);
const chosen = wanted === undefined ? everyday : [wanted];
const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
let broken = false;
await putGitOnPath();

if (chosen.some((it) => parts[it]?.built) && process.env['SWITCHBOARD_BUILT'] !== '1') {
  broken = (await run(process.execPath, ['esbuild.mjs'], {})) !== 0;
  if (broken) {
    total.failed += 1;
    failures.push('the build: see above');
  }
}
for (const name of broken ? [] : chosen) {
  const counts = await runPart(name, parts[name] as Part);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  failures.push(...counts.failures.map((it) => `${name}: ${it}`));
}
if (failures.length > 0) {
  const told = failures.map((it) => `failed: ${it}`).join('\n');
  say(told);
  const file = process.env['SWITCHBOARD_FAILURES'];
  if (file) appendFileSync(file, `${told}\n`);
}
say(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function runPart(name: string, part: Part): Promise<Counts> {
  if (globSync(part.files).length === 0) {
    say(`${name}: there is no test at ${part.files}`);
    return { passed: 0, failed: 1, skipped: 0, failures: ['there is no test'] };
  }
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-counts-'));
  const file = join(folder, 'counts.json');
  const words = rest.filter((it) => it !== '--');
  const pattern = words.length > 0 && !words[0]?.startsWith('-') ? ['-g', words.join(' ')] : words;
  const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
  const reporter = join('test', 'support', 'report', 'countsReporter.ts');
  const timeout = part.timeoutMs === undefined ? [] : ['--timeout', String(part.timeoutMs)];
  const exit = part.exits ? ['--exit'] : [];
  say(`${name}: ${part.files}`);
  const code = await run(
    process.execPath,
    [mocha, part.files, '--reporter', reporter, ...timeout, ...exit, ...pattern],
    {
      SWITCHBOARD_COUNTS: file,
    },
  );
  const counts = readCounts(file);
  rmSync(folder, { recursive: true, force: true });
  say(
    `${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped in ${Math.round((performance.now() - started) / 1000)} s`,
  );
  const silent = counts.failed === 0 && (code !== 0 || counts.passed === 0);
  return silent ? { ...counts, failed: 1, failures: [`it ended with ${code}, and no test said why`] } : counts;
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

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: projectRoot, env: { ...process.env, ...env }, stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
