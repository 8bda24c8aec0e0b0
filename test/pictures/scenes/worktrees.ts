import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseWorktree, say } from '../../vscode/driver/chat.ts';
import { press } from '../../vscode/driver/press.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';
import { writeRunbooks } from '../runbooks.ts';
import { inEditor, showOnly } from '../stage.ts';

/** Sessions that work in worktrees of their own. */
export const worktrees = (album: Album<SubjectOf<'worktrees'>>) =>
  inEditor('worktrees', { prepare: ({ workspace }) => writeRepository(workspace) }, async (window) => {
    for (const it of ['hello', 'What can you do?']) {
      await window.closeEditors();
      await window.clickInView('Sessions', /New Session/);
      const chat = await window.chat();
      await chooseWorktree(window, chat);
      await say(chat, it);
      await chat.getByText('I run runbooks. Send one of these:', { exact: true }).waitFor();
      // Git lists worktrees in no particular order, so the file is written while there is only the first one.
      if (it === 'hello') writeFileSync(join(onlyWorktree(window.editor.workspace), 'notes.md'), '# Notes\n');
    }
    await showOnly(window, 'Worktrees');
    const rows = await window.tree('Worktrees');
    await window.clickInView('Worktrees', 'Refresh Worktrees');
    await rows.waitFor('hello', { description: /^1 uncommitted file · / });
    await rows.waitFor('What can you do?', { description: /^clean · / });
    await album.take('view-worktrees-content', window);
    await window.clickInView('Worktrees', 'Clean Up Worktrees…');
    const dialog = window.page.getByRole('dialog').filter({ hasText: 'Remove 1 worktree?' });
    await dialog.waitFor();
    await album.take('dialog-clean-up', window);
    await press(dialog.getByRole('button', { name: 'Cancel' }));
  });

function writeRepository(folder: string): void {
  writeRunbooks(folder);
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  for (const it of ['user.name=A', 'user.email=a@b.c', 'commit.gpgsign=false']) git(folder, 'config', ...it.split('='));
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message', 'start');
}

function onlyWorktree(folder: string): string {
  const list = git(folder, 'worktree', 'list', '--porcelain');
  const [tree, ...others] = [...list.matchAll(/^worktree (.+\.worktrees.+)$/gm)].map((it) => it[1]);
  if (tree === undefined || others.length > 0) throw new Error(`one worktree was expected:\n${list}`);
  return tree;
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}
