import * as vscode from 'vscode';

/**
 * A tree view that is there from the start and asks for its rows only when somebody looks at it. VS Code takes one provider
 * for a view's whole life, so this one stays and hands everything on.
 */
export class WaitingTree implements vscode.TreeDataProvider<unknown>, vscode.Disposable {
  readonly view: vscode.TreeView<unknown>;
  readonly #changed = new vscode.EventEmitter<unknown>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #wake: () => void;
  readonly #filled: Promise<vscode.TreeDataProvider<unknown>>;
  #fill: (provider: vscode.TreeDataProvider<unknown>) => void = () => {};
  #stop: vscode.Disposable | undefined;

  /** @param wake called when the rows are wanted; somebody fills the tree then */
  constructor(id: string, showCollapseAll: boolean, wake: () => void) {
    this.#wake = wake;
    this.#filled = new Promise((resolve) => void (this.#fill = resolve));
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll });
  }

  fill<T>(provider: vscode.TreeDataProvider<T>): void {
    this.#stop = provider.onDidChangeTreeData?.((node) => this.#changed.fire(node));
    this.#fill(provider as vscode.TreeDataProvider<unknown>);
  }

  async getChildren(node?: unknown): Promise<unknown[] | null | undefined> {
    this.#wake();
    return (await this.#filled).getChildren(node);
  }

  async getTreeItem(node: unknown): Promise<vscode.TreeItem> {
    return (await this.#filled).getTreeItem(node);
  }

  dispose(): void {
    this.#stop?.dispose();
    this.view.dispose();
    this.#changed.dispose();
  }
}
