import * as vscode from 'vscode';
import type { Hunk } from '../../../sidecar/lines/hunks.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { activeUri, type FileReview } from './fileReview.ts';
import type { FollowedReview } from './followReview.ts';
import { type EditorChange, hunkAt, hunkOf, hunksOf, rangeOf, stepFrom } from './hunkRanges.ts';
import type { QuickDiff } from './quickDiff.ts';
import { othersPending, type ReviewFile, reviewFileAt } from './reviewFiles.ts';
import type { ReviewDeps } from './reviewModule.ts';

interface ShownHunks {
  readonly at: ReviewFile;
  readonly original: vscode.Uri;
  readonly hunks: readonly Hunk[];
}

export interface HunkReviewDeps extends ReviewDeps {
  readonly followed: FollowedReview;
  readonly quickDiff: QuickDiff;
  readonly files: FileReview;
}

/** Keep, undo and walk through the hunks of a file, in its diff and in an ordinary editor of it. */
export class HunkReview implements vscode.Disposable {
  readonly #deps: HunkReviewDeps;
  readonly #status = vscode.window.createStatusBarItem('switchboard.hunks', vscode.StatusBarAlignment.Left, 8);
  readonly #stop: vscode.Disposable;
  #looks = 0;

  constructor(deps: HunkReviewDeps) {
    this.#deps = deps;
    this.#status.name = vscode.l10n.t('Switchboard Hunks');
    this.#status.command = commandIds.nextHunk;
    this.#status.tooltip = vscode.l10n.t('Select to go to the next hunk.');
    const look = () => void this.#show();
    this.#stop = vscode.Disposable.from(
      this.#status,
      deps.followed.onDidChange(look),
      vscode.window.onDidChangeActiveTextEditor(look),
      vscode.window.onDidChangeTextEditorSelection(look),
      // The editor reads what the host wrote only after the changeset told of it.
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === activeUri()?.toString()) look();
      }),
    );
    look();
  }

  dispose(): void {
    this.#stop.dispose();
  }

  /** Called with nothing for the hunk at the cursor, or by the editor's quick diff with what it shows. */
  async decide(operation: 'keep' | 'undo', args: readonly unknown[]): Promise<void> {
    const [uri, changes, index] = args;
    const change =
      uri instanceof vscode.Uri && Array.isArray(changes) ? (changes[Number(index)] as EditorChange) : undefined;
    const editor = vscode.window.activeTextEditor;
    const file = change ? (uri as vscode.Uri) : activeUri();
    const shown = file && (await this.#hunksOf(file));
    const hunk =
      shown &&
      (change ? hunkOf(shown.hunks, change) : editor && hunkAt(shown.hunks, lineOf(editor), sideOf(editor, shown)));
    if (!shown || !hunk) return showNoHunk();
    if (operation === 'undo' && (await isUnsaved(file))) return;
    await this.#operate(operation, file, shown, hunk);
  }

  async step(by: 'next' | 'previous'): Promise<void> {
    const uri = activeUri();
    const shown = uri && (await this.#hunksOf(uri));
    const editor = vscode.window.visibleTextEditors.find((it) => it.document.uri.toString() === uri?.toString());
    const hunk = shown && editor && stepFrom(shown.hunks, lineOf(editor), by);
    if (!hunk) return showNoHunk();
    const place = new vscode.Position(Math.min(hunk.afterStart, editor.document.lineCount - 1), 0);
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  async #operate(operation: 'keep' | 'undo', uri: vscode.Uri, { at, original }: ShownHunks, hunk: Hunk): Promise<void> {
    const { changesets, operate, files } = this.#deps;
    const { changeset } = at.set;
    const others = othersPending(at);
    const now = () => changesets.peek(changeset)?.files.find((it) => it.id === at.file.id);
    const isDone = () => {
      const file = now();
      const [is, was] = [file?.edit, at.file.edit];
      return (
        !file ||
        file.reviewed === true ||
        is?.before?.content.uri !== was.before?.content.uri ||
        is?.after?.content.uri !== was.after?.content.uri
      );
    };
    if (!(await operate(changeset, operation, at.file, rangeOf(hunk)))) return;
    await changesets.until(changeset, isDone);
    if (operation === 'undo') await readAgain(uri);
    const file = now();
    if (!file || file.reviewed) await files.openFirst(others);
    else if (operation === 'keep') await this.#renewDiff({ set: at.set, file }, original);
  }

  /** A diff whose left side was the baseline until now gets the new one, and the cursor stays where it is. */
  async #renewDiff({ set, file }: ReviewFile, original: vscode.Uri): Promise<void> {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    if (!(activeTab?.input instanceof vscode.TabInputTextDiff)) return;
    if (activeTab.input.original.toString() !== original.toString()) return;
    const selection = vscode.window.activeTextEditor?.selection;
    await this.#deps.openFile(file, this.#deps.hostOf(set.changeset), {
      preview: activeTab.isPreview,
      ...(selection && { selection }),
    });
    const old = vscode.window.tabGroups.all.flatMap((it) => it.tabs).filter((it) => isDiffOf(it, original));
    await vscode.window.tabGroups.close(old, true);
  }

  async #show(): Promise<void> {
    const look = ++this.#looks;
    const uri = activeUri();
    const shown = uri && (await this.#hunksOf(uri));
    if (look !== this.#looks) return;
    const editor = vscode.window.activeTextEditor;
    if (!shown || shown.hunks.length === 0) return this.#status.hide();
    const all = shown.hunks.length;
    const at = editor && hunkAt(shown.hunks, lineOf(editor), sideOf(editor, shown));
    const counted = all === 1 ? vscode.l10n.t('1 hunk') : vscode.l10n.t('{0} hunks', all);
    this.#status.text = at ? vscode.l10n.t('Hunk {0} of {1}', shown.hunks.indexOf(at) + 1, all) : counted;
    this.#status.show();
  }

  async #hunksOf(uri: vscode.Uri): Promise<ShownHunks | undefined> {
    const at = reviewFileAt(this.#deps.followed.sets, uri);
    const original = this.#deps.quickDiff.originalOf(uri);
    if (!at || !original) return undefined;
    try {
      const [before, after] = await Promise.all([
        vscode.workspace.openTextDocument(original),
        vscode.workspace.openTextDocument(uri),
      ]);
      return { at, original, hunks: hunksOf(before.getText(), after.getText()) };
    } catch {
      return undefined; // binary, or gone
    }
  }
}

const lineOf = ({ selection }: vscode.TextEditor): number => selection.active.line;
const sideOf = ({ document }: vscode.TextEditor, { original }: ShownHunks) =>
  document.uri.toString() === original.toString() ? 'before' : 'after';

function isDiffOf({ input }: vscode.Tab, original: vscode.Uri): boolean {
  return input instanceof vscode.TabInputTextDiff && input.original.toString() === original.toString();
}

/** The host undoes on the disk, which an unsaved editor would overwrite later. */
async function isUnsaved(uri: vscode.Uri): Promise<boolean> {
  const { isDirty } = await vscode.workspace.openTextDocument(uri);
  if (isDirty)
    void vscode.window.showWarningMessage(
      vscode.l10n.t('The hunk was not undone because the file has unsaved changes. Save or revert the file first.'),
    );
  return isDirty;
}

/** The editor learns of what the host wrote when the system tells it, which may take a while or not happen at all. */
async function readAgain(uri: vscode.Uri): Promise<void> {
  if (activeUri()?.toString() === uri.toString()) await vscode.commands.executeCommand('workbench.action.files.revert');
}

function showNoHunk(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('There is no hunk to review here. Select a changed line in a file that is waiting for review.'),
  );
}
