import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { verifies } from '../support/verifies.ts';
import { say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { press } from './driver/press.ts';
import { untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

describe('toast: a notification of a request, and another extension answering approvals', () => {
  let editor: Editor;
  let window: EditorWindow;
  /** The editor has notifications of its own, of ports and the like. */
  const isOurs = (it: string) => it.includes('echo one');
  const ours = async () => (await window.notifications.toasts()).filter(isOurs);

  before(async () => {
    editor = await Editor.open('toast', {
      prepare: ({ workspace }) => {
        const folder = join(workspace, '.switchboard/runbooks');
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'one.md'), '# One\n\n```sh\necho one\n```\n\nAll done.\n');
      },
    });
    window = await editor.openWindow();
  });
  after(() => editor?.close());

  it('leaves an answer to a person: other extensions, which know the request, only show it', async () => {
    verifies('security.foreign-answers');
    await window.openContainer('Switchboard');
    await window.clickInView('Sessions', /New Session/);
    await say(await window.chat(), '/one');
    const inbox = await window.tree('Inbox');
    await inbox.waitFor('echo one');
    await window.closeEditors();
    const review = window.notifications.toast('echo one').getByRole('link', { name: 'Review…' });
    const query = (await review.getAttribute('href'))?.split('?')[1] ?? '';
    const [key] = JSON.parse(decodeURIComponent(query)) as [string];
    const row = { $treeViewId: 'switchboard.inbox', $treeItemHandle: `1/${key}` };
    for (const argument of [key, { key }, { key, id: key }, row]) {
      for (const name of ['allowOnce', 'allowSession', 'allowAlways', 'deny', 'denyWithReason']) {
        const command = `switchboard.request.${name}`;
        await window.probe.command(command, argument);
        await window.probe.command('runCommands', { commands: [{ command, args: argument }] });
      }
    }
    await inbox.waitFor('echo one');
    await press((await window.chat()).getByRole('button', { name: 'Deny' }).first());
    await untilSeen('the request is answered', () => inbox.labels(), []);
    await window.closeEditors();
  });

  it('answered in the chat of another window: no toast and nothing in the centre once the window heard of it', async () => {
    await window.openContainer('Switchboard');
    await window.clickInView('Sessions', /New Session/);
    await say(await window.chat(), '/one');
    await (await window.tree('Inbox')).waitFor('echo one');
    await window.closeEditors();
    const toast = window.notifications.toast('echo one');
    await toast.waitFor();
    await untilSeen('there is one', async () => (await ours()).length, 1);
    await untilSeen('no bar runs in it', () => toast.locator('.monaco-progress-container.infinite').count(), 0);
    await window.screenshot('toast');

    // The chat in a second window answers, so that this one's notification is still there at the click.
    const second = await editor.openWindow();
    await second.openContainer('Switchboard');
    const sessions = await second.tree('Sessions');
    await sessions.waitFor('/one');
    await sessions.click('/one');
    const chat = await second.chat();
    await press(chat.getByRole('button', { name: 'Allow once' }));
    const inbox = await window.tree('Inbox');
    await untilSeen('this window heard of the answer', () => inbox.labels(), []);
    await untilSeen('the notification is gone', ours, []);
    const centre = (await window.notifications.centre()).filter(isOurs);
    await window.screenshot('closed');
    process.stdout.write(`toasts ${(await ours()).length}, centre ${centre.length}\n`);
    assert.deepEqual(centre, []);
  });
});
