import * as vscode from 'vscode';
import type { EditorModel } from '../../sidecar/protocol/channels/root/editorModels.ts';
import { editorModels } from '../platform/editorModels.ts';

export interface FollowedDeps {
  /** Whether the person lets agents use the editor's models. */
  readonly isWanted: () => boolean;
  readonly changed: () => void;
}

/** The models of the editor that agents may use. Until a person wants them, the editor is not asked for any. */
export class FollowedEditorModels implements vscode.Disposable {
  readonly #deps: FollowedDeps;
  readonly #stop: vscode.Disposable;
  #all: readonly EditorModel[] = [];
  #isLooking = false;
  #isStale = false;

  constructor(deps: FollowedDeps) {
    this.#deps = deps;
    this.#stop = vscode.lm.onDidChangeChatModels(() => this.look());
    this.look();
  }

  get all(): readonly EditorModel[] {
    return this.#deps.isWanted() ? this.#all : [];
  }

  /** Call it when the person may have changed their mind. */
  look(): void {
    if (!this.#deps.isWanted()) return;
    this.#isStale = true;
    if (!this.#isLooking) void this.#look();
  }

  dispose(): void {
    this.#stop.dispose();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#isStale) {
      this.#isStale = false;
      const before = JSON.stringify(this.#all);
      this.#all = await editorModels().catch(() => []); // the editor has its AI features turned off
      if (JSON.stringify(this.#all) !== before) this.#deps.changed();
    }
    this.#isLooking = false;
  }
}
