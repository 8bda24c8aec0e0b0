import * as vscode from 'vscode';
import { placeCode } from './appliedCode.ts';
import type { CodeProposals } from './chatTurnsModule.ts';
import { editorOf } from './codeBlocks.ts';

/** Also in the `when` clauses of package.json. */
const scheme = 'switchboard-proposal';

interface Proposal {
  readonly file: vscode.Uri;
  /** Of the file when the proposal was made. */
  readonly before: string;
  readonly after: string;
}

export function openCodeProposals(): CodeProposals {
  return new ProposedFiles();
}

/** Code of answers in the files that it is for, as diffs. The file is written when a person keeps it, and not before. */
class ProposedFiles implements CodeProposals, vscode.TextDocumentContentProvider {
  readonly #proposals = new Map<string, Proposal>();
  readonly #registered = vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
    vscode.workspace.onDidCloseTextDocument((it) => this.#proposals.delete(it.uri.toString())),
  );
  #count = 0;

  async propose(code: string, last: vscode.TextEditor | undefined): Promise<void> {
    const editor = await editorOf(last);
    if (!editor) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t('The code cannot be applied because no text editor is open. Open the file, and try again.'),
      );
      return;
    }
    const { document, selection } = editor;
    const before = document.getText();
    const place = placeCode(
      before,
      { start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) },
      document.eol === vscode.EndOfLine.CRLF ? code.replace(/\r?\n/g, '\r\n') : code,
    );
    const after = before.slice(0, place.start) + place.text + before.slice(place.end);
    this.#count += 1;
    const uri = vscode.Uri.from({ scheme, path: document.uri.path, query: String(this.#count) });
    this.#proposals.set(uri.toString(), { file: document.uri, before, after });
    const name = document.uri.path.split('/').at(-1) ?? '';
    await vscode.commands.executeCommand('vscode.diff', document.uri, uri, vscode.l10n.t('{0} (proposed code)', name));
  }

  async keep(shown: unknown): Promise<void> {
    const [uri, proposal] = this.#of(shown);
    if (!uri || !proposal) return;
    const document = await vscode.workspace.openTextDocument(proposal.file);
    if (document.getText() !== proposal.before) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t('The file changed after the code was proposed, so nothing was written. Apply the code again.'),
      );
      return;
    }
    const wasDirty = document.isDirty;
    await this.#close(uri);
    const editor = await vscode.window.showTextDocument(document);
    const whole = new vscode.Range(document.positionAt(0), document.positionAt(proposal.before.length));
    if (!(await editor.edit((it) => it.replace(whole, proposal.after)))) {
      void vscode.window.showWarningMessage(vscode.l10n.t('The file cannot be edited, so nothing was written.'));
      return;
    }
    // If the file was not saved before, the person decides when to save it.
    if (!wasDirty && !document.isUntitled) await document.save();
  }

  async discard(shown: unknown): Promise<void> {
    const [uri] = this.#of(shown);
    if (uri) await this.#close(uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#proposals.get(uri.toString())?.after ?? '';
  }

  dispose(): void {
    this.#registered.dispose();
    this.#proposals.clear();
  }

  /** @param shown what the editor's title gives: the proposal; from the palette the active tab has it */
  #of(shown: unknown): readonly [vscode.Uri?, Proposal?] {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const active = input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
    const uri = shown instanceof vscode.Uri && shown.scheme === scheme ? shown : active;
    const proposal = uri && this.#proposals.get(uri.toString());
    return uri && proposal ? [uri, proposal] : [];
  }

  async #close(uri: vscode.Uri): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((it) => it.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString());
    await vscode.window.tabGroups.close(tabs);
    this.#proposals.delete(uri.toString());
  }
}
