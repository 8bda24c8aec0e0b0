import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { verifies } from '../support/verifies.ts';
import { chooseInMenu, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { pressKey, write } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { inOrder } from './driver/steps.ts';
import type { TreeRows } from './driver/tree.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const RUNBOOK = `---
title: Rename a price
---
# Rename a price

The plan is simple: look, ask, edit, check.

\`\`\`sh
cat src/prices.js
\`\`\`

\`\`\`ask
name: fruit
message: Which name shall the plum get?
required: true
\`\`\`

\`\`\`diff
--- a/src/prices.js
+++ b/src/prices.js
@@ -3,4 +3,4 @@
   apple: 45,
   pear: 60,
-  plum: 25,
+  {{fruit}}: 25,
 };
\`\`\`

\`\`\`write docs/{{fruit}}.md
# {{fruit}}

Twenty-five cents.
\`\`\`

The plum is called {{fruit}} now.
`;

/** The whole of what a person does with it, in order: each step stands on the one before. */
describe('main job: prompt an agent, answer it, review what it did', () => {
  let editor: Editor;
  let window: EditorWindow;
  let sessions: TreeRows;
  let inbox: TreeRows;
  let changes: TreeRows;
  let chat: Frame;
  const path = (name: string) => join(editor.workspace, name);
  const uri = (name: string) => pathToFileURL(path(name)).href;
  const stateOf = (name: string) =>
    existsSync(path(name))
      ? `${createHash('sha256')
          .update(readFileSync(path(name)))
          .digest('hex')} ${statSync(path(name)).mode.toString(8)}`
      : 'absent';
  /** What the preview showed as coming: the editor keeps its document open for a while after the tab is closed. */
  let previewed: string;
  const original: Record<string, string> = {};
  const edited: Record<string, string> = {};
  const files = ['src/prices.js', 'docs/mirabelle.md'];

  const button = (name: string | RegExp) => chat.getByRole('button', { name }).last();
  async function send(text: string): Promise<void> {
    await say(chat, text);
  }
  /** The editor has notifications of its own, of ports and the like. */
  const ours = async () => (await window.notifications.toasts()).filter((it) => it.includes('/rename'));
  const titleButton = (name: string) => window.page.locator('.editor-actions').getByRole('button', { name }).first();
  const says = (text: string | RegExp) => chat.getByText(text).last().waitFor();

  before(async () => {
    editor = await Editor.open('main job', {
      prepare: ({ workspace }) => {
        mkdirSync(join(workspace, '.switchboard/runbooks'), { recursive: true });
        writeFileSync(join(workspace, '.switchboard/runbooks/rename.md'), RUNBOOK);
        writeFileSync(join(workspace, '.switchboard/runbooks/danger.md'), '# Danger\n\n```sh\nrm -rf build\n```\n');
        writeFileSync(
          join(workspace, '.switchboard/runbooks/wait.md'),
          '# Wait\n\n```sh\nsleep 120\n```\n\nNever said.\n',
        );
      },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    [sessions, inbox, changes] = [
      await window.tree('Sessions'),
      await window.tree('Inbox'),
      await window.tree('Changes'),
    ];
    for (const name of files) original[name] = stateOf(name);
  });
  inOrder(() => window);
  after(() => editor?.close());

  it('begins with the tour, a new session, and the agents that were found', async () => {
    for (const label of ['Take the tour (2 min)', 'New session', 'Agents found:']) await sessions.waitFor(label);
    await window.screenshot('welcome');
  });

  it('opens a chat at once, which is not listed before its first turn', async () => {
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chat.getByRole('textbox', { name: 'Message' }).waitFor();
    await button(/^Agent/).waitFor();
    await window.screenshot('new chat'); // at rest, a row is drawn where there is one
    assert.deepEqual(
      (await sessions.labels()).filter((it) => it.startsWith('Today') || it.startsWith('/')),
      [],
    );
  });

  it('1c-13 lists the runbooks after a slash', async () => {
    verifies('host.command.completions');
    await write(chat.getByRole('textbox', { name: 'Message' }), '/re');
    await chat.getByRole('option', { name: /rename/ }).waitFor();
    await window.screenshot('runbooks');
    await pressKey(chat.getByRole('textbox', { name: 'Message' }), 'Escape');
  });

  it('asks to save first when files are unsaved', async () => {
    await window.probe.run(
      `const document = await vscode.workspace.openTextDocument(vscode.Uri.file(arg));
       const edit = new vscode.WorkspaceEdit();
       edit.insert(document.uri, new vscode.Position(0, 0), '// a note\\n');
       await vscode.workspace.applyEdit(edit);`,
      path('src/main.js'),
    );
    await send('/rename');
    await button('Save and send').waitFor();
    await window.screenshot('unsaved');
    await press(button('Save and send'));
    await until('the file is saved', () => readFileSync(path('src/main.js'), 'utf8').startsWith('// a note'));
  });

  it('1b-21, 1b-22 streams the answer, and shows the exact command of a pending tool in the chat, the inbox and the status bar', async () => {
    await says('The plan is simple: look, ask, edit, check.');
    await button('Allow once').waitFor();
    await says('cat src/prices.js');
    await inbox.waitFor('cat src/prices.js');
    await sessions.waitFor('/rename');
    await sessions.waitFor('Needs you');
    await untilSeen(
      'the status bar says so',
      () => window.statusBar(),
      (all) => all.some((it) => /1 needs you/.test(it)),
    );
    await untilSeen(
      'the badge counts it',
      () => window.page.locator('.part.activitybar .badge-content:visible').allInnerTexts(),
      (all) => all.includes('1'),
    );
    await window.screenshot('pending command'); // at rest, a toast has come where one would
    assert.deepEqual(await ours(), []);
  });

  it('notifies once the chat is hidden, and the notification allows the command', async () => {
    await window.closeEditors();
    await window.notifications.toast(/cat src\/prices\.js/).waitFor();
    await window.screenshot('notification');
    await untilSeen('it is the only one', async () => (await ours()).length, 1);
    await window.notifications.click(/cat src\/prices\.js/, 'Allow once');
    await inbox.waitFor('Which name shall the plum get?');
  });

  it('1b-18 takes the answer to a question in the chat', async () => {
    chat = await sessions.openChat('/rename');
    await untilSeen('no notification is left', ours, []);
    const answer = chat.getByRole('textbox', { name: /Which name/ });
    await write(answer, 'mirabelle');
    await window.screenshot('question');
    await press(button('Submit'));
  });

  it('shows what an edit would do before it happens', async () => {
    await button('Allow once').waitFor();
    await says(/\+1\s*−1/);
    assert.equal(stateOf('src/prices.js'), original['src/prices.js']);
    await press(button(/^Preview/));
    await until('the preview is open', async () =>
      (await window.probe.tabs()).some((it) => it.isActive && it.label.startsWith('prices.js (preview)')),
    );
    const shown = await until('it shows the line that would come', async () =>
      (await window.probe.documents()).find(
        (it) => it.uri.startsWith('switchboard-content:') && /mirabelle: 25/.test(it.text),
      ),
    );
    previewed = shown.uri;
    await window.page.locator('.editor.modified .view-line', { hasText: 'mirabelle' }).first().waitFor();
    await window.screenshot('preview');
    await window.command('View: Close Editor');
    chat = await window.chat();
    await press(button('Allow once'));
    await says(/docs\/mirabelle\.md/);
    await press(button('Allow once'));
  });

  it('ends the turn with a bar that says what changed', async () => {
    await says('The plum is called mirabelle now.');
    await button('Review changes').waitFor();
    await says(/2 files/);
    assert.match(readFileSync(path('src/prices.js'), 'utf8'), /mirabelle: 25/);
    for (const name of files) edited[name] = stateOf(name);
    await untilSeen('nothing needs a person', () => inbox.labels(), []);
    await window.screenshot('turn end');
  });

  it('reviews in a multi-diff: the real file on the right, the bytes before on the left', async () => {
    await press(button('Review changes'));
    const side = (name: string) => window.page.locator(`.multiDiffEditor .editor.${name} .view-line:visible`);
    await side('original').filter({ hasText: 'plum' }).first().waitFor();
    await side('modified').filter({ hasText: 'mirabelle' }).first().waitFor();
    const documents = await until('both sides are open', async () => {
      const open = await window.probe.documents();
      const kept = open.filter((it) => it.uri.startsWith('switchboard-content:') && it.uri.includes('prices.js'));
      const before = kept.find((it) => it.uri !== previewed);
      const now = open.find((it) => it.uri === uri('src/prices.js'));
      const added = open.find((it) => it.uri === uri('docs/mirabelle.md'));
      return before && now && added ? { before, now, added } : undefined;
    });
    assert.match(documents.before.text, /plum: 25/);
    assert.equal(documents.now.text, readFileSync(path('src/prices.js'), 'utf8'));
    assert.equal(documents.added.text, readFileSync(path('docs/mirabelle.md'), 'utf8'));
    await titleButton('Keep All').waitFor();
    await window.screenshot('review');
  });

  it('undoes all from the title of the editor that shows all files, until that is closed', async () => {
    await press(titleButton('Undo All'));
    await until('the files are back', () => files.every((it) => stateOf(it) === original[it]));
    await changes.action('/rename', 'Redo');
    await until('the edits are back', () => files.every((it) => stateOf(it) === edited[it]));
    await window.command('View: Close Editor');
    await titleButton('Undo All').waitFor({ state: 'detached' });
  });

  it('keeps a file, which marks it as reviewed and leaves its bytes', async () => {
    await changes.action('prices.js', /^Keep/);
    await changes.waitFor('prices.js', { ariaLabel: /reviewed|kept/i });
    assert.equal(stateOf('src/prices.js'), edited['src/prices.js']);
    await window.screenshot('kept');
  });

  it('undoes all: bytes, modes and existence are as before; and the undo can be undone once', async () => {
    await changes.action('/rename', /^Undo All/);
    await until('the files are back', () => files.every((it) => stateOf(it) === original[it]));
    chat = await window.chat();
    await button('Redo').waitFor();
    await window.screenshot('undone');
    await changes.action('/rename', 'Redo');
    await until('the edits are back', () => files.every((it) => stateOf(it) === edited[it]));
  });

  it('does not overwrite what a person wrote since, but shows both and asks', async () => {
    appendFileSync(path('docs/mirabelle.md'), '\nMy own line.\n');
    await changes.action('mirabelle.md', /^Undo/);
    await window.notifications.toast(/changed after the agent edited/).waitFor();
    assert.match(readFileSync(path('docs/mirabelle.md'), 'utf8'), /My own line/);
    await window.page.getByText("Agent's change · mirabelle.md").first().waitFor();
    await window.screenshot('changed since');
    await window.notifications.click(/changed after the agent edited/, 'Keep My Version');
    await changes.waitFor('mirabelle.md', { description: /^\+\d+ −0 · new · kept/ });
    assert.match(readFileSync(path('docs/mirabelle.md'), 'utf8'), /My own line/);
    await changes.action('mirabelle.md', /^Undo/);
    await window.notifications.click(/changed after the agent edited/, /Overwrite/);
    const modal = window.page.getByRole('dialog');
    await modal.waitFor();
    await window.screenshot('overwrite');
    await press(modal.getByRole('button', { name: /Overwrite/ }));
    await until('the agent file is gone', () => !existsSync(path('docs/mirabelle.md')));
  });

  it('1b-10 hands the reason of a refusal to the agent; what may destroy something takes a second click', async () => {
    await window.closeEditors();
    chat = await sessions.openChat('/rename');
    await send('/danger');
    await says('rm -rf build');
    await press(button('Run anyway'));
    await button('Press again to allow').waitFor();
    await window.screenshot('second click');
    await chooseInMenu(button('More ways to deny'), chat.getByRole('menuitem', { name: 'Deny with reason…' }));
    await write(chat.getByRole('textbox', { name: 'Reason' }), 'the build folder is shared');
    await press(button('Send reason'));
    await says(/the build folder is shared/);
    await window.screenshot('denied');
  });

  it('queues what is sent while a turn runs, and keeps it when that turn is stopped, until it is sent', async () => {
    await send('/wait');
    await says('sleep 120');
    await press(button('Allow once'));
    await button(/^Stop/).waitFor();
    await send('hello');
    await chat.getByRole('list', { name: 'Queued messages' }).getByText('hello').waitFor();
    await window.screenshot('queued');
    await press(button(/^Stop/));
    await says(/Stopped/);
    const queue = chat.getByRole('list', { name: 'Queued messages' });
    await queue.getByText('Paused').waitFor();
    await queue.getByText('hello').waitFor();
    await window.screenshot('paused');
    await press(button('Send now'));
    await until('the queued message is taken', async () => (await queue.count()) === 0);
    assert.equal(await chat.getByText('Never said.').count(), 0);
    await window.screenshot('stopped');
  });

  it('renames, marks, archives and deletes a session from its row', async () => {
    await sessions.menu('/rename', 'Rename…');
    await window.type('Prices');
    await sessions.waitFor('Prices');
    await sessions.menu('Prices', 'Archive');
    await sessions.waitFor('Archived');
    await sessions.click('Archived');
    await sessions.waitFor('Prices');
    await window.screenshot('archived');
    await sessions.menu('Prices', 'Delete…');
    await press(window.page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await sessions.waitForNone('Prices');
  });
});
