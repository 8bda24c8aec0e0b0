import * as vscode from 'vscode';
import { commandIds, contextKeys } from '../../manifest/manifest.ts';
import type { FollowedReview } from './followReview.ts';
import { countReviewed, othersPending, pathOf, pendingPaths, type ReviewFile, reviewFileAt } from './reviewFiles.ts';
import type { ReviewDeps } from './reviewModule.ts';

/** Keep, undo and walk through the files of a changeset where they are read. */
export class FileReview implements vscode.Disposable {
  readonly #deps: ReviewDeps;
  readonly #followed: FollowedReview;
  readonly #status = vscode.window.createStatusBarItem('switchboard.review', vscode.StatusBarAlignment.Left, 9);
  readonly #stop: vscode.Disposable;
  #paths = '';

  constructor(deps: ReviewDeps, followed: FollowedReview) {
    this.#deps = deps;
    this.#followed = followed;
    this.#status.name = vscode.l10n.t('Switchboard Review');
    this.#status.command = commandIds.nextFile;
    this.#stop = vscode.Disposable.from(
      this.#status,
      followed.onDidChange(() => this.#show()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#show()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.#show()),
    );
    this.#show();
  }

  dispose(): void {
    this.#stop.dispose();
  }

  /** Those that follow are known before the host acts: its mirror may still show this one as waiting afterwards. */
  async decide(operation: 'keep' | 'undo', argument: unknown): Promise<void> {
    const shown = this.#at(argument);
    if (!shown || shown.file.reviewed) return showNothing();
    const others = othersPending(shown);
    if (await this.#deps.operate(shown.set.changeset, operation, shown.file)) await this.openFirst(others);
  }

  async step(by: 'next' | 'previous', argument: unknown): Promise<void> {
    const shown = this.#at(argument);
    if (!shown) return showNothing();
    const others = othersPending(shown);
    const wanted = others.at(by === 'next' ? 0 : -1);
    if (wanted) await this.#open(wanted);
    else vscode.window.setStatusBarMessage(vscode.l10n.t('No other file is waiting for review.'), 5000);
  }

  /** Opens the first of these that still waits. */
  async openFirst(files: readonly ReviewFile[]): Promise<void> {
    const { sets } = this.#followed;
    const isPending = ({ set, file }: ReviewFile) =>
      sets.some((it) => it.changeset === set.changeset && it.files.some((has) => has.id === file.id && !has.reviewed));
    const next = files.find(isPending);
    if (next) await this.#open(next);
    else vscode.window.setStatusBarMessage(vscode.l10n.t('All files have been reviewed.'), 5000);
  }

  #open({ set, file }: ReviewFile): Promise<void> {
    return this.#deps.openFile(file, this.#deps.hostOf(set.changeset));
  }

  #at(argument: unknown): ReviewFile | undefined {
    const uri = argument instanceof vscode.Uri ? argument : activeUri();
    return uri && reviewFileAt(this.#followed.sets, uri);
  }

  /** `setContext` reaches every menu of the window, so it is called for another list alone. */
  #show(): void {
    const { sets } = this.#followed;
    const paths = pendingPaths(sets);
    const text = JSON.stringify(paths);
    if (text !== this.#paths) {
      this.#paths = text;
      void vscode.commands.executeCommand('setContext', contextKeys.pendingFiles, withDriveLetters(paths));
    }
    const uri = activeUri();
    const shown = uri && reviewFileAt(sets, uri);
    if (!shown) return this.#status.hide();
    const { reviewed, all } = countReviewed(shown.set);
    const counted =
      all === 1
        ? vscode.l10n.t('{0} of 1 file reviewed', reviewed)
        : vscode.l10n.t('{0} of {1} files reviewed', reviewed, all);
    this.#status.text = `$(checklist) ${counted}`;
    this.#status.tooltip = vscode.l10n.t(
      '{0}\nSelect to open the next file that is waiting for review.',
      pathOf(shown.file),
    );
    this.#status.show();
  }
}

/** What the active editor shows; of a diff, its right side. */
export function activeUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputTextDiff) return input.modified;
  return input instanceof vscode.TabInputText ? input.uri : undefined;
}

/** The editor compares with paths of the system: `/c:/a` is `c:\a` there. */
function withDriveLetters(paths: readonly string[]): string[] {
  return paths.flatMap((it) => (/^\/[a-z]:\//i.test(it) ? [it, vscode.Uri.file(it).fsPath] : [it]));
}

function showNothing(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('This file has no changes to review. Open one from the Changes view.'),
  );
}
