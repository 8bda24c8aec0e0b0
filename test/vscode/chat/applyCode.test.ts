import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { say } from '../driver/chat.ts';
import { Editor } from '../driver/editor.ts';
import { press } from '../driver/press.ts';
import { inOrder } from '../driver/steps.ts';
import { untilSeen } from '../driver/until.ts';
import type { EditorWindow } from '../driver/window.ts';

const RUNBOOK = `# Code

\`\`\`js
export const prices = {
  apple: 46,
};
\`\`\`

Apply it.
`;

/** In order: each step stands on the one before. */
describe('1b-2 code of an answer in the file that it is for', () => {
  let editor: Editor;
  let window: EditorWindow;
  let chat: Frame;
  let file: string;
  let before46: string;
  const disk = () => readFileSync(file, 'utf8');

  before(async () => {
    editor = await Editor.open('apply code', {
      prepare: ({ workspace }) => {
        mkdirSync(join(workspace, '.switchboard/runbooks'), { recursive: true });
        writeFileSync(join(workspace, '.switchboard/runbooks/code.md'), RUNBOOK);
      },
    });
    file = join(editor.workspace, 'src/prices.js');
    before46 = disk();
    window = await editor.openWindow();
    await window.probe.run(
      'await vscode.window.showTextDocument(vscode.Uri.file(arg), { viewColumn: 1, preview: false });',
      file,
    );
  });
  inOrder(() => window);
  after(() => editor?.close());

  async function apply(): Promise<void> {
    chat = await window.chat();
    await press(chat.locator('.code', { hasText: 'apple: 46' }).getByRole('button', { name: 'Apply with preview' }));
    await window.page.locator('.editor.modified .view-line', { hasText: 'apple: 46' }).first().waitFor();
    await window.page.locator('.editor.original .view-line', { hasText: 'apple: 45' }).first().waitFor();
  }
  const decide = (name: RegExp) => press(window.page.locator('.editor-actions').getByRole('button', { name }));
  const activeTab = async () => (await window.probe.tabs()).find((it) => it.isActive)?.label;

  it('1b-2 an answer has code that no terminal takes', async () => {
    await window.command('Switchboard: New Session');
    chat = await window.chat();
    await say(chat, '/code');
    await chat.getByText('Apply it.', { exact: true }).waitFor();
    await chat.locator('.code', { hasText: 'apple: 46' }).waitFor();
  });

  it('1b-2 Apply with preview shows what the code would change, and Discard leaves the file as it is', async () => {
    await apply();
    await untilSeen('the preview is active', activeTab, 'prices.js (proposed code)');
    assert.equal(disk(), before46);
    await window.screenshot('preview');
    await decide(/^Discard Proposed Code/);
    await untilSeen('the preview is closed', activeTab, (it) => it !== 'prices.js (proposed code)');
    assert.equal(disk(), before46);
  });

  it('1b-2 a file that changed after the preview was opened is not written', async () => {
    await press(window.page.getByRole('tab', { name: /^\/code/ }));
    await apply();
    const changed = `// a note\n${before46}`;
    await window.probe.run(
      `const document = await vscode.workspace.openTextDocument(vscode.Uri.file(arg));
       const edit = new vscode.WorkspaceEdit();
       edit.insert(document.uri, new vscode.Position(0, 0), '// a note\\n');
       await vscode.workspace.applyEdit(edit);
       await document.save();`,
      file,
    );
    await decide(/^Keep Proposed Code/);
    await window.notifications.toast(/changed after the code was proposed/).waitFor();
    assert.equal(disk(), changed);
    await decide(/^Discard Proposed Code/);
    await untilSeen('the preview is closed', activeTab, (it) => it !== 'prices.js (proposed code)');
  });

  it('1b-2 Keep writes the file, and shows it', async () => {
    await press(window.page.getByRole('tab', { name: /^\/code/ }));
    await apply();
    await decide(/^Keep Proposed Code/);
    await untilSeen('the file is shown', activeTab, 'prices.js');
    await untilSeen('the file has the code', disk, (it) => /export const prices = \{\n {2}apple: 46,\n\};/.test(it));
    await window.screenshot('kept');
  });
});
