import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { gitFolder } from '../support/changes/git.ts';
import { say } from '../support/say.ts';
import { Copy } from './copy.ts';
import { firstSet } from './firstSet.ts';
import { fourthSet } from './fourthSet.ts';
import { mendsUndone } from './mendsUndone.ts';
import type { Mutant } from './mutant.ts';
import { secondSet } from './secondSet.ts';
import { thirdSet } from './thirdSet.ts';

/**
 * `npm run mutants [-- ids]`: makes each change by itself in a copy of the sources and runs the tests that have to find it,
 * after it looked that they pass without it. Two at a time. One line a change, then `31 of 31 found` for each set; exit code 1
 * where one is not found, or where its text is not in its file exactly once.
 */
const LANES = 2;

const wanted = process.argv.slice(2).filter((it) => it !== '--');
const sets = [firstSet, secondSet, thirdSet, fourthSet, mendsUndone].map((set) =>
  set.filter((it) => wanted.length === 0 || wanted.includes(it.id)),
);
const waiting = sets.flat();
if (waiting.length === 0) throw new Error(`no such change: ${wanted.join(', ')}`);
const found = new Set<Mutant>();
/** By test file: whether it passes without any change. */
const green = new Map<string, Promise<boolean>>();

const git = await gitFolder();
if (git !== undefined) process.env['PATH'] = [git, process.env['PATH']].join(delimiter);
await Promise.all(Array.from({ length: LANES }, work));
for (const set of sets) if (set.length > 0) say(`${set.filter((it) => found.has(it)).length} of ${set.length} found`);
process.exitCode = found.size === sets.flat().length ? 0 : 1;

async function work(): Promise<void> {
  const copy = new Copy();
  try {
    for (let it = waiting.shift(); it; it = waiting.shift()) {
      const startedMs = performance.now();
      const verdict = await judge(copy, it);
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      if (verdict.isFound) found.add(it);
      say(`${it.id}: ${verdict.isFound ? 'found' : 'NOT FOUND'} in ${seconds} s: ${verdict.why}`);
    }
  } finally {
    copy.remove();
  }
}

async function judge(copy: Copy, mutant: Mutant): Promise<{ readonly isFound: boolean; readonly why: string }> {
  const missed = (why: string) => ({ isFound: false, why });
  const count = readFileSync(join(projectRoot, mutant.file), 'utf8').split(mutant.old).length - 1;
  if (count !== 1) return missed(`its text is ${count} times in ${mutant.file}, and has to be there once`);
  if (mutant.tests.length === 0) return missed(`no test is named for it. ${mutant.breaks}`);
  for (const file of mutant.tests) {
    if (!green.has(file))
      green.set(
        file,
        copy.runTests([file]).then(({ status }) => status === 'green'),
      );
    if (!(await green.get(file))) return missed(`${file} does not pass without it`);
  }
  const outcome = await copy.runMutant(mutant);
  switch (outcome.status) {
    case 'red':
      return { isFound: true, why: outcome.by.split('\n', 1)[0] ?? '' };
    case 'hung':
      return { isFound: mutant.mayHang === true, why: 'its tests did not end' };
    case 'broken':
      return missed('its tests could not be run');
    case 'green':
      return missed(mutant.breaks);
  }
}
