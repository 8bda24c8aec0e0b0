import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { Editor } from './driver/editor.ts';
import { untilSeen } from './driver/until.ts';
import type { EditorWindow } from './driver/window.ts';

const text = `{
  "mcp_servers": {
    "github": {
      "url": "https://api.example.com/mcp",
      "auth_type": "bearer_token",
      "credentials": { "auth_value": "in-clear" }
    }
  },
  "teams": { "blue": { "object_permission": { "mcp_servers": [""] } } }
}
`;

interface Mark {
  readonly source: string;
  readonly message: string;
  readonly text: string;
}

describe('configuration: switchboard.jsonc in a real VS Code', () => {
  let editor: Editor;
  let window: EditorWindow;
  let file = '';

  before(async () => {
    editor = await Editor.open('configuration', {
      prepare: ({ workspace }) => {
        file = join(workspace, 'switchboard.jsonc');
        writeFileSync(file, text);
      },
    });
    window = await editor.openWindow();
  });
  after(() => editor?.close());

  const marks = () =>
    window.probe.run<Mark[]>(
      `const uri = vscode.Uri.file(arg);
       const document = await vscode.workspace.openTextDocument(uri);
       return vscode.languages.getDiagnostics(uri).map(({ source, message, range }) => ({ source, message, text: document.getText(range) }));`,
      file,
    );
  const ours = async () => (await marks()).filter((it) => it.source === 'switchboard');

  it('a mistake that is opened is marked with its reason', async () => {
    await window.probe.run(
      'await vscode.window.showTextDocument(vscode.Uri.file(arg), { preview: false }); return null;',
      file,
    );
    await untilSeen('the mistake is marked', async () => (await ours()).map((it) => `${it.text}: ${it.message}`), [
      '"in-clear": must be { "env": "NAME" }, { "file": "path" }, or a secret in secret_stores, because secrets must not be stored in this file',
    ]);
    await window.page.locator('.squiggly-error').first().waitFor();
    await window.screenshot('mistake');
  });

  it('offers the servers of the file where one is named', async () => {
    const offset = text.indexOf('[""]') + 2;
    await untilSeen(
      'the server is offered',
      () =>
        window.probe.run<string[]>(
          `const document = await vscode.workspace.openTextDocument(vscode.Uri.file(arg.file));
           const list = await vscode.commands.executeCommand('vscode.executeCompletionItemProvider', document.uri, document.positionAt(arg.offset));
           return list.items.map((it) => it.label.label ?? it.label);`,
          { file, offset },
        ),
      (labels) => labels.includes('github'),
    );
    await window.probe.run(
      `const at = vscode.window.activeTextEditor.document.positionAt(arg);
       vscode.window.activeTextEditor.selection = new vscode.Selection(at, at);
       await vscode.commands.executeCommand('editor.action.triggerSuggest'); return null;`,
      offset,
    );
    await window.page.locator('.suggest-widget').getByText('github').first().waitFor();
    await window.screenshot('completion');
    await window.keyInEditor('Enter');
    await untilSeen(
      'the name stands in the file',
      () => window.probe.run<string>('return vscode.window.activeTextEditor.document.getText();'),
      (it) => it.includes('"mcp_servers": ["github"]'),
    );
  });

  it('tells about the server under the mouse, and marks nothing any more once all is well', async () => {
    await untilSeen(
      'the hover tells',
      () =>
        window.probe.run<string[]>(
          `const { document } = vscode.window.activeTextEditor;
           const at = document.positionAt(document.getText().indexOf('"github"') + 3);
           const all = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at);
           return all.flatMap((it) => it.contents.map((content) => content.value));`,
        ),
      (hovers) => hovers.some((it) => it.replaceAll('&nbsp;', ' ').includes('github: not registered yet')),
    );
    await window.probe.run(
      `const { document } = vscode.window.activeTextEditor;
       const start = document.getText().indexOf('"in-clear"');
       const edit = new vscode.WorkspaceEdit();
       edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(start + '"in-clear"'.length)), '{ "env": "TOKEN" }');
       await vscode.workspace.applyEdit(edit); return null;`,
    );
    await untilSeen('nothing is marked', marks, []);
    await window.screenshot('well');
  });
});
