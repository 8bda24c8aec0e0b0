import type * as vscode from 'vscode';
import type { TreeStub } from '../../activation/treeStub.ts';
import type { OpenedSessions } from './sessionsModule.ts';

/** What most of a window needs of the view: it is loaded when somebody looks at it. */
export class SessionsDoor implements vscode.Disposable {
  readonly #tree: TreeStub;
  readonly #open: () => OpenedSessions;
  #opened: OpenedSessions | undefined;
  #isFilled = false;

  constructor(tree: TreeStub, open: () => OpenedSessions) {
    this.#tree = tree;
    this.#open = open;
  }

  get opened(): OpenedSessions {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Fills the view with the sessions of this machine, unless there are hosts elsewhere, which fill it with all. */
  show(): void {
    if (!this.#isFilled) this.fill(this.opened.local);
  }

  fill<T>(provider: vscode.TreeDataProvider<T>): void {
    this.#isFilled = true;
    this.#tree.fill(provider);
  }

  dispose(): void {
    this.#opened?.dispose();
  }
}
