import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { projectRoot } from '../../support/cache.ts';
import type { Titled } from '../../support/report/titleFaults.ts';

const Report = z.object({
  tests: z.array(z.object({ title: z.string(), fullTitle: z.string(), file: z.string() })),
});
const compiled = join(projectRoot, 'test', 'support', 'report', 'compileCache.ts');
const everyday = ['unit', 'contract', 'architecture', 'integration', 'vscode'];

/** All tests of a checkout that is built, none of which runs. */
export async function titlesOf(folder: string): Promise<readonly Titled[]> {
  const files = everyday.flatMap((it) => globSync(`test/${it}/**/*.test.ts`, { cwd: folder }));
  const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [mocha, '--dry-run', '--require', compiled, '--reporter', 'json', ...files],
    options,
  );
  return Report.parse(JSON.parse(stdout.slice(stdout.indexOf('{')))).tests.map((it) => ({
    full: it.fullTitle,
    own: it.title,
    file: relative(folder, it.file).replaceAll('\\', '/'),
  }));
}

/** A title that is gone, and the new one that is most like it; undefined where none is. */
export interface Renamed {
  readonly from: Titled;
  readonly to: Titled | undefined;
}

/** Titles of `before` that `after` has not, each with its successor: one in a file of the same name, or with most of its words. */
export function renamed(before: readonly Titled[], after: readonly Titled[]): readonly Renamed[] {
  const kept = new Set(after.map((it) => it.full));
  const known = new Set(before.map((it) => it.full));
  const added = after.filter((it) => !known.has(it.full));
  return before
    .filter((it) => !kept.has(it.full))
    .map((from) => {
      const rated = added.map((to) => ({ to, likeness: likeness(from, to) })).filter((it) => it.likeness >= 0.5);
      const best = rated.reduce((a, b) => (b.likeness > a.likeness ? b : a), { to: undefined, likeness: 0 } as {
        to: Titled | undefined;
        likeness: number;
      });
      if (best.to) added.splice(added.indexOf(best.to), 1);
      return { from, to: best.to };
    });
}

/** The share of common words; in a file of the same name that of the words of the old one, and a quarter more. */
function likeness(a: Titled, b: Titled): number {
  const [left, right] = [a, b].map((it) => new Set(it.full.toLowerCase().match(/[\p{L}\d]+/gu) ?? []));
  if (!left || !right) return 0;
  const common = [...left].filter((it) => right.has(it)).length;
  const sameFile = a.file.split('/').at(-1) === b.file.split('/').at(-1);
  const all = sameFile ? left.size : left.size + right.size - common;
  return common / (all || 1) + (sameFile ? 0.25 : 0);
}
