import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chooseInMenu, say } from '../../vscode/driver/chat.ts';
import { typeIn } from '../../vscode/driver/keys.ts';
import { press } from '../../vscode/driver/press.ts';
import { until, untilSeen } from '../../vscode/driver/until.ts';
import type { EditorWindow } from '../../vscode/driver/window.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';
import { writeRunbooks } from '../runbooks.ts';
import { clearNotifications, inEditor, showOnly } from '../stage.ts';

type Turn = Album<SubjectOf<'turn'>>;

/** A prompt, what it asks, what it changes, and what becomes of that. */
export const turn = (album: Turn) =>
  inEditor('turn', { prepare: ({ workspace }) => writeRunbooks(workspace) }, async (window) => {
    await window.clickInView('Sessions', /New Session/);
    await asks(album, window);
    await edits(album, window);
    await isReviewed(album, window);
    await isRefused(album, window);
  });

async function asks(album: Turn, window: EditorWindow): Promise<void> {
  let chat = await window.chat();
  const button = (name: string | RegExp) => chat.getByRole('button', { name }).last();
  await window.probe.run(
    `const document = await vscode.workspace.openTextDocument(vscode.Uri.file(arg));
     const edit = new vscode.WorkspaceEdit();
     edit.insert(document.uri, new vscode.Position(0, 0), '// a note\\n');
     await vscode.workspace.applyEdit(edit);`,
    join(window.editor.workspace, 'src/main.js'),
  );
  await button(/^Agent/).waitFor();
  await say(chat, '/rename');
  await button('Save and send').waitFor();
  await album.take('chat-unsaved', window);
  await press(button('Save and send'));
  await button('Allow once').waitFor();
  await window.command('View: Close Other Editors in Group');
  const [sessions, inbox] = [await window.tree('Sessions'), await window.tree('Inbox')];
  await sessions.waitFor('Needs you');
  await inbox.waitFor('cat src/prices.js');
  await untilSeen(
    'the status bar says so',
    () => window.statusBar(),
    (all) => all.some((it) => /1 needs you/.test(it)),
  );
  await album.take('chat-approval', window);
  await album.take('status-bar', {
    pictures: (pathOf) => window.pictures(pathOf, window.page.locator('.part.statusbar')),
  });
  await press(button('More ways to allow'));
  await chat.getByRole('menuitem').first().waitFor();
  await album.take('chat-approval-menu', window);
  await window.page.keyboard.press('Escape');
  await showOnly(window, 'Inbox');
  await album.take('view-inbox-content', window);
  await window.command('Switchboard: Review Pending Requests…');
  await window.quickInput.widget.getByText('cat src/prices.js').first().waitFor();
  await album.take('quick-pick-requests', window);
  await window.page.keyboard.press('Escape');
  await showOnly(window, 'Sessions', 'Inbox', 'Changes');
  await window.closeEditors();
  await window.notifications.toast(/cat src\/prices\.js/).waitFor();
  await album.take('notification-request', window);
  await window.notifications.click(/cat src\/prices\.js/, 'Allow once');
  await inbox.waitFor('Which name shall the plum get? (+1)');
  await sessions.click('/rename');
  chat = await window.chat();
  await chat.getByRole('textbox', { name: /Which name/ }).fill('mirabelle');
  await album.take('chat-question', window);
  await press(button('Submit'));
}

async function edits(album: Turn, window: EditorWindow): Promise<void> {
  let chat = await window.chat();
  const button = (name: string | RegExp) => chat.getByRole('button', { name }).last();
  await button('Allow once').waitFor();
  await chat
    .getByText(/\+1\s*−1/)
    .last()
    .waitFor();
  await album.take('chat-edit', window);
  await press(button(/^Preview/));
  await window.page.locator('.editor.modified .view-line', { hasText: 'mirabelle' }).first().waitFor();
  await album.take('preview', window);
  await window.command('View: Close Editor');
  chat = await window.chat();
  await press(button('Allow once'));
  await chat
    .getByText(/docs\/mirabelle\.md/)
    .last()
    .waitFor();
  await press(button('Allow once'));
  await button('Review changes').waitFor();
  await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  await (await window.tree('Changes')).waitFor('mirabelle.md');
  await album.take('chat-turn-end', window);
  await showOnly(window, 'Changes');
  await album.take('view-changes-content', window);
  await showOnly(window, 'Sessions', 'Inbox', 'Changes');
}

async function isReviewed(album: Turn, window: EditorWindow): Promise<void> {
  const changes = await window.tree('Changes');
  const side = (name: string) => window.page.locator(`.multiDiffEditor .editor.${name} .view-line:visible`);
  await press((await window.chat()).getByRole('button', { name: 'Review changes' }).last());
  await side('original').filter({ hasText: 'plum' }).first().waitFor();
  await side('modified').filter({ hasText: 'mirabelle' }).first().waitFor();
  await album.take('review', window);
  await window.command('View: Close Editor');

  await changes.click('prices.js');
  await window.putCursor('mirabelle');
  await window.page.locator('.editor.modified .comment-range-glyph').first().waitFor({ state: 'attached' });
  await window.probe.run(`await vscode.commands.executeCommand('workbench.action.addComment');`);
  const box = window.page.locator('.review-widget').first();
  await typeIn(box, 'Why not Mirabelle?');
  await press(box.getByRole('button', { name: 'Add Comment' }));
  await box.getByText('You', { exact: true }).waitFor();
  await album.take('review-comment', window);
  await window.closeEditors();
  await window.probe.command('workbench.action.closePanel');

  const file = join(window.editor.workspace, 'docs/mirabelle.md');
  await window.probe.run(
    `const document = await vscode.workspace.openTextDocument(vscode.Uri.file(arg));
     const edit = new vscode.WorkspaceEdit();
     edit.insert(document.uri, new vscode.Position(document.lineCount, 0), '\\nMy own line.\\n');
     await vscode.workspace.applyEdit(edit);
     await document.save();`,
    file,
  );
  await window.closeEditors();
  await changes.action('mirabelle.md', /^Undo/);
  await window.notifications.toast(/changed after the agent edited/).waitFor();
  await side('modified').filter({ hasText: 'My own line.' }).first().waitFor();
  await album.take('conflict', window);
  await window.notifications.click(/changed after the agent edited/, /Overwrite/);
  const dialog = window.page.getByRole('dialog');
  await dialog.waitFor();
  await album.take('dialog-overwrite', window);
  await press(dialog.getByRole('button', { name: /Overwrite/ }));
  await until('the file of the agent is gone', () => !existsSync(file));
  await clearNotifications(window);
  await window.closeEditors();
}

async function isRefused(album: Turn, window: EditorWindow): Promise<void> {
  await (await window.tree('Sessions')).click('/rename');
  const chat = await window.chat();
  const button = (name: string | RegExp) => chat.getByRole('button', { name }).last();
  await say(chat, '/danger');
  await chat.getByText('rm -rf build').last().waitFor();
  await press(button('Run anyway'));
  await button('Press again to allow').waitFor();
  await album.take('chat-second-click', window);
  await chooseInMenu(button('More ways to deny'), chat.getByRole('menuitem', { name: 'Deny with reason…' }));
  await chat.getByRole('textbox', { name: 'Reason' }).fill('the build folder is shared');
  await press(button('Send reason'));
  await chat.getByText('You said: the build folder is shared').last().waitFor();
  await button(/^Send/).waitFor();
  await album.take('chat-denied', window);
  await say(chat, '/slow');
  await chat.getByText('sleep 600').last().waitFor();
  await press(button('Run anyway'));
  await press(button('Press again to allow'));
  await press(chat.getByRole('button', { name: /sleep 600/, expanded: false }).last());
  await chat.getByText('checked part 5 of 9').last().waitFor();
  await say(chat, 'and then tell me what is left');
  await chat.getByRole('list', { name: 'Queued messages' }).getByText('what is left').waitFor();
  await album.take('chat-running', window);
}
