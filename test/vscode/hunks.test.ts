import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { press } from './driver/press.ts';
import { inOrder } from './driver/steps.ts';
import type { TreeRows } from './driver/tree.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);
const RUNBOOK = `# Rework the parts

\`\`\`diff
--- a/parts/a.txt
+++ b/parts/a.txt
@@ -1,3 +1,3 @@
 line 1
-line 2
+line two
 line 3
@@ -14,3 +14,4 @@
 line 14
 line 15
+line 15 and a half
 line 16
@@ -24,3 +25,2 @@
 line 24
-line 25
 line 26
\`\`\`

\`\`\`diff
--- a/parts/b.txt
+++ b/parts/b.txt
@@ -1,3 +1,3 @@
 line 1
-line 2
+line zwei
 line 3
\`\`\`

\`\`\`diff
--- /dev/null
+++ b/parts/c.txt
@@ -0,0 +1,2 @@
+first
+second
\`\`\`

The parts are done.
`;

const PIECES = `# Rework in pieces

\`\`\`diff
--- a/parts/f.txt
+++ b/parts/f.txt
@@ -1,3 +1,3 @@
 line 1
-line 2
+line two
 line 3
@@ -14,4 +14,6 @@
 line 14
 line 15
+line 15 and a half
 line 16
+line 16 and a half
 line 17
@@ -24,3 +26,2 @@
 line 24
-line 25
 line 26
\`\`\`

The pieces are done.
`;
const ASK = `# Ask first

\`\`\`diff
--- a/asked/d.txt
+++ b/asked/d.txt
@@ -1,3 +1,3 @@
 line 1
-line 2
+line deux
 line 3
\`\`\`

\`\`\`diff
--- /dev/null
+++ b/asked/e.txt
@@ -0,0 +1 @@
+alone
\`\`\`

Asked enough.
`;

describe('hunks: what an agent changed is reviewed in the editors that show it', () => {
  let editor: Editor;
  let window: EditorWindow;
  let changes: TreeRows;
  const disk = (name: string) => readFileSync(join(editor.workspace, 'parts', name), 'utf8');
  const active = async () => (await window.probe.tabs()).find((it) => it.isActive);
  const untilActive = (label: string) =>
    untilSeen(`the editor of ${label} is active`, active, (it) => it?.kind === 'diff' && it.label.startsWith(label));
  const title = (name: RegExp | string) =>
    window.page.locator('.editor-group-container.active .editor-actions').getByRole('button', { name });
  const untilStatus = (text: string) =>
    untilSeen(
      `the status bar says ${text}`,
      () => window.statusBar(),
      (all) => all.some((it) => it.includes(text)),
    );

  before(async () => {
    editor = await Editor.open('hunks', {
      prepare: ({ workspace }) => {
        mkdirSync(join(workspace, 'parts'));
        for (const it of ['a.txt', 'b.txt', 'f.txt'])
          writeFileSync(join(workspace, 'parts', it), `${lines(30).join('\n')}\n`);
        mkdirSync(join(workspace, 'asked'));
        writeFileSync(join(workspace, 'asked/d.txt'), `${lines(30).join('\n')}\n`);
        mkdirSync(join(workspace, '.switchboard/runbooks'), { recursive: true });
        writeFileSync(join(workspace, '.switchboard/runbooks/ask.md'), ASK);
        writeFileSync(join(workspace, '.switchboard/runbooks/pieces.md'), PIECES);
        writeFileSync(join(workspace, '.switchboard/runbooks/parts.md'), RUNBOOK);
      },
      settings: { 'switchboard.permissions.rules': [{ effect: 'allow', target: 'edit', pattern: 'parts/**' }] },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    const chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await say(chat, '/parts');
    await chat.getByText('The parts are done.', { exact: true }).waitFor();
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    await window.fold('Inbox', 'Gateway');
    changes = await window.tree('Changes');
  });
  inOrder(() => window);
  after(() => editor?.close());

  it('1c-1 the Changes view lists every changed file with its counts', async () => {
    await changes.waitFor('a.txt', { description: /\+2 −2/ });
    await changes.waitFor('b.txt', { description: /\+1 −1/ });
    await changes.waitFor('c.txt', { description: /\+2.*new/ });
  });

  it('1c-2 one editor shows the changes of all files', async () => {
    await changes.action('/parts', /^Review/);
    const shown = window.page.locator('.multiDiffEditor .editor.modified .view-line');
    await shown.getByText('line two').waitFor();
    await shown.getByText('line zwei').waitFor();
    await window.closeEditors();
  });

  it('1c-5 the status bar says how many files are reviewed, and the title leads from one to the next', async () => {
    await changes.click('a.txt');
    await untilActive('a.txt');
    await untilStatus('0 of 3 files reviewed');
    await press(title(/^Next File/));
    await untilActive('b.txt');
    await press(title(/^Previous File/));
    await untilActive('a.txt');
    await press(title(/^Previous File/));
    await untilActive('c.txt');
    await window.screenshot('a new file');
  });

  it('1c-3 Undo File in the title takes the file back, and the next one that waits opens', async () => {
    await press(title(/^Undo File/));
    await untilActive('a.txt');
    assert.throws(() => disk('c.txt'), { code: 'ENOENT' });
    await untilStatus('0 of 2 files reviewed');
  });

  it('1c-3 Keep File by key keeps the file, and the next one that waits opens', async () => {
    await window.putCursor('line two');
    await window.screenshot('the title of a diff');
    await window.keyInEditor('Control+Shift+Alt+Enter');
    await untilActive('b.txt');
    await untilStatus('1 of 2 files reviewed');
    await changes.waitFor('a.txt', { description: /kept/ });
    await window.screenshot('the next file');
  });

  it('1c-3 a file that is kept offers no decision any more', async () => {
    await changes.click('a.txt');
    await untilActive('a.txt');
    await until('the title offers nothing of ours', async () => (await title(/^Keep File/).count()) === 0);
  });

  it('1b-8 the preview of an edit that waits is a diff, answered in its title or by a key after a dialog, and no toast covers it', async () => {
    const dialog = window.page.locator('.monaco-dialog-box');
    const chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await say(chat, '/ask');
    await press(chat.getByRole('button', { name: /^Preview/ }));
    await untilActive('d.txt (preview)');
    await window.page.locator('.editor.modified .view-line', { hasText: 'line deux' }).waitFor();
    await title(/^Allow Once/).waitFor();
    await window.screenshot('a preview');
    assert.deepEqual(await window.notifications.toasts(), []);
    await window.putCursor('line deux');
    await window.keyInEditor('Control+Enter');
    await dialog.getByText('Allow this edit?').waitFor();
    await press(dialog.getByRole('button', { name: 'Cancel' }));
    await dialog.waitFor({ state: 'detached' });
    await press(title(/^Allow Once/));
    await dialog.getByText('Allow this edit?').waitFor();
    await window.screenshot('allow a preview');
    await press(dialog.getByRole('button', { name: 'Allow Once' }));
    await untilSeen(
      'the edit is on the disk',
      () => readFileSync(join(editor.workspace, 'asked/d.txt'), 'utf8'),
      (it) => it.includes('line deux'),
    );
    await untilSeen('its preview is closed', active, (it) => it?.label.includes('(preview)') !== true);
    await press((await window.chat()).getByRole('button', { name: /^Preview/ }).last());
    await untilActive('e.txt (preview)');
    await title(/^Deny/).waitFor();
    await window.putCursor('alone');
    await window.keyInEditor('Control+Backspace');
    await press(dialog.getByRole('button', { name: 'Deny' }));
    await untilSeen('its preview is closed too', active, (it) => it?.label.includes('(preview)') !== true);
    await (await window.chat())
      .getByText(/You denied this step/)
      .last()
      .waitFor();
    assert.throws(() => readFileSync(join(editor.workspace, 'asked/e.txt')), { code: 'ENOENT' });
  });

  it('1c-4 Keep Hunk by key takes one hunk out of the diff and leaves the file as it is', async () => {
    await window.closeEditors(); // so that the one chat there is is the new one
    const chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await say(chat, '/pieces');
    await chat.getByText('The pieces are done.', { exact: true }).waitFor();
    const changed = disk('f.txt');
    await changes.click('f.txt');
    await untilActive('f.txt');
    await window.putCursor('line two');
    await untilStatus('Hunk 1 of 4');
    await window.keyInEditor('Alt+F5');
    await untilStatus('Hunk 2 of 4');
    await window.keyInEditor('Control+Alt+Enter');
    await window.page.locator('.editor.original .view-line', { hasText: 'line 15 and a half' }).waitFor();
    await untilStatus('3 hunks');
    assert.equal(
      await window.page.locator('.editor.original .view-line', { hasText: 'line 16 and a half' }).count(),
      0,
    );
    assert.equal(disk('f.txt'), changed);
    await window.screenshot('a hunk is kept');
  });

  it('1c-4 Undo Hunk by key in an ordinary editor puts back the lines of one hunk', async () => {
    await window.closeEditors();
    await window.probe.run(
      'await vscode.window.showTextDocument(vscode.Uri.file(arg));',
      join(editor.workspace, 'parts/f.txt'),
    );
    await window.putCursor('line two');
    await untilStatus('Hunk 1 of 3');
    await window.keyInEditor('Control+Alt+Backspace');
    await untilSeen(
      'the line is back',
      () => disk('f.txt'),
      (it) => it.includes('line 2\n') && it.includes('line 16 and a half'),
    );
    await untilStatus('2 hunks');
  });

  it('1c-4 the peek in the margin keeps one hunk, and the last hunk that is kept keeps the file', async () => {
    // The editor hides its zones from the accessibility tree, so the buttons have no role to be found by.
    const actions = window.page.locator('.editor-instance .peekview-widget .action-label[aria-label*="Hunk"]');
    const keep = actions.and(window.page.locator('[aria-label^="Keep Hunk"]'));
    const changed = disk('f.txt');
    const keepNext = async () => {
      await window.probe.run(`await vscode.commands.executeCommand('editor.action.dirtydiff.next');`);
      await keep.waitFor();
      await window.screenshot('the peek in the margin');
      const names = await actions.evaluateAll((all) => all.map((it) => it.getAttribute('aria-label') ?? ''));
      assert.deepEqual(
        names.map((it) => it.split(' (')[0]),
        ['Keep Hunk', 'Undo Hunk'],
      );
      await press(keep);
    };
    await untilStatus('0 of 1 file reviewed');
    await keepNext();
    await untilStatus('1 hunk');
    await changes.waitFor('f.txt', { description: /\+0 −1|\+1 −0/ });
    await window.keyInEditor('Escape');
    await keepNext();
    await changes.waitFor('f.txt', { description: /kept/ });
    await untilStatus('1 of 1 file reviewed');
    assert.equal(disk('f.txt'), changed);
  });
});
