import * as vscode from 'vscode';
import type { ChangesetFile } from '../../sidecar/protocol/channels/changeset/schema.ts';
import { parseChangesetUri, sessionUri } from '../../sidecar/protocol/uris.ts';
import type { Sessions } from '../client/catalogue.ts';
import { changesetOf } from '../client/changesets.ts';
import { commandIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { loadBundle } from '../platform/loadBundle.ts';
import { openConflict, openFileDiff } from './diffs.ts';
import { type OperationsDeps, operate, overwrite } from './operations.ts';
import type { ReviewedChanges } from './review/reviewedChanges.ts';
import type { ReviewModule } from './review/reviewModule.ts';

export interface ChangeCommandsDeps extends OperationsDeps {
  readonly catalogue: Sessions;
  /** The absolute path of `dist/review.cjs`. */
  readonly reviewBundle: string;
}

/** What rows, title bars and the chat page call. */
export function registerChangeCommands(deps: ChangeCommandsDeps): vscode.Disposable {
  let opened: ReviewedChanges | undefined;
  const code = () => loadBundle<ReviewModule>(deps.reviewBundle, 'compareTurns');
  const reviewed = () => (opened ??= code().openReviewedChanges(deps));
  const onSet = (command: string, run: (changeset: string) => unknown) =>
    onCommand(command, async (argument: unknown) => {
      // The title of an editor hands over the editor's resource, which says nothing of the changeset.
      const changeset =
        argument instanceof vscode.Uri
          ? opened?.inFront
          : (changesetIn(argument) ?? (await pickChangeset(deps.catalogue)));
      if (changeset !== undefined) await run(changeset);
    });
  const onFile = (command: string, run: (changeset: string, file: ChangesetFile) => unknown) =>
    onCommand(command, async (argument: unknown) => {
      const row = fileIn(deps, argument);
      if (row) await run(row.changeset, row.file);
    });
  /** One file, several that are selected, or all of a folder: one after the other, as each is an undo of its own. */
  const onFiles = (command: string, operation: 'keep' | 'undo') =>
    onCommand(command, async (argument: unknown, rows: unknown) => {
      for (const { changeset, file } of filesIn(deps, argument, rows)) {
        if (!(await operate(deps, changeset, operation, file))) return;
      }
    });
  const onEither = (command: string, run: (changeset: string, file?: ChangesetFile) => unknown) =>
    onCommand(command, async (argument: unknown) => {
      const changeset = changesetIn(argument);
      if (changeset !== undefined) await run(changeset, fileIn(deps, argument)?.file);
    });
  return vscode.Disposable.from(
    new vscode.Disposable(() => opened?.dispose()),
    onEither(commandIds.stageChanges, (changeset, file) => operate(deps, changeset, 'stage', file)),
    onEither(commandIds.commitChanges, (changeset) => operate(deps, changeset, 'commit')),
    onEither(commandIds.createPatch, (changeset, file) => operate(deps, changeset, 'patch', file)),
    onSet(commandIds.compareTurns, (it) => {
      const session = sessionUri(parseChangesetUri(it)?.sessionUuid ?? '');
      return code().compareTurns(deps, session);
    }),
    onSet(commandIds.reviewChanges, (it) => reviewed().open(it)),
    onSet(commandIds.keepAll, (it) => operate(deps, it, 'keep')),
    onSet(commandIds.undoAll, (it) => operate(deps, it, 'undo')),
    onSet(commandIds.redo, (it) => operate(deps, it, 'redo')),
    onFile(commandIds.openChange, (changeset, file) => openFileDiff(file, deps.hostOf(changeset).id)),
    onFiles(commandIds.keepFile, 'keep'),
    onFiles(commandIds.undoFile, 'undo'),
    onFile(commandIds.compareConflict, (changeset, file) => openConflict(file, deps.hostOf(changeset).id)),
    onFile(commandIds.overwriteFile, (changeset, file) => overwrite(deps, changeset, file)),
  );
}

async function pickChangeset(catalogue: Sessions): Promise<string | undefined> {
  const changed = catalogue.sessions.filter((it) => (it.changes?.files ?? 0) > 0);
  if (changed.length <= 1) {
    if (changed[0]) return changesetOf(changed[0].resource);
    void vscode.window.showInformationMessage(vscode.l10n.t('No session has changed any files.'));
    return undefined;
  }
  const items = changed
    .toSorted((a, b) => b.modifiedAt.localeCompare(a.modifiedAt))
    .map((it) => ({ label: it.title, session: it.resource }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t("Which session's changes do you want to see?"),
    ignoreFocusOut: true,
  });
  return picked && changesetOf(picked.session);
}

/** A changeset's URI, a row of Changes, or a row of Sessions. */
function changesetIn(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  if ('changeset' in argument && typeof argument.changeset === 'string') return argument.changeset;
  if ('kind' in argument && argument.kind === 'session' && 'id' in argument && typeof argument.id === 'string') {
    return changesetOf(argument.id);
  }
  return undefined;
}

function fileIn({ changesets }: Pick<ChangeCommandsDeps, 'changesets'>, argument: unknown) {
  const changeset = changesetIn(argument);
  if (changeset === undefined || typeof argument !== 'object' || argument === null || !('file' in argument))
    return undefined;
  const { file } = argument;
  const id = typeof file === 'object' && file !== null && 'id' in file ? file.id : undefined;
  const known = changesets.peek(changeset)?.files.find((it) => it.id === id);
  return known && { changeset, file: known };
}

/** The files that a row means: with the rest of the selection when it is part of it, and those below a folder. */
export function filesIn(deps: Pick<ChangeCommandsDeps, 'changesets'>, argument: unknown, rows: unknown) {
  const meant: readonly unknown[] = Array.isArray(rows) && rows.includes(argument) ? rows : [argument];
  const found = meant.flatMap(below).flatMap((it) => fileIn(deps, it) ?? []);
  return found.filter((it, at) => found.findIndex((other) => isSame(it, other)) === at);
}

type FileOf = NonNullable<ReturnType<typeof fileIn>>;
const isSame = (one: FileOf, other: FileOf) => one.changeset === other.changeset && one.file.id === other.file.id;

function below(row: unknown): readonly unknown[] {
  const has = typeof row === 'object' && row !== null && 'children' in row && Array.isArray(row.children);
  return has ? (row.children as unknown[]).flatMap(below) : [row];
}
