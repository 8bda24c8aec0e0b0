import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { gitFolder } from '../support/changes/git.ts';
import { say } from '../support/say.ts';
import { endShared } from '../vscode/driver/servedBackend.ts';
import { Album, renewReadme } from './album.ts';
import { type Scene, type SubjectOf, subjects } from './list.ts';
import { scenes } from './scenes/index.ts';

/**
 * `npm run pictures -- FOLDER [--readme] [words]`: pictures of the product as it is, `<subject>-<light|dark>.png`, from
 * the VS Code that comes from npm, which is the same everywhere. Words pick scenes by how their names begin. With `--readme`
 * the README gets the new ones of its pictures. Exit code 1 where a picture could not be taken.
 */
const names = Object.keys(subjects) as Scene[];
const args = process.argv.slice(2);
const [folder, ...words] = args.filter((it) => !it.startsWith('-'));
const unknown = [
  ...words.filter((word) => !names.some((it) => it.startsWith(word))),
  ...args.filter((it) => it.startsWith('-') && it !== '--readme'),
];

if (folder === undefined || unknown.length > 0) {
  if (unknown.length > 0) say(`pictures: ${unknown.join(', ')} is not known`);
  say('usage: npm run pictures -- FOLDER [--readme] [scenes]');
  say(`scenes: ${names.join(', ')}`);
  process.exitCode = 2;
} else {
  const chosen = names.filter((name) => words.length === 0 || words.some((it) => name.startsWith(it)));
  process.exitCode = (await takeAll(resolve(folder), chosen, args.includes('--readme'))) ? 0 : 1;
}

async function takeAll(into: string, chosen: readonly Scene[], isForReadme: boolean): Promise<boolean> {
  process.chdir(projectRoot);
  process.env['SWITCHBOARD_EDITOR'] = 'served';
  const git = await gitFolder();
  if (git !== undefined) process.env['PATH'] = [git, process.env['PATH']].join(delimiter);
  if (process.env['SWITCHBOARD_BUILT'] !== '1') {
    const built = spawnSync(process.execPath, ['esbuild.mjs'], { stdio: 'inherit' });
    if (built.status !== 0) return false;
  }
  mkdirSync(into, { recursive: true });
  const taken = new Set<string>();
  let missing = 0;
  for (const name of chosen) {
    const left = await takeScene(name, into);
    missing += left.length;
    for (const it of subjects[name]) if (!left.includes(it)) taken.add(it);
  }
  await endShared();
  if (isForReadme) renewReadme(into, taken, join(projectRoot, 'media', 'screenshots'));
  say(`${taken.size} subjects, each in light and in dark, ${missing} missing`);
  return missing === 0;
}

/** @returns what could not be taken */
async function takeScene<S extends Scene>(name: S, into: string): Promise<readonly string[]> {
  const album = new Album<SubjectOf<S>>(into, subjects[name]);
  try {
    await scenes[name](album);
  } catch (thrown) {
    say(`pictures: ${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  if (album.left.length > 0) say(`pictures: not taken: ${album.left.join(', ')}`);
  return album.left;
}
