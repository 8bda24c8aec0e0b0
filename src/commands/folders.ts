import * as vscode from 'vscode';
import { commandIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';

const CHOSEN = 'folderForNewSessions';

/** In a window with several folders: which one new sessions work in. Remembered for the workspace. */
export class FolderChoice implements vscode.Disposable {
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  get isMade(): boolean {
    return this.#remembered() !== undefined;
  }

  /** The chosen folder, or the first one; as a URI. */
  get folder(): string | undefined {
    return (this.#remembered() ?? vscode.workspace.workspaceFolders?.[0])?.uri.toString();
  }

  async choose(): Promise<void> {
    const picked = await vscode.window.showWorkspaceFolderPick({
      placeHolder: vscode.l10n.t('Select the folder for new sessions'),
    });
    if (picked) await this.remember(picked.uri.toString());
  }

  /** @param uri of one of the window's folders; anything else, such as all of them at once, is not kept */
  async remember(uri: string): Promise<void> {
    if (!isOpen(uri) || uri === this.#memory.get(CHOSEN)) return;
    await this.#memory.update(CHOSEN, uri);
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #remembered(): vscode.WorkspaceFolder | undefined {
    const uri = this.#memory.get<string>(CHOSEN);
    return vscode.workspace.workspaceFolders?.find((it) => it.uri.toString() === uri);
  }
}

function isOpen(uri: string): boolean {
  return vscode.workspace.workspaceFolders?.some((it) => it.uri.toString() === uri) === true;
}

export function registerFolderCommands(choice: FolderChoice): vscode.Disposable {
  return vscode.Disposable.from(
    onCommand(commandIds.chooseFolder, () => choice.choose()),
    onCommand(commandIds.openFolder, () => vscode.commands.executeCommand('workbench.action.files.openFolder')),
  );
}
