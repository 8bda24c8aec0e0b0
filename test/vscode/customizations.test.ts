import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { chooseAgent, chooseInMenu, say } from './driver/chat.ts';
import { Editor } from './driver/editor.ts';
import { press } from './driver/press.ts';
import { pictureFailures } from './driver/steps.ts';
import type { TreeRows } from './driver/tree.ts';
import { until, untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const agent = join(import.meta.dirname, '../integration/peers/acp/agent.ts');
const settings = `{
  "hooks": {
    "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "echo the guard is broken >&2; exit 1" }] }]
  }
}
`;

/** In order: each step stands on the one before. */
describe('customizations: what a session has is seen, opened, turned off, made and chosen', () => {
  let editor: Editor;
  let window: EditorWindow;
  let rows: TreeRows;

  before(async () => {
    editor = await Editor.open('customizations', {
      settings: () => ({
        'switchboard.agents': [{ id: 'echo', displayName: 'Echo', command: process.execPath, args: [agent] }],
      }),
      prepare: ({ workspace }) => {
        const write = (path: string, text: string) => {
          mkdirSync(dirname(join(workspace, path)), { recursive: true });
          writeFileSync(join(workspace, path), text);
        };
        write('.claude/settings.json', settings);
        write('.github/agents/reviewer.agent.md', '---\nname: reviewer\ndescription: Reviews\n---\nReview well.\n');
        write('.github/hooks/broken.json', '{ "hooks": ');
      },
    });
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
  });
  pictureFailures(() => window);
  after(() => editor?.close());

  async function send(text: string, answer: RegExp): Promise<void> {
    const chat = await window.chat();
    await say(chat, text);
    await chat.getByText(answer).first().waitFor();
    await chat.getByRole('button', { name: 'Send', exact: true }).waitFor();
  }
  async function failures(): Promise<number> {
    return (await window.chat()).getByRole('log').getByText('the guard is broken').count();
  }

  it('a hook that fails is told in the chat, and the view shows what there is with its load states', async () => {
    await window.command('Switchboard: New Session');
    const chat = await window.chat();
    await chooseAgent(chat, 'Echo');
    await send('hello', /you said: hello/);
    await untilSeen('the failure is told once', failures, 1);

    await window.fold('Sessions', 'Inbox', 'Changes');
    rows = await window.tree('Agents & Customizations');
    await rows.waitFor('.github/agents', { description: 'Agents · 1' });
    await rows.waitFor('.claude/settings', { description: 'Hooks · 1' });
    await rows.waitFor('.github/instructions', { description: 'Rules · 0' });
    await rows.row('.github/hooks').locator('.codicon-warning').waitFor();
    await rows.expand('.github/agents');
    await rows.waitFor('reviewer');
    await window.screenshot('what customizes a session');
  });

  it('a child opens at its range, and one that is turned off does not run any more', async () => {
    await rows.expand('.claude/settings');
    await rows.waitFor('UserPromptSubmit');
    await rows.click('UserPromptSubmit');
    await until('the file is open where the hook begins', async () => {
      const line = await window.probe.run<number>(
        'const it = vscode.window.activeTextEditor; return it?.document.fileName.endsWith("settings.json") ? it.selection.start.line : -1;',
      );
      return line === 2;
    });
    await window.screenshot('a hook in its file');
    const box = rows.row('UserPromptSubmit').getByRole('checkbox');
    const isChecked = () => box.getAttribute('aria-checked', { timeout: 5_000 });
    await untilSeen('it is on', isChecked, 'true');
    await press(box);
    await untilSeen('it is off', isChecked, 'false');
    await press(window.page.getByRole('tab', { name: /hello/ }).first());
    await send('again', /you said: again/);
    assert.equal(await failures(), 1);
  });

  it('a new rule is a file that the host writes and the view shows', async () => {
    await rows.expand('.github/instructions');
    await rows.click('New Rule…');
    await window.type('House rules');
    await rows.waitFor('House rules');
    const file = join(editor.workspace, '.github/instructions/House rules.instructions.md');
    await untilSeen(
      'the file is written',
      () => readFileSync(file, 'utf8'),
      (it) => it.includes('applyTo'),
    );
    await untilSeen(
      'it is open',
      () => window.openEditors(),
      (all) => all.includes('*House rules.instructions.md'),
    );
    await window.screenshot('a new rule');
  });

  it('a message chooses a custom agent', async () => {
    await press(window.page.getByRole('tab', { name: /hello/ }).first());
    const chat = await window.chat();
    const picker = chat.getByRole('button', { name: /^Custom agent: none selected/ });
    await chooseInMenu(picker, chat.getByRole('menuitemradio', { name: /reviewer/ }));
    await chat.getByRole('button', { name: /^Custom agent: reviewer/ }).waitFor();
    await send('look at it', /Review well\./);
    await window.screenshot('a custom agent');
  });
});
