import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from '../cache.ts';
import { say } from '../say.ts';

/**
 * The folder to put first on PATH so that tests of repositories find a real git: `undefined` where PATH has one, else
 * Debian's package, checked by apt and unpacked into the cache, which needs neither root nor a compiler.
 *
 * @throws {Error} with apt's own words, where there is no apt either or it reaches no mirror
 */
export async function gitFolder(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  if (!spawnSync('git', ['--version'], { env, stdio: 'ignore' }).error) return undefined;
  const folder = await cached('git', async (partial) => {
    say("git: unpacking Debian's package, because there is none here (7 MB, once)");
    await unpackDebian('git', partial, env);
    writeStarter(partial);
  });
  return join(folder, 'bin');
}

/**
 * Lists and packages go below `folder`, so that apt writes nothing that belongs to the machine.
 *
 * @throws {Error} with apt's own words
 */
export async function unpackDebian(name: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const own = join(folder, 'apt');
  for (const it of ['lists', 'archives']) mkdirSync(join(own, it, 'partial'), { recursive: true });
  const places = { 'Dir::State::lists': join(own, 'lists'), 'Dir::Cache': own, 'APT::Sandbox::User': '' };
  const options = Object.entries(places).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const run = promisify(execFile);
  await run('apt-get', [...options, '--quiet', '--quiet', 'update'], { cwd: own, env });
  await run('apt-get', [...options, '--quiet', '--quiet', 'download', name], { cwd: own, env });
  const file = readdirSync(own).find((it) => it.endsWith('.deb'));
  if (file === undefined) throw new Error(`apt-get downloaded no package ${name}`);
  await run('dpkg-deb', ['--extract', join(own, file), folder], { env });
  rmSync(own, { recursive: true });
}

/** The package expects to lie below `/usr`; who starts it here tells it where it is, after any rename of the folder. */
function writeStarter(folder: string): void {
  const lines = [
    '#!/bin/sh',
    `usr="\${0%/*}/../usr"`,
    'GIT_EXEC_PATH="$usr/lib/git-core" GIT_TEMPLATE_DIR="$usr/share/git-core/templates"',
    'export GIT_EXEC_PATH GIT_TEMPLATE_DIR',
    'exec "$usr/bin/git" "$@"',
  ];
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'git'), `${lines.join('\n')}\n`, { mode: 0o755 });
}
