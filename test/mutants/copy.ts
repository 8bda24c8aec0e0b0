import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheFolder } from '../support/cache.ts';
import { copyProject } from '../support/files/projectCopy.ts';
import type { Mutant } from './mutant.ts';
import { type Outcome, runNode } from './runNode.ts';

/** Tests that start what is built. */
const onBundles = /^test\/(?:architecture|integration|kill|vscode)\//;

const BUILD_MS = 60_000;
const TESTS_MS = 300_000;

/** The sources in a folder of their own, so that no change is ever made in the checkout. */
export class Copy {
  readonly #folder: string;
  /** The change that is in the bundles. Absent: there are none. */
  #built: string | undefined;

  constructor() {
    this.#folder = copyProject('switchboard-mutants-');
  }

  /** Runs test files against the code as it is. */
  runTests(files: readonly string[]): Promise<Outcome> {
    return this.#run('nothing', files);
  }

  /** Runs the tests of a change against it, and takes it back. */
  async runMutant(mutant: Mutant): Promise<Outcome> {
    const file = join(this.#folder, mutant.file);
    const before = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      before.replace(mutant.old, () => mutant.new),
    );
    try {
      return await this.#run(mutant.id, mutant.tests, ['--bail']);
    } finally {
      writeFileSync(file, before);
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(change: string, files: readonly string[], options: readonly string[] = []): Promise<Outcome> {
    if (files.some((it) => onBundles.test(it)) && this.#built !== change) {
      this.#built = undefined;
      const { status } = await runNode(['esbuild.mjs'], this.#folder, {}, BUILD_MS);
      if (status !== 'ended' || !existsSync(join(this.#folder, 'dist'))) return { status: 'broken' };
      this.#built = change;
    }
    const counts = join(this.#folder, 'counts.json');
    rmSync(counts, { force: true });
    const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
    const reporter = join('test', 'support', 'report', 'countsReporter.ts');
    const args = [mocha, ...files, '--reporter', reporter, '--timeout', '60000', '--exit', ...options];
    const env = { SWITCHBOARD_COUNTS: counts, SWITCHBOARD_CACHE: cacheFolder };
    const ended = await runNode(args, this.#folder, env, TESTS_MS);
    if (ended.status === 'hung') return { status: 'hung' };
    // A run that died before its tests could say anything has found nothing.
    if (!existsSync(counts)) return { status: 'broken' };
    const { passed, failed, failures } = JSON.parse(readFileSync(counts, 'utf8')) as Counts;
    if (failed > 0) return { status: 'red', by: failures[0] ?? basename(files[0] ?? '') };
    return { status: passed > 0 ? 'green' : 'broken' };
  }
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
}
