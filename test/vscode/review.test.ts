import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
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
    await chat.getByRole('button', { name: 'Allow once' }).last().click();
    await chat.getByText(answer).last().waitFor();
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
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
    await changes.click('prices.js');
    await until('the diff is open', async () =>
      (await window.probe.tabs()).some((it) => it.isActive && it.label.startsWith('prices.js')),
    );
    const line = window.page.locator('.editor.modified .view-line', { hasText: 'plum' }).first();
    await line.click();
    // The editor asks which lines may have comments; before it knows, the command does nothing.
    await window.page.locator('.editor.modified .comment-range-glyph').first().waitFor({ state: 'attached' });
    await window.probe.run(`await vscode.commands.executeCommand('workbench.action.addComment');`);
    const box = window.page.locator('.review-widget').first();
    await window.typeIn(box, 'Why not 28?');
    await box.getByRole('button', { name: 'Add Comment' }).click();
    await box.getByText('Why not 28?').waitFor();
    await box.getByText('Reviewer').waitFor();
    await window.screenshot('comment');
    await box.getByRole('button', { name: 'Resolve' }).click();
    await box.waitFor({ state: 'hidden' });
    await until('the mark in the margin says that it is resolved', async () => {
      const marks = window.page.locator('.editor.modified .comment-thread');
      const open = window.page.locator('.editor.modified .comment-thread-unresolved');
      return (await marks.count()) > 0 && (await open.count()) === 0;
    });
  });

  it('stages what is not committed and commits it under the title of the session, after asking', async () => {
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
    await dialog.getByRole('button', { name: 'Commit' }).click();
    await untilSeen('git has it', () => git('log', '-1', '--format=%s'), '/raise\n');
    await untilSeen('nothing is left to commit', () => git('status', '--porcelain', '--', 'src'), '');
  });

  it('compares what the files were at the end of two turns, whatever they are now', async () => {
    await (await window.tree('Sessions')).click('/raise');
    await play('/again', 'The plum costs thirty-five now.');
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
    await window.screenshot('compare turns');
  });
});
