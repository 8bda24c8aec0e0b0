import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../support/cache.ts';
import { say } from '../../support/say.ts';
import { renamed, titlesOf } from './titles.ts';

/**
 * `npm run titles -- <commit>`: which titles of tests a commit had that are gone, old → new, and those without a successor.
 * Exit code 1 where there is one of these. Needs a build, and the commit's own packages to be near enough those of now.
 */
const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error('which commit? npm run titles -- <commit>');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-titles-'));
try {
  const tree = execFileSync('git', ['archive', commit], { cwd: projectRoot, maxBuffer: 512 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: tree });
  for (const it of ['node_modules', 'dist']) symlinkSync(join(projectRoot, it), join(folder, it), 'junction');
  const [before, after] = [await titlesOf(folder), await titlesOf(projectRoot)];
  const changes = renamed(before, after);
  for (const { from, to } of changes)
    say(to ? `${from.full}\n  → ${to.full}` : `${from.full}\n  is missing; it was in ${from.file}`);
  const missing = changes.filter((it) => !it.to).length;
  say(`titles: ${before.length} before, ${after.length} now, ${changes.length - missing} renamed, ${missing} missing`);
  process.exitCode = missing > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
