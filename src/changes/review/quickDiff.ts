import * as vscode from 'vscode';
import { beforeUri } from '../diffs.ts';
import type { FollowedReview } from './followReview.ts';
import { reviewFileAt } from './reviewFiles.ts';
import type { ReviewDeps } from './reviewModule.ts';

/** What agents changed, in the margin of ordinary editors: one source control a folder, as long as something waits there. */
export class QuickDiff implements vscode.Disposable {
  readonly #deps: Pick<ReviewDeps, 'hostOf'>;
  readonly #followed: FollowedReview;
  readonly #folders = new Map<string, { readonly control: vscode.SourceControl; originals: string }>();
  readonly #stop: vscode.Disposable;

  constructor(deps: Pick<ReviewDeps, 'hostOf'>, followed: FollowedReview) {
    this.#deps = deps;
    this.#followed = followed;
    this.#stop = vscode.Disposable.from(
      followed.onDidChange(() => this.#update()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#update()),
    );
    this.#update();
  }

  dispose(): void {
    this.#stop.dispose();
    for (const { control } of this.#folders.values()) control.dispose();
  }

  /** What the file was before the part of the change that still waits. */
  originalOf(uri: vscode.Uri): vscode.Uri | undefined {
    const found = reviewFileAt(this.#followed.sets, uri);
    if (!found || found.file.reviewed || !found.file.edit.after) return undefined;
    return beforeUri(found.file.edit, this.#deps.hostOf(found.set.changeset));
  }

  #update(): void {
    const originals = this.#originals();
    for (const [folder, { control }] of this.#folders) {
      if (originals.has(folder)) continue;
      control.dispose();
      this.#folders.delete(folder);
    }
    for (const [folder, text] of originals) this.#show(folder, text);
  }

  /** The editor asks for originals when a provider comes, so another baseline is told by another provider. */
  #show(folder: string, originals: string): void {
    let known = this.#folders.get(folder);
    if (known?.originals === originals) return;
    if (!known) {
      const control = vscode.scm.createSourceControl(
        'switchboard',
        vscode.l10n.t('Agent Changes'),
        vscode.Uri.parse(folder),
      );
      control.inputBox.visible = false;
      control.count = 0;
      this.#folders.set(folder, (known = { control, originals }));
    }
    known.originals = originals;
    // Taken away first: the editor does not notice that one provider takes the place of another.
    Reflect.set(known.control, 'quickDiffProvider', undefined);
    known.control.quickDiffProvider = { provideOriginalResource: (uri) => this.originalOf(uri) };
  }

  /** By folder: the files of this machine that wait in it, each with its original. */
  #originals(): Map<string, string> {
    const found = new Map<string, string>();
    for (const { authority, files } of this.#followed.sets) {
      if (authority !== '') continue;
      for (const { edit, reviewed } of files) {
        if (reviewed || !edit.before || !edit.after) continue;
        const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(edit.after.uri))?.uri.toString();
        if (folder === undefined) continue;
        found.set(folder, `${found.get(folder) ?? ''}${edit.after.uri} ${edit.before.content.uri}\n`);
      }
    }
    return found;
  }
}
