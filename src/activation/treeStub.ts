import * as vscode from 'vscode';
import type { Contributed } from './contributed.ts';

/**
 * A tree view that is there from the start and asks for its rows only when somebody looks at it. VS Code takes one provider
 * for a view's whole life, so this one stays and hands everything on.
 */
export class TreeStub implements vscode.TreeDataProvider<unknown>, vscode.Disposable {
  readonly view: vscode.TreeView<unknown>;
  readonly #changed = new vscode.EventEmitter<unknown>();
  readonly onDidChangeTreeData = this.#changed.event;
  /** Set by the view, where its rows take files. */
  onDrop: ((row: unknown, data: vscode.DataTransfer) => Promise<void>) | undefined;
  readonly #wake: () => void;
  readonly #filled: Promise<void>;
  #fill: () => void = () => {};
  #provider: vscode.TreeDataProvider<unknown> | undefined;
  #stop: vscode.Disposable | undefined;

  /** @param wake called when the rows are wanted; somebody fills the tree then */
  constructor({ id, showCollapseAll, canSelectMany, takesFiles }: Contributed['trees'][number], wake: () => void) {
    this.#wake = wake;
    this.#filled = new Promise((resolve) => void (this.#fill = resolve));
    this.view = vscode.window.createTreeView(id, {
      treeDataProvider: this,
      showCollapseAll,
      canSelectMany,
      manageCheckboxStateManually: true,
      ...(takesFiles && { dragAndDropController: this.#takingFiles() }),
    });
  }

  /** VS Code takes it with the view, before anybody knows what to do with a drop. */
  #takingFiles(): vscode.TreeDragAndDropController<unknown> {
    return {
      dragMimeTypes: [],
      dropMimeTypes: ['text/uri-list', 'files'],
      handleDrop: async (row, data) => {
        this.#wake();
        await this.#filled;
        await this.onDrop?.(row, data);
      },
    };
  }

  /** Another provider takes the place of the one before; its rows are asked for when it says that they changed. */
  fill<T>(provider: vscode.TreeDataProvider<T>): void {
    this.#stop?.dispose();
    this.#stop = provider.onDidChangeTreeData?.((node) => this.#changed.fire(node));
    this.#provider = provider as vscode.TreeDataProvider<unknown>;
    this.#fill();
  }

  async getChildren(node?: unknown): Promise<unknown[] | null | undefined> {
    this.#wake();
    await this.#filled;
    return this.#provider?.getChildren(node);
  }

  async getTreeItem(node: unknown): Promise<vscode.TreeItem> {
    await this.#filled;
    return this.#provider?.getTreeItem(node) ?? {};
  }

  /** Where the provider has nothing to say of it, what is shown is the label: it may be cut in the row. */
  async resolveTreeItem(
    shown: vscode.TreeItem,
    node: unknown,
    token: vscode.CancellationToken,
  ): Promise<vscode.TreeItem> {
    const resolved = (await this.#provider?.resolveTreeItem?.(shown, node, token)) ?? shown;
    resolved.tooltip ??= typeof resolved.label === 'string' ? resolved.label : resolved.label?.label;
    return resolved;
  }

  dispose(): void {
    this.#stop?.dispose();
    this.view.dispose();
    this.#changed.dispose();
  }
}
