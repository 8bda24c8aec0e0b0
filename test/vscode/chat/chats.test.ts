import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { chooseAgent, chooseInMenu, say } from '../driver/chat.ts';
import { Editor } from '../driver/editor.ts';
import { pressKey, write } from '../driver/keys.ts';
import { press } from '../driver/press.ts';
import { inOrder } from '../driver/steps.ts';
import { untilSeen } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const agent = join(import.meta.dirname, '../../integration/peers/acp/agent.ts');
const FRUIT = '  apple: 45,\n  pear: 60,\n  plum: 25,\n};\n';
const raise = (from: number, to: number) => `# Raise a price

\`\`\`diff
--- a/src/fruit.js
+++ b/src/fruit.js
@@ -1,4 +1,4 @@
   apple: 45,
   pear: 60,
-  plum: ${from},
+  plum: ${to},
 };
\`\`\`

The plum costs ${to} now.
`;

/** In order: each step stands on the one before. */
describe('several chats of a session, and ways back in them', () => {
  let editor: Editor;
  let window: EditorWindow;
  let chat: Frame;

  before(async () => {
    editor = await Editor.open('chats', {
      settings: () => ({
        'switchboard.agents': [{ id: 'echo', displayName: 'Echo', command: process.execPath, args: [agent] }],
      }),
      prepare: ({ workspace }) => {
        const runbooks = join(workspace, '.switchboard/runbooks');
        mkdirSync(runbooks, { recursive: true });
        writeFileSync(join(workspace, 'src/fruit.js'), FRUIT);
        writeFileSync(join(runbooks, 'raise.md'), raise(25, 30));
        writeFileSync(join(runbooks, 'again.md'), raise(30, 35));
      },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await startChat('Echo');
  });
  inOrder(() => window);
  after(() => editor?.close());

  const startChat = async (name: string) => {
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chooseAgent(chat, name);
  };
  const turns = () =>
    chat.locator('.turn').evaluateAll((all) => all.map((it) => it.querySelector('.bubble-text')?.textContent));
  const message = () => chat.getByRole('textbox', { name: 'Message' });
  const play = async (prompt: string, answer: string) => {
    await say(chat, prompt);
    await chat.locator('.turn', { hasText: prompt }).locator('.markdown', { hasText: answer }).first().waitFor();
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  };
  const tabs = () =>
    chat
      .getByRole('tab')
      .evaluateAll((all) =>
        all.map((it) => `${it.getAttribute('aria-selected') === 'true' ? '*' : ''}${it.getAttribute('aria-label')}`),
      );

  it('1a-15 a second chat begins from the title of the editor, and each keeps its draft', async () => {
    await play('say apples', 'apples');
    assert.deepEqual(await tabs(), []);
    await write(message(), 'half a thought');
    await press(window.page.locator('.editor-actions').getByRole('button', { name: /New Chat in Session/ }));
    await untilSeen('the new chat is shown', tabs, ['say apples', '*New chat']);
    await untilSeen('its field is empty', () => message().inputValue(), '');
    await play('say pears', 'pears');
    await untilSeen('it is called by its first prompt', tabs, ['say apples', '*say pears']);
    await window.screenshot('two chats');
    await press(chat.getByRole('tab', { name: 'say apples' }));
    await untilSeen('the first chat is shown', turns, ['say apples']);
    await untilSeen('its draft is there', () => message().inputValue(), 'half a thought');
    await write(message(), '');
  });

  it('1a-15 a chat is renamed, closed and opened again', async () => {
    const menu = chat.getByRole('button', { name: 'Chat actions' });
    await press(chat.getByRole('tab', { name: 'say pears' }));
    await untilSeen('the second chat is shown', turns, ['say pears']);
    await chooseInMenu(menu, chat.getByRole('menuitem', { name: 'Rename…' }));
    await window.type('Pears');
    await untilSeen('it has the name', tabs, ['say apples', '*Pears']);
    await chooseInMenu(menu, chat.getByRole('menuitem', { name: 'Close' }));
    await untilSeen('it is no tab any more', tabs, ['*say apples']);
    await chooseInMenu(menu, chat.getByRole('menuitem', { name: 'Open Pears' }));
    await untilSeen('it is there again', tabs, ['say apples', '*Pears']);
    await untilSeen('with its turns', turns, ['say pears']);
  });

  it('1a-17 a question is asked beside the chat, which stays as it is', async () => {
    await press(chat.getByRole('tab', { name: 'say apples' }));
    await untilSeen('the first chat is shown', turns, ['say apples']);
    await say(chat, '/btw blocks');
    await untilSeen('the side chat is shown', turns, ['blocks']);
    await chat
      .locator('.turn .markdown')
      .filter({ hasText: 'Earlier conversation' })
      .filter({ hasText: 'say apples' })
      .waitFor();
    await window.screenshot('side chat');
    await press(chat.getByRole('tab', { name: 'say apples' }));
    await untilSeen('the first chat is as it was', turns, ['say apples']);
  });

  it('1a-16 a prompt of a tab is forked into another chat of the session', async () => {
    await press(chat.getByRole('tab', { name: 'Pears' }));
    await untilSeen('the second chat is shown', turns, ['say pears']);
    await play('say plums', 'plums');
    await chooseInMenu(
      chat.locator('.turn', { hasText: 'say pears' }).getByRole('button', { name: 'Fork from here' }),
      chat.getByRole('menuitem', { name: 'New chat in this session' }),
      { force: true },
    );
    await untilSeen('the fork has the turns up to there', turns, ['say pears']);
    await untilSeen('it is a tab, which is shown', tabs, (it) => it.includes('*Pears (fork)'));
    await play('say figs', 'figs');
    assert.deepEqual(await turns(), ['say pears', 'say figs']);
  });

  it('1b-23 words are found from chat to chat, and gone through', async () => {
    await pressKey(message(), 'Control+f');
    const field = chat.getByRole('textbox', { name: 'Find' });
    await write(field, 'figs');
    await chat.locator('.find-count', { hasText: 'of 2' }).waitFor();
    await window.screenshot('find');
    await pressKey(field, 'Escape');
    await field.waitFor({ state: 'detached' });
  });

  const fruit = () => readFileSync(join(editor.workspace, 'src/fruit.js'), 'utf8');
  /** Plays a runbook that edits a file, which asks first. */
  const change = async (prompt: string, answer: string) => {
    await say(chat, prompt);
    await press(chat.getByRole('button', { name: 'Allow once' }));
    await chat.locator('.turn', { hasText: prompt }).locator('.markdown', { hasText: answer }).waitFor();
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  };
  const restoreTo = (prompt: string) =>
    press(chat.locator('.turn', { hasText: prompt }).getByRole('button', { name: 'Restore to here…' }));

  it('1a-21 files and chat go back to before a prompt, and come again with Redo', async () => {
    await window.closeEditors();
    await startChat('Runbook');
    await change('/raise', 'costs 30 now');
    await change('/again', 'costs 35 now');
    await restoreTo('/raise');
    await untilSeen(
      'it says what it will do',
      () => window.picks(),
      (all) =>
        all.some(
          (it) => it.startsWith('Files and chat') && it.includes('1 file will be restored, 2 turns will be removed'),
        ),
    );
    await window.screenshot('restore');
    await window.pick('Files and chat');
    await untilSeen('the file is as it was', fruit, FRUIT);
    await untilSeen('the chat is empty', turns, []);
    await untilSeen('the prompt can be sent anew', () => message().inputValue(), '/raise');
    await chat.getByText('2 turns were removed from the chat, 1 file was restored').first().waitFor();
    await window.screenshot('restored');
    await press(chat.getByRole('button', { name: 'Redo' }));
    await untilSeen('the turns are back', turns, ['/raise', '/again']);
    await untilSeen('the file is back', fruit, FRUIT.replace('25', '35'));
  });

  it('1a-21 files alone go back to any prompt, and what they were is compared with now', async () => {
    await restoreTo('/again');
    await window.pick('Compare with current versions');
    await untilSeen(
      'the files are compared',
      () => window.openEditors(),
      (all) => all.some((it) => it.startsWith('*Before "/again"')),
    );
    await window.command('View: Close Editor');
    chat = await window.chat();
    await restoreTo('/again');
    await window.pick('Files only');
    await untilSeen('the file is as it was before', fruit, FRUIT.replace('25', '30'));
    assert.deepEqual(await turns(), ['/raise', '/again']);
  });
});

describe('the chat in the side bar', () => {
  let editor: Editor;
  let window: EditorWindow;
  let chat: Frame;

  before(async () => {
    editor = await Editor.open('side bar chat', {
      settings: () => ({
        'switchboard.chat.location': 'sideBar',
        'switchboard.agents': [{ id: 'echo', displayName: 'Echo', command: process.execPath, args: [agent] }],
      }),
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chooseAgent(chat, 'Echo');
  });
  inOrder(() => window);
  after(() => editor?.close());

  const part = () => window.page.locator('.part.auxiliarybar');
  const action = (name: RegExp) => part().getByRole('button', { name }).first();

  it('1a-15 says which session it shows, with a new one, the history and the editor beside', async () => {
    await say(chat, 'say apples');
    await chat.locator('.turn .markdown', { hasText: 'apples' }).waitFor();
    await chat.locator('#side-title', { hasText: 'say apples' }).waitFor();
    // A container with one view shows no header of it; the editor keeps its words for where there is one.
    await part().locator('h3.title', { hasText: 'say apples' }).waitFor({ state: 'attached' });
    await part().locator('.description', { hasText: 'Echo' }).first().waitFor({ state: 'attached' });
    for (const name of [/^New Session/, /^Session History/, /^Open Chat in Editor/]) await action(name).waitFor();
    await window.screenshot('title');
  });

  it('1b-23 finds words there as in the editor', async () => {
    await pressKey(chat.getByRole('textbox', { name: 'Message' }), 'Control+f');
    await write(chat.getByRole('textbox', { name: 'Find' }), 'apples');
    await chat.locator('.find-count', { hasText: 'of 2' }).waitFor();
    await window.screenshot('find');
    await pressKey(chat.getByRole('textbox', { name: 'Find' }), 'Escape');
  });

  it('1a-15 moves its chat into the editor, and begins anew', async () => {
    await press(action(/^Open Chat in Editor/));
    await untilSeen(
      'the session is an editor',
      () => window.openEditors(),
      (all) => all.includes('*say apples'),
    );
    await untilSeen('the side bar is free for a new session', async () => {
      const pages = await window.webviews();
      const prompts = await Promise.all(pages.map((it) => it.locator('.bubble-text').allTextContents()));
      return prompts.map((it) => it.join()).toSorted();
    }, ['', 'say apples']);
    await window.screenshot('moved');
  });
});
