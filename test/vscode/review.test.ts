import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { chooseWorktree, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { typeIn } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { inOrder } from './driver/steps.ts';
import type { TreeRows } from './driver/tree.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const RUNBOOK = `# Raise a price

\`\`\`diff
--- a/src/prices.js
+++ b/src/prices.js
@@ -3,4 +3,4 @@
   apple: 45,
   pear: 60,
-  plum: 25,
+  plum: 30,
 };
\`\`\`

The plum costs thirty now.
`;
const AGAIN = RUNBOOK.replace('30', '35').replace('25', '30').replace('thirty', 'thirty-five');

describe('review: what git has not, and comments on what an agent did', () => {
  let editor: Editor;
  let window: EditorWindow;
  let changes: TreeRows;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: editor.workspace, encoding: 'utf8' });

  /** Prompts the agent, allows its edit, and waits for the end of the turn. */
  const play = async (prompt: string, answer: string) => {
    const chat = await window.chat();
    await say(chat, prompt);
    await press(chat.getByRole('button', { name: 'Allow once' }).last());
    await chat.getByText(answer).last().waitFor();
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  };

  /** Comments on a line of the diff of the file that the agent changed. */
  const comment = async (line: string, words: string) => {
    await changes.click('prices.js');
    await until('the diff is open', async () =>
      (await window.probe.tabs()).some((it) => it.isActive && it.label.startsWith('prices.js')),
    );
    await window.putCursor(line);
    // The editor asks which lines may have comments; before it knows, the command does nothing.
    await window.page.locator('.editor.modified .comment-range-glyph').first().waitFor({ state: 'attached' });
    await window.probe.run(`await vscode.commands.executeCommand('workbench.action.addComment');`);
    const empty = window.page.locator('.review-widget', { hasText: 'Start discussion' }).last();
    await typeIn(empty, words);
    await press(empty.getByRole('button', { name: 'Add Comment' }));
    const box = window.page.locator('.review-widget', { hasText: words }).first();
    await box.getByText(words).waitFor();
    return box;
  };

  before(async () => {
    editor = await Editor.open('review', {
      prepare: ({ workspace }) => {
        mkdirSync(join(workspace, '.switchboard/runbooks'), { recursive: true });
        writeFileSync(join(workspace, '.switchboard/runbooks/raise.md'), RUNBOOK);
        writeFileSync(join(workspace, '.switchboard/runbooks/again.md'), AGAIN);
        const run = (...args: string[]) => execFileSync('git', args, { cwd: workspace, stdio: 'ignore' });
        run('init', '--initial-branch', 'main');
        for (const it of ['user.name=A', 'user.email=a@b.c', 'commit.gpgsign=false']) run('config', ...it.split('='));
        run('add', '.');
        run('commit', '--message', 'start');
      },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await window.clickInView('Sessions', /New Session/);
    await play('/raise', 'The plum costs thirty now.');
    await window.fold('Inbox', 'Gateway');
    changes = await window.tree('Changes');
  });
  inOrder(() => window);
  after(() => editor?.close());

  it('takes a comment on a line of the diff, and marks it as done', async () => {
    const box = await comment('pear', 'Why not 58?');
    await box.getByText('You', { exact: true }).waitFor();
    await window.screenshot('comment');
    await press(box.getByRole('button', { name: 'Resolve' }));
    await box.waitFor({ state: 'hidden' });
    await until('the mark in the margin says that it is resolved', async () => {
      const marks = window.page.locator('.editor.modified .comment-thread');
      const open = window.page.locator('.editor.modified .comment-thread-unresolved');
      return (await marks.count()) > 0 && (await open.count()) === 0;
    });
  });

  it('1c-7 stages what is not committed and commits it under the title of the session, after asking', async () => {
    await changes.click('Uncommitted changes');
    await untilSeen(
      'the file is among what is not committed',
      () => changes.labels(),
      (all) => all.slice(all.findIndex((it) => it.startsWith('Uncommitted changes')) + 1).includes('prices.js'),
    );
    await window.screenshot('not committed');
    await changes.action('Uncommitted changes', /^Stage/);
    await untilSeen('git has it staged', () => git('diff', '--cached', '--name-only'), 'src/prices.js\n');
    await changes.action('Uncommitted changes', /^Commit/);
    const dialog = window.page.getByRole('dialog');
    await dialog.getByText(/session title/).waitFor();
    await window.screenshot('commit');
    await press(dialog.getByRole('button', { name: 'Commit' }));
    await untilSeen('git has it', () => git('log', '-1', '--format=%s'), '/raise\n');
    await untilSeen('nothing is left to commit', () => git('status', '--porcelain', '--', 'src'), '');
  });

  it('1c-6 Send Review sends all comments that wait in one message with their files and lines', async () => {
    await comment('apple', 'Too cheap.');
    const box = await comment('plum', 'Why not 28?');
    await box.getByText('Comment (1 of 2 not sent yet)').waitFor();
    await untilSeen(
      'the status bar counts them',
      () => window.statusBar(),
      (all) => all.some((it) => it.includes('Send Review (2)')),
    );
    await window.screenshot('comments that wait');
    await window.clickInView('Changes', /^Send Review/);
    await box.getByText('Comment (sent to the agent)').waitFor();
    await window.screenshot('comments that were sent');
    const chat = await (await window.tree('Sessions')).openChat('/raise');
    const prompt = chat.getByText('Please address these 2 comments.').last();
    await prompt.waitFor();
    await chat.getByText('src/prices.js:3').last().waitFor();
    await chat.getByText('src/prices.js:5').last().waitFor();
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    await window.screenshot('a review in the chat');
  });

  it('1c-6 a comment is resolved and folded when the agent changed its line, and says so', async () => {
    await play('/again', 'The plum costs thirty-five now.');
    await changes.click('prices.js');
    await window.page.locator('.editor.modified .comment-thread').first().waitFor({ state: 'attached' });
    await untilSeen(
      'one comment is open still, and one is resolved',
      () => window.page.locator('.editor.modified .comment-thread-unresolved').count(),
      1,
    );
    await window.probe.run(`await vscode.commands.executeCommand('workbench.action.expandAllComments');`);
    await window.page.getByText('Comment (resolved: the agent changed this line)').first().waitFor();
    await window.screenshot('a comment that the agent followed');
  });

  it('compares what the files were at the end of two turns, whatever they are now', async () => {
    writeFileSync(join(editor.workspace, 'src/prices.js'), 'changed by a person since\n');
    await changes.menu('/raise', 'Compare Turns…');
    await window.pick('/raise');
    await window.pick('/again');
    await until('both turns are in one editor', async () =>
      (await window.probe.tabs()).some((it) => it.isActive && it.label.startsWith('/raise ↔ /again')),
    );
    const lines = (side: string) => window.page.locator(`.multiDiffEditor .editor.${side} .view-line`);
    await lines('original').getByText('plum: 30').waitFor();
    await lines('modified').getByText('plum: 35').waitFor();
    await window.screenshot('compare turns'); // at rest, the title has the buttons that it gets
    assert.equal(
      await window.page
        .locator('.editor-actions')
        .getByRole('button', { name: /^(Keep|Undo) All/ })
        .count(),
      0,
    );
  });

  it('1c-7 merges what a session committed in its own worktree from its row', async () => {
    await window.closeEditors();
    await window.clickInView('Sessions', /New Session/);
    const chat = await window.chat();
    await chooseWorktree(window, chat);
    await say(chat, 'hello');
    await chat.getByText('I run runbooks. Send one of these:', { exact: true }).waitFor();
    const [, tree = ''] = /worktree (\S+\.worktrees\S+)/.exec(git('worktree', 'list', '--porcelain')) ?? [];
    writeFileSync(join(tree, 'new.txt'), 'of the agent\n');
    execFileSync('git', ['add', 'new.txt'], { cwd: tree });
    execFileSync('git', ['commit', '--quiet', '--message', 'a new file'], { cwd: tree });
    const sessions = await window.tree('Sessions');
    const dialog = window.page.getByRole('dialog').filter({ hasText: /Merge switchboard\// });
    // A row that is drawn anew closes its menu before the entry was taken.
    await until('the dialog asks', async () => {
      if (!(await dialog.isVisible())) await sessions.menu('hello', 'Merge Worktree Branch…');
      await dialog.waitFor({ timeout: 3_000 });
      return true;
    });
    await window.screenshot('merge');
    await press(dialog.getByRole('button', { name: 'Merge' }));
    await window.notifications.toast(/1 commit was merged into main\./).waitFor();
    assert.equal(readFileSync(join(editor.workspace, 'new.txt'), 'utf8'), 'of the agent\n');
  });

  it('1c-8 lists worktrees with size and state, keeps one with work in it in words, and cleans up the others', async () => {
    const [, tree = ''] = /worktree (\S+\.worktrees\S+)/.exec(git('worktree', 'list', '--porcelain')) ?? [];
    await window.fold('Changes');
    const worktrees = await window.tree('Worktrees');
    await worktrees.waitFor('hello', { description: /^clean · \d+ KB$/ });
    writeFileSync(join(tree, 'left.txt'), 'not committed\n');
    await window.clickInView('Worktrees', 'Refresh Worktrees');
    await worktrees.waitFor('hello', { description: /^1 uncommitted file · \d+ KB$/ });
    await window.screenshot('worktrees');
    await worktrees.menu('hello', 'Remove Worktree…');
    await window.notifications.toast('The worktree hello was kept: 1 uncommitted file.').waitFor();
    rmSync(join(tree, 'left.txt'));
    await window.clickInView('Worktrees', 'Clean Up Worktrees…');
    const dialog = window.page.getByRole('dialog').filter({ hasText: 'Remove 1 worktree?' });
    await dialog.waitFor();
    await window.screenshot('clean up');
    await press(dialog.getByRole('button', { name: 'Remove' }));
    await window.notifications.toast('1 worktree was removed.').waitFor();
    await worktrees.waitForNone('hello');
    assert.equal(existsSync(tree), false);
  });

  it('lets three sessions race, shows them side by side, and keeps changes of two', async () => {
    git('checkout', '--quiet', '--', 'src/prices.js');
    await window.closeEditors();
    await window.fold('Sessions');
    await window.command('Switchboard: Race Agents…');
    await window.quickInput.type('/again');
    await window.quickInput.check('Runbook');
    await window.quickInput.accept();
    await window.quickInput.pick('3 sessions');
    await window.quickInput.type('grep -q 35 src/prices.js && test ! -e extra.txt');
    await window.quickInput.type('');
    const dialog = window.page.getByRole('dialog');
    await dialog.getByText('Start a race of 3 sessions?').waitFor();
    await dialog.getByText('• Runbook × 3').waitFor();
    await window.screenshot('race confirmation');
    await press(dialog.getByRole('button', { name: 'Start', exact: true }));
    const worktrees = await window.tree('Worktrees');
    const names = ['Runbook 1', 'Runbook 2', 'Runbook 3'];
    for (const it of names)
      await worktrees.waitFor(it, { description: /^done · check passed · \d+ s · 1 file · \+1 −1$/ });
    const trees = [...git('worktree', 'list', '--porcelain').matchAll(/^worktree (.+\.worktrees.+)$/gm)].map(
      (it) => it[1]!,
    );
    const madeAt = (tree: string) => statSync(join(tree, '.git')).mtimeMs;
    const [, second = ''] = trees.sort((a, b) => madeAt(a) - madeAt(b));
    writeFileSync(join(second, 'extra.txt'), 'of the second\n');
    await worktrees.menu('Race: /again', 'Run Check in Each Worktree');
    await worktrees.waitFor('Runbook 2', { description: /^done · check failed · / });
    for (const it of ['Runbook 1', 'Runbook 3'])
      await worktrees.waitFor(it, { description: /^done · check passed · / });
    await window.screenshot('race');
    await worktrees.menu('Race: /again', 'Compare Race Results…');
    await window.pick('Runbook 1');
    await window.pick('Runbook 2');
    await until('the results are in one editor', async () =>
      (await window.probe.tabs()).some((it) => it.isActive && it.label.startsWith('Runbook 1 ↔ Runbook 2')),
    );
    await window.page.locator('.multiDiffEditor .editor.modified .view-line').getByText('of the second').waitFor();
    await window.screenshot('race compared');
    await worktrees.menu('Race: /again', 'Choose Changes to Keep…');
    await window.quickInput.check('src/prices.js:5');
    await window.quickInput.check('extra.txt');
    await window.screenshot('race choice');
    await window.quickInput.accept();
    await dialog.getByText('Keep 2 files and end this race?').waitFor();
    await press(dialog.getByRole('button', { name: 'Keep and End Race' }));
    await window.notifications.toast('2 files were put into your folder.').waitFor();
    await worktrees.waitForNone('Race: /again');
    assert.match(readFileSync(join(editor.workspace, 'src/prices.js'), 'utf8'), /plum: 35/);
    assert.equal(readFileSync(join(editor.workspace, 'extra.txt'), 'utf8'), 'of the second\n');
    assert.equal(git('diff', '--cached', '--name-only'), '');
    assert.equal(git('worktree', 'list').trim().split('\n').length, 1);
  });
});
