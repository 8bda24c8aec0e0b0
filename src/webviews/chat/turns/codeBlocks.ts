import * as vscode from 'vscode';
import { hidesCharacters } from '../../../../sidecar/protocol/visibleText.ts';
import { afterDelay } from '../../../client/requests.ts';
import { showNewFile } from '../../../platform/newFile.ts';

/**
 * Puts code in the place of what is selected in the text editor that was active last. A chat that covers it gives way.
 * @param last that editor, as far as this window knows it
 */
export async function insertAtCursor(text: string, last: vscode.TextEditor | undefined): Promise<void> {
  const editor = await editorOf(last);
  const isInserted = await editor?.edit((edit) => {
    for (const it of editor.selections) edit.replace(it, text);
  });
  if (editor && isInserted) {
    await vscode.window.showTextDocument(editor.document, editor.viewColumn);
    return;
  }
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      'The code cannot be inserted because no text editor is open. Open a file, place the cursor in it, and try again.',
    ),
  );
}

/** The editor itself where it is in sight, or its tab shown again in its own group; without it, any that is in sight. */
export async function editorOf(last: vscode.TextEditor | undefined): Promise<vscode.TextEditor | undefined> {
  const inSight = vscode.window.visibleTextEditors.filter((it) => it.viewColumn !== undefined);
  if (!last || inSight.includes(last)) return last ?? inSight[0];
  const uri = last.document.uri.toString();
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri);
  const tab = tabs.find((it) => it.group.viewColumn === last.viewColumn) ?? tabs[0];
  if (!tab) return inSight[0];
  return vscode.window.showTextDocument(last.document.uri, { viewColumn: tab.group.viewColumn });
}

const PROMPT_MS = 3_000;

/** What people write after a fence, where the editor calls it otherwise. */
const languageIds: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  sh: 'shellscript',
  shell: 'shellscript',
  zsh: 'shellscript',
  js: 'javascript',
  jsx: 'javascriptreact',
  ts: 'typescript',
  tsx: 'typescriptreact',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  yml: 'yaml',
  md: 'markdown',
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  ps1: 'powershell',
};

export async function openAsNewFile(content: string, language: string, viewColumn: vscode.ViewColumn): Promise<void> {
  const name = language.toLowerCase();
  const wanted = languageIds[name] ?? name;
  const known = (await vscode.languages.getLanguages()).find((it) => it === wanted);
  await showNewFile(content, known, viewColumn);
}

/**
 * Runs one line. Several lines are only pasted, so that a person reads them before they run.
 * @param folder where a new terminal starts, as a URI
 */
export async function runInTerminal(code: string, folder: string | undefined): Promise<void> {
  const text = code.replace(/\n+$/, '');
  if (text === '') return;
  if (hidesCharacters(text)) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        'This code was not sent to a terminal, because it contains hidden characters. Copy it and check it.',
      ),
    );
    return;
  }
  const open = vscode.window.activeTerminal;
  const terminal = open ?? vscode.window.createTerminal(folder === undefined ? {} : { cwd: vscode.Uri.parse(folder) });
  terminal.show();
  if (!text.includes('\n')) return terminal.sendText(text);
  if (!open) await untilPrompt(terminal);
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  await clipboard.writeText(text);
  // Only the editor's own paste marks the text as pasted for the shell, or asks first where the shell knows no such mark.
  await vscode.commands.executeCommand('workbench.action.terminal.paste');
  await clipboard.writeText(before);
}

/** Before its first prompt a shell does not know what is pasted. One that never says that it is there is waited for no longer. */
function untilPrompt(terminal: vscode.Terminal): Promise<void> {
  return new Promise((resolve) => {
    const stops = vscode.Disposable.from(
      vscode.window.onDidChangeTerminalShellIntegration((it) => it.terminal === terminal && done()),
      vscode.window.onDidCloseTerminal((it) => it === terminal && done()),
      afterDelay(() => done(), PROMPT_MS),
    );
    const done = () => {
      stops.dispose();
      resolve();
    };
  });
}
