import * as vscode from 'vscode';

const scheme = 'switchboard-output';
/** Documents are kept by the editor; what closed is dropped, and no more than this many are held. */
const maxDocuments = 50;

/** Whole outputs of tools as read-only documents: find, copy and reading aloud work as in any editor. */
export class OutputDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registered = vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
    vscode.workspace.onDidCloseTextDocument((it) => this.#texts.delete(it.uri.toString())),
  );
  #count = 0;

  /** @param extension of the file that it becomes when it is saved */
  async open(title: string, text: string, extension = 'txt'): Promise<void> {
    this.#count++;
    const name = title.replace(/[^\p{L}\p{N} ._-]+/gu, ' ').trim() || 'output';
    const uri = vscode.Uri.from({ scheme, path: `/${this.#count}/${name}.${extension}` });
    this.#texts.set(uri.toString(), text);
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= maxDocuments) break;
      this.#texts.delete(oldest);
    }
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.#registered.dispose();
    this.#texts.clear();
  }
}
