import * as vscode from 'vscode';
import type { Sessions } from '../../client/catalogue.ts';
import { changesetOf } from '../../client/changesets.ts';
import { contextKeys } from '../../manifest/manifest.ts';
import { MAX_MULTI_DIFF_FILES, openFileDiff, openMultiDiff } from '../diffs.ts';
import type { OperationsDeps } from '../operations.ts';

export interface ReviewedChangesDeps extends Pick<OperationsDeps, 'hostOf' | 'changesets'> {
  readonly catalogue: Sessions;
}

export const openReviewedChanges = (deps: ReviewedChangesDeps) => new ReviewedChanges(deps);

/** Changesets in editors that show all of their files. The title of the one in front keeps or undoes the whole changeset. */
export class ReviewedChanges implements vscode.Disposable {
  readonly #deps: ReviewedChangesDeps;
  /** By the title of their editor, which is all that VS Code tells extensions about it. */
  readonly #shown = new Map<string, Set<string>>();
  readonly #stop: vscode.Disposable;
  #isInFront = false;

  constructor(deps: ReviewedChangesDeps) {
    this.#deps = deps;
    const { tabGroups } = vscode.window;
    this.#stop = vscode.Disposable.from(
      tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { label } of closed) this.#shown.delete(this.#titleIn(label) ?? '');
        this.#look();
      }),
      tabGroups.onDidChangeTabGroups(() => this.#look()),
    );
  }

  /** The changeset in front; nothing where two editors with the same title show different ones. */
  get inFront(): string | undefined {
    const title = this.#titleIn(vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '');
    const [changeset, another] = this.#shown.get(title ?? '') ?? [];
    return another === undefined ? changeset : undefined;
  }

  /** All files of a changeset in one editor; a long list is cut and says so. The title of the diff of a single file offers to keep it. */
  async open(changeset: string): Promise<void> {
    const { changesets, catalogue, hostOf } = this.#deps;
    const { l10n } = vscode;
    const { files } = await changesets.read(changeset);
    if (files.length === 0) {
      void vscode.window.showInformationMessage(l10n.t('Nothing to review.'));
      return;
    }
    const { id: host } = hostOf(changeset);
    const [only] = files;
    if (only && files.length === 1) return openFileDiff(only, host);
    // VS Code does not let extensions add actions to the file headings there, so the Changes view is shown next to it.
    await vscode.commands.executeCommand('switchboard.changes.focus');
    const session = catalogue.sessions.find((it) => changesetOf(it.resource) === changeset);
    const title = l10n.t('Changes in {0}', session?.title ?? l10n.t('this turn'));
    this.#shown.set(title, (this.#shown.get(title) ?? new Set()).add(changeset));
    const left = await openMultiDiff(title, files, host);
    this.#look();
    if (left === 0) return;
    void vscode.window.showInformationMessage(
      l10n.t('Showing the first {0} files. See the Changes view for {1} more.', MAX_MULTI_DIFF_FILES, left),
    );
  }

  dispose(): void {
    this.#stop.dispose();
  }

  /** The editor adds the number of files to a title. */
  #titleIn(label: string): string | undefined {
    return [...this.#shown.keys()].find((it) => label.startsWith(`${it} (`));
  }

  #look(): void {
    const isInFront = this.inFront !== undefined;
    if (isInFront === this.#isInFront) return;
    this.#isInFront = isInFront;
    void vscode.commands.executeCommand('setContext', contextKeys.reviewed, isInFront);
  }
}
