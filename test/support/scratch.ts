import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './cache.ts';

export interface Scratch {
  readonly root: string;
  /** A copy of the sample workspace. */
  readonly workspace: string;
  /** For the editor's and the host's data. */
  readonly dataDir: string;
  /** False where git is not installed: then the workspace has no history. */
  readonly hasGit: boolean;
  remove(): void;
}

/** A fresh folder with a copy of `test/fixtures/workspace` in it, under git with one commit. */
export function makeScratch(prefix: string): Scratch {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `${prefix}-`)));
  const workspace = join(root, 'tally');
  const dataDir = join(root, 'editor');
  mkdirSync(dataDir);
  cpSync(join(projectRoot, 'test', 'fixtures', 'workspace'), workspace, { recursive: true });
  const hasGit = initialiseGit(workspace);
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return { root, workspace, dataDir, hasGit, remove };
}

function initialiseGit(folder: string): boolean {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore', env: gitEnvironment() });
  try {
    git('init', '--initial-branch=main');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw thrown;
  }
  git('add', '--all');
  git('commit', '--message', 'The tally so far');
  return true;
}

/** The commit has an author whoever runs this, and no hook or signature of theirs takes part. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const name = { GIT_AUTHOR_NAME: 'Sample', GIT_COMMITTER_NAME: 'Sample' };
  const email = { GIT_AUTHOR_EMAIL: 'sample@example.invalid', GIT_COMMITTER_EMAIL: 'sample@example.invalid' };
  return { ...process.env, ...name, ...email, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
}
