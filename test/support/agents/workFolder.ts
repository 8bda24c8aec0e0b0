import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A git repository for agents to work in: each cell of the table begins with a commit of all that is there. */
export interface WorkFolder {
  readonly path: string;
  /** The bytes' SHA-256, `undefined` for a file that is not there. */
  sha(name: string): string | undefined;
  commit(): void;
  /** `git diff --numstat` against the last commit, new files and renames included: `added removed name`. */
  numstat(): readonly string[];
}

/** Numbered lines with the given end. */
export function lines(count: number, end = '\n'): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}${end}`).join('');
}

export function makeWorkFolder(path: string): WorkFolder {
  mkdirSync(path, { recursive: true });
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', '-c', 'core.autocrlf=false'];
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: path, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  git('init', '--initial-branch=main');
  writeFileSync(join(path, 'long.txt'), lines(300));
  writeFileSync(join(path, 'crlf.txt'), lines(20, '\r\n'));
  writeFileSync(join(path, 'sed.txt'), lines(10));
  writeFileSync(join(path, 'gone.txt'), lines(7));
  writeFileSync(join(path, 'old-name.txt'), lines(40));
  writeFileSync(join(path, 'picture.bin'), Buffer.from([0, 1, 2, 255, 254, 10, 0]));
  const commit = () => {
    git('add', '--all');
    git('commit', '--allow-empty', '--message', 'So far');
  };
  commit();
  return {
    path,
    commit,
    sha: (name) => {
      const file = join(path, name);
      return existsSync(file) ? shaOf(readFileSync(file)) : undefined;
    },
    numstat() {
      git('add', '--all');
      const text = git('diff', '--cached', '--numstat', '--find-renames', '-z', 'HEAD');
      git('reset', '--quiet');
      // With -z a rename is `added<TAB>removed<TAB>`, then the old name, then the new one.
      const fields = text.split('\0').filter((it) => it !== '');
      const rows: string[] = [];
      for (let at = 0; at < fields.length; at++) {
        const [added, removed, name] = fields[at]!.split('\t');
        rows.push(`${added} ${removed} ${name === '' ? fields[((at += 2))] : name}`);
      }
      return rows;
    },
  };
}

export function shaOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
