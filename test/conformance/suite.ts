import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { cached } from '../support/cache.ts';
import { npm } from '../support/npm.ts';

const VERSION = '0.1.16';

/** The public conformance suite of MCP; kept between runs. @returns its entry point */
export async function conformanceSuite(): Promise<string> {
  const folder = await cached(`conformance-${VERSION}`, async (into) => {
    mkdirSync(into, { recursive: true });
    writeFileSync(join(into, 'package.json'), '{"private":true}');
    await npm(['install', '--ignore-scripts', '--save-exact', `@modelcontextprotocol/conformance@${VERSION}`], into);
  });
  return join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
}

/** `scenario: N passed, M failed`, in the order of the suite. */
export type Verdicts = readonly string[];

export async function judgeServer(suite: string, url: string): Promise<Verdicts> {
  return verdictsOf(await run([suite, 'server', '--url', url, '--suite', 'all']));
}

/** Names of its scenarios for clients. */
export async function clientScenarios(suite: string): Promise<readonly string[]> {
  const listed = await run([suite, 'list', '--client']);
  return [...listed.slice(listed.indexOf('Client scenarios')).matchAll(/^ {2}- (\S+)/gm)].map((it) => it[1] ?? '');
}

/**
 * What the suite found of a client in one scenario: each check once with its worst verdict, since most are made on every
 * request, and whether the client itself was content.
 *
 * @param command started with the address of the suite's server as its last word
 */
export async function judgeClient(suite: string, scenario: string, command: string): Promise<Verdicts> {
  const output = await run([suite, 'client', '--command', command, '--scenario', scenario]);
  const worst = new Map<string, number>();
  for (const [, id = '', verdict = ''] of stripVTControlCharacters(output).matchAll(/^\S+Z \[(\S+) *\] ([A-Z]+)/gm)) {
    const at = grades.indexOf(verdict);
    if (at > 0) worst.set(id, Math.max(at, worst.get(id) ?? 0));
  }
  const ended = output.includes('CLIENT TIMED OUT') || output.includes('CLIENT EXITED WITH ERROR');
  const checks = [...worst].map(([id, at]) => `${scenario} ${id}: ${grades[at]}`).sort();
  return [...checks, `${scenario} client: ${ended ? 'failed' : 'ended well'}`];
}

const grades = ['INFO', 'SUCCESS', 'SKIPPED', 'WARNING', 'FAILURE'];

/** Ends with 1 where something failed: what failed is in what it printed. */
async function run(args: readonly string[]): Promise<string> {
  const options = { maxBuffer: 64 * 1024 * 1024, timeout: 120_000 };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args], options);
    return `${stdout}\n${stderr}`;
  } catch (thrown) {
    if (thrown instanceof Error && 'stdout' in thrown && 'stderr' in thrown)
      return `${String(thrown.stdout)}\n${String(thrown.stderr)}`;
    throw thrown;
  }
}

const verdictsOf = (output: string): Verdicts =>
  output
    .slice(output.indexOf('=== SUMMARY'))
    .split('\n')
    .filter((it) => /^[✓✗] /.test(it))
    .map((it) => it.slice(2));
