import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { chooseAgent, chooseInMenu, say } from '../driver/chat.ts';
import { Editor } from '../driver/editor.ts';
import { pressKeyIn, write } from '../driver/keys.ts';
import { press } from '../driver/press.ts';
import { inOrder } from '../driver/steps.ts';
import { until, untilSeen } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const agent = join(import.meta.dirname, '../../integration/peers/acp/agent.ts');
const CODE = `# Code

Run it:

\`\`\`bash
echo shown-by-one-line
\`\`\`

\`\`\`bash
echo done > made.txt
\`\`\`

\`\`\`bash
echo first > first.txt
echo second > second.txt
\`\`\`
`;

const FAILS = `# Fails

\`\`\`sh
exit 3
\`\`\`
`;
const FRUIT = '  apple: 45,\n  pear: 60,\n  plum: 25,\n};\n';
const RAISE = `# Raise a price

\`\`\`diff
--- a/src/fruit.js
+++ b/src/fruit.js
@@ -1,4 +1,4 @@
   apple: 45,
   pear: 60,
-  plum: 25,
+  plum: 30,
 };
\`\`\`

The plum costs thirty now.
`;

/** In order: each step stands on the one before. */
describe('messages of a chat and what can be done with them', () => {
  let editor: Editor;
  let window: EditorWindow;
  let chat: Frame;

  before(async () => {
    editor = await Editor.open('messages', {
      settings: () => ({
        // The screen of a terminal is text in the page then.
        'terminal.integrated.gpuAcceleration': 'off',
        // An account's own shell may not know what is pasted, as dash does not; the editor then asks before it pastes lines.
        'terminal.integrated.defaultProfile.linux': 'bash',
        'switchboard.agents': [{ id: 'echo', displayName: 'Echo', command: process.execPath, args: [agent] }],
      }),
      prepare: ({ workspace }) => {
        const runbooks = join(workspace, '.switchboard/runbooks');
        mkdirSync(runbooks, { recursive: true });
        const texts = {
          one: '# One\n\nThis is the first.\n',
          two: '# Two\n\nThis is the second.\n',
          code: CODE,
          raise: RAISE,
          fails: FAILS,
        };
        writeFileSync(join(workspace, 'src/fruit.js'), FRUIT);
        for (const [name, text] of Object.entries(texts)) writeFileSync(join(runbooks, `${name}.md`), text);
      },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await startChat('Runbook');
  });
  inOrder(() => window);
  after(() => editor?.close());

  const turns = () =>
    chat.locator('.turn').evaluateAll((all) => all.map((it) => it.querySelector('.bubble-text')?.textContent));
  const startChat = async (agent: string) => {
    chat = await window.chatAfter(() => window.clickInView('Sessions', /New Session/));
    await chooseAgent(chat, agent);
  };
  const messageOf = (prompt: string) => chat.locator('.turn', { hasText: prompt }).first();
  const play = async (prompt: string, answer: string) => {
    await say(chat, prompt);
    await messageOf(prompt).locator('.markdown', { hasText: answer }).waitFor();
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  };

  it('1a-20 an edited prompt takes the place of its turn and of all after it, and Cancel changes nothing', async () => {
    await play('/one', 'This is the first.');
    await play('/two', 'This is the second.');
    const message = chat.getByRole('textbox', { name: 'Message' });
    await write(message, 'half a thought');
    await press(messageOf('/one').getByRole('button', { name: 'Edit and resend' }));
    await untilSeen('the prompt is in the composer', () => message.inputValue(), '/one');
    await window.screenshot('editing');
    await press(chat.getByRole('button', { name: 'Cancel' }));
    await untilSeen('what was written is there again', () => message.inputValue(), 'half a thought');
    await press(messageOf('/one').getByRole('button', { name: 'Edit and resend' }));
    await say(chat, '/two');
    await untilSeen('one turn is left', turns, ['/two']);
    await messageOf('/two').locator('.markdown', { hasText: 'second' }).waitFor();
    await untilSeen('what was written is there still', () => message.inputValue(), 'half a thought');
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  });

  it('1a-20 a prompt sent again is another turn', async () => {
    await press(messageOf('/two').getByRole('button', { name: 'Send again' }));
    await untilSeen('there are two turns', turns, ['/two', '/two']);
    await chat.locator('.markdown', { hasText: 'second' }).nth(1).waitFor();
    await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  });

  it('1a-16 a fork has the turns up to the one it is made from, and is a session of its own', async () => {
    await window.closeEditors();
    await startChat('Echo');
    await play('say apples', 'apples');
    await play('say pears', 'pears');
    const forkButton = messageOf('say apples').getByRole('button', { name: 'Fork from here' });
    const newSession = chat.getByRole('menuitem', { name: 'New session' });
    chat = await window.chatAfter(() => chooseInMenu(forkButton, newSession, { force: true }));
    await untilSeen(
      'the fork is open',
      () => window.openEditors(),
      (all) => all.some((it) => it.startsWith('*') && it.endsWith('(fork)')),
    );
    await untilSeen('it has one turn', turns, ['say apples']);
    await play('say plums', 'plums');
    await untilSeen('it goes on by itself', turns, ['say apples', 'say plums']);
  });

  const texts = () => window.probe.documents().then((all) => all.map((it) => `${it.uri} ${it.text}`));
  /** @param name the beginning of a URI of a text, or of the title of a page */
  const columnOf = (name: string) =>
    window.probe.run<number | undefined>(
      `const isIt = ({ input, label }) => (input?.uri?.toString() ?? label).startsWith(arg);
      return vscode.window.tabGroups.all.find((it) => it.tabs.some(isIt))?.viewColumn;`,
      name,
    );
  const useCode = async (code: string, button: string) => {
    chat = await window.chat();
    await press(chat.locator('.code', { hasText: code }).getByRole('button', { name: button }));
  };

  it('1b-2 code of an answer goes to the cursor of the file that the chat covers, which comes into sight', async () => {
    await window.closeEditors();
    await window.probe.run(`
      const files = await vscode.workspace.findFiles('src/prices.js');
      const editor = await vscode.window.showTextDocument(files[0], { viewColumn: 1, preview: false });
      editor.selection = new vscode.Selection(1, 0, 1, 0);`);
    await startChat('Runbook');
    await play('/code', 'Run it');
    await useCode('shown-by-one-line', 'Insert at cursor');
    await untilSeen('the code is at the cursor', texts, (all) =>
      all.some((it) => /prices\.js [^\n]*\necho shown-by-one-line\n/.test(it)),
    );
    await untilSeen(
      'the file is in sight',
      () => window.openEditors(),
      (all) => all.includes('*prices.js'),
    );
    assert.deepEqual(await window.notifications.toasts(), []);
  });

  it('1b-2 code of an answer opens as a new file beside the chat', async () => {
    await press(window.page.getByRole('tab', { name: /^\/code/ }));
    await useCode('shown-by-one-line', 'New file');
    await untilSeen('the code is in a new file', texts, (all) =>
      all.some((it) => it.startsWith('untitled:') && it.endsWith('echo shown-by-one-line\n')),
    );
    await untilSeen('it is beside the chat', () => columnOf('untitled:'), 2);
    await window.screenshot('code');
    assert.equal(await columnOf('/code'), 1);
    await chat.locator('.code').first().waitFor();
  });

  it('1b-2 one line of an answer runs in a terminal, and several are pasted and wait for Enter', async () => {
    const file = (name: string) => join(editor.workspace, name);
    await useCode('made.txt', 'Run in terminal');
    await until('the line ran', () => existsSync(file('made.txt')));
    await useCode('second.txt', 'Run in terminal');
    const screen = window.page.locator('.terminal-wrapper.active .xterm-rows');
    await untilSeen(
      'both lines are at the prompt',
      async () => (await screen.allInnerTexts()).join('').replaceAll('\n', '').replaceAll('\u00a0', ' '), // they may wrap
      (it) => it.includes('echo first > first.txt') && it.includes('echo second > second.txt'),
    );
    await window.screenshot('pasted');
    assert.deepEqual([existsSync(file('first.txt')), existsSync(file('second.txt'))], [false, false]);
    const terminal = window.page.locator('.terminal-wrapper.active .xterm');
    await pressKeyIn(terminal, 'Enter');
    await until('both ran', () => existsSync(file('first.txt')) && existsSync(file('second.txt')));
  });

  /** What was written into files is not kept, or the editor would ask what to do with it. */
  const dropEdits = () =>
    window.probe.run(`
      for (const it of vscode.workspace.textDocuments.filter(({ isDirty, isUntitled }) => isDirty || isUntitled)) {
        await vscode.window.showTextDocument(it);
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      }`);

  it('1b-4 the name of an edited file opens it at its first changed line', async () => {
    await dropEdits();
    await window.closeEditors();
    await startChat('Runbook');
    await say(chat, '/raise');
    await press(chat.getByRole('button', { name: 'Allow once' }));
    await chat.getByRole('log').getByText('The plum costs thirty now.').waitFor();
    await press(chat.locator('.tool-line').first());
    await press(chat.locator('.file-name').first());
    const place = () =>
      window.probe.run<string>(`
        const it = vscode.window.activeTextEditor;
        return it && it.document.lineAt(it.selection.active.line).text.trim();`);
    await untilSeen('the cursor is in the changed line', place, 'plum: 30,');
  });

  it('1b-4 a command that failed says its exit code', async () => {
    await window.closeEditors();
    await startChat('Runbook');
    await say(chat, '/fails');
    await press(chat.getByRole('button', { name: 'Allow once' }));
    await chat.locator('.tool.is-failed', { hasText: 'exit code 3' }).waitFor();
    await window.screenshot('exit code');
  });

  it('an agent at work says for how long', async () => {
    await window.closeEditors();
    await startChat('Echo');
    await say(chat, 'wait');
    await chat.locator('.activity-time', { hasText: /^\d+ s$/ }).waitFor();
    await press(chat.getByRole('button', { name: 'Stop' }));
    await chat.locator('.activity-time').waitFor({ state: 'detached' });
  });

  it('a chat that another editor covered shows its turns when it is visible again, and continues', async () => {
    await window.closeEditors();
    await startChat('Runbook');
    await play('/one', 'This is the first.');
    await window.probe.command('workbench.action.files.newUntitledFile');
    await untilSeen('no page of ours shows', async () => (await window.webviews()).length, 0);
    chat = await window.chatAfter(() => window.probe.command('workbench.action.closeActiveEditor'));
    await untilSeen('the turn is there', turns, ['/one']);
    await play('/two', 'This is the second.');
    assert.deepEqual(await turns(), ['/one', '/two']);
  });
});
