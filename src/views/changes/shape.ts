import * as vscode from 'vscode';
import { commandIds, contextKeys } from '../../manifest/manifest.ts';
import { onCommand } from '../../platform/commandHandlers.ts';

const KEY = 'changes.isTree';

/** Whether files stand below their folders or in one list: as the person chose it in this workspace. */
export class ChangesShape implements vscode.Disposable {
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #stop: vscode.Disposable;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    const choose = (command: string, isTree: boolean) =>
      onCommand(command, async () => {
        await this.#memory.update(KEY, isTree);
        this.#tell();
        this.#changed.fire();
      });
    this.#stop = vscode.Disposable.from(
      this.#changed,
      choose(commandIds.showChangesTree, true),
      choose(commandIds.showChangesList, false),
    );
    this.#tell();
  }

  get isTree(): boolean {
    return this.#memory.get(KEY, false);
  }

  dispose(): void {
    this.#stop.dispose();
  }

  #tell(): void {
    void vscode.commands.executeCommand('setContext', contextKeys.changesTree, this.isTree);
  }
}
