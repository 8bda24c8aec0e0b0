import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const known = new Map<string, string>();
let templates: string | undefined;

/**
 * Makes a folder a Git repository with one commit of all its files. That takes Git five processes or more. A folder with the same
 * content as an earlier one therefore gets a copy of that repository, in which only the times of the files are updated.
 *
 * @param content identifies what the folder contains
 * @param branch of the commit; Git's default if absent
 */
export function commitAll(
  folder: string,
  content: string,
  config: Readonly<Record<string, string>> = {},
  branch?: string,
): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  const repository = join(folder, '.git');
  const key = JSON.stringify([content, config, branch]);
  const template = known.get(key);
  if (template !== undefined) {
    cpSync(template, repository, { recursive: true });
    git('update-index', '-q', '--refresh');
    return;
  }
  git('init', '--quiet', ...(branch === undefined ? [] : ['--initial-branch', branch]));
  rmSync(join(repository, 'hooks'), { recursive: true, force: true }); // only samples
  mkdirSync(join(repository, 'hooks'));
  for (const [name, value] of Object.entries(config)) git('config', name, value);
  git('add', '--all');
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false'];
  const ours = Object.entries(config).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  git(...identity, ...ours, 'commit', '--quiet', '--allow-empty', '--message', 'start');
  if (templates === undefined) {
    const made = (templates = mkdtempSync(join(tmpdir(), 'repositories-')));
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  }
  const kept = join(templates, String(known.size));
  cpSync(repository, kept, { recursive: true });
  known.set(key, kept);
}
