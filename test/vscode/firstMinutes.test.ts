import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { chooseAgent, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { pressKeyIn, typeIn } from './driver/keys.ts';
import { press } from './driver/press.ts';
import { inOrder } from './driver/steps.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const agent = join(import.meta.dirname, '../integration/peers/acp/agent.ts');
const LIMIT = 6;

/** Real input only, each press counted; one whose target was drawn anew under it, and that reached nothing, is none. */
describe('first minutes: from the printed address to a reviewed diff', () => {
  let editor: Editor;
  let window: EditorWindow;
  let clicks = 0;

  before(async () => {
    editor = await Editor.open('first minutes', {
      asksForTrust: true,
      settings: {
        'security.workspace.trust.startupPrompt': 'always',
        'switchboard.agents': [
          { id: 'writer', displayName: 'Writer', command: process.execPath, args: [agent, '--offer=form,models,many'] },
        ],
      },
    });
    window = await editor.openWindow();
  });
  inOrder(() => window);
  after(() => editor?.close());

  async function click(target: Locator): Promise<void> {
    await press(target);
    clicks += 1;
  }
  async function newSession(): Promise<void> {
    await window.closeEditors();
    await window.command('Switchboard: New Session');
  }
  async function key(name: string, place: Locator): Promise<void> {
    await pressKeyIn(place, name);
    clicks += 1;
  }

  it(`1a-14 new session: trust, a prompt to the agent that was found, its edit and its diff take at most ${LIMIT} clicks`, async () => {
    await click(window.page.getByRole('button', { name: /^Yes, I trust the authors/ }));
    await until('the window works', () => window.probe.run<boolean>('return vscode.workspace.isTrusted;'));
    await key('Control+Alt+j', window.page.locator('body'));
    const chat = await window.chat();
    await chat.getByRole('button', { name: /^Agent:.*Writer/ }).waitFor();
    await chat.getByRole('button', { name: 'Options…' }).waitFor();
    await chat.getByRole('button', { name: /^Model:/ }).waitFor();
    const message = chat.getByRole('textbox', { name: 'Message' });
    const file = join(editor.workspace, 'notes.txt');
    await typeIn(message, `edit ${file}`);
    await key('Enter', message);
    await click(chat.getByRole('button', { name: 'Allow once' }));
    await click(chat.getByRole('button', { name: 'Review changes' }));
    await window.page.locator('.editor.modified .view-line', { hasText: 'new text' }).first().waitFor();
    const keep = window.page.locator('.editor-actions').getByRole('button', { name: /^Keep File/ });
    await keep.waitFor();
    await window.screenshot('diff');
    await click(keep);
    await untilSeen(
      'the file is reviewed',
      () => window.statusBar(),
      (all) => all.some((it) => it.includes('1 of 1 file reviewed')),
    );
    assert.equal(readFileSync(file, 'utf8'), 'new text\n');
    process.stdout.write(`first minutes: ${clicks} clicks\n`);
    assert.ok(clicks <= LIMIT, `${clicks} clicks`);
  });

  it('1a-14 new session: the next one starts with the agent that was used last, although another comes first', async () => {
    await newSession();
    await chooseAgent(await window.chat(), 'Runbook');
    await say(await window.chat(), 'hello');
    await window.openContainer('Switchboard');
    await (await window.tree('Sessions')).waitFor('hello');
    await newSession();
    await (await window.chat()).getByRole('button', { name: /^Agent:.*Runbook/ }).waitFor();
  });

  it('1c-26 walkthrough: the command opens it, with a step for each of agent, prompt, review, inbox and gateway', async () => {
    await window.command('Switchboard: Open Walkthrough');
    for (const title of [
      'Choose an Agent',
      'Send Your First Prompt',
      'Review the Changes',
      'Answer Questions in the Inbox',
      'Share Tools Through the Gateway',
    ])
      await window.page.locator('.gettingStartedContainer').getByText(title, { exact: true }).first().waitFor();
    await window.screenshot('walkthrough');
  });
});
