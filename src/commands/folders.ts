import * as vscode from 'vscode';
import { commandIds } from '../manifest/manifest.ts';

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
    if (!picked) return;
    await this.#memory.update(CHOSEN, picked.uri.toString());
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

export function registerFolderCommands(choice: FolderChoice): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commandIds.chooseFolder, () => choice.choose()),
    vscode.commands.registerCommand(commandIds.openFolder, () =>
      vscode.commands.executeCommand('workbench.action.files.openFolder'),
    ),
  );
}
