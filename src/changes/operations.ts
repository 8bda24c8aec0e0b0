import * as vscode from 'vscode';
import type { ChangesetFile, ChangesetOperation } from '../../sidecar/protocol/channels/changeset/schema.ts';
import { errorCodes } from '../../sidecar/protocol/errors.ts';
import type { StringOrMarkdown } from '../../sidecar/protocol/shared.ts';
import type { Changesets } from '../client/changesets.ts';
import { errorCodeOf } from '../client/connection.ts';
import type { HostPort } from '../client/port.ts';
import { fileName } from '../client/texts.ts';
import { openConflict } from './diffs.ts';

/** What the host offers on its changesets. `overwrite` is an undo that takes later changes of the person along. */
export type OperationId = 'keep' | 'undo' | 'redo' | 'overwrite';

export interface OperationsDeps {
  readonly port: HostPort;
  readonly changesets: Changesets;
}

/** Asks the host and shows its answer. Nothing here touches a file: the host does, and says what it did. */
export async function operate(
  deps: OperationsDeps,
  changeset: string,
  operationId: OperationId,
  file?: ChangesetFile,
): Promise<void> {
  const operation = deps.changesets.peek(changeset)?.operations?.find((it) => it.id === operationId);
  if (!(await isConfirmed(operation))) return;
  const resource = file?.edit.after?.uri ?? file?.edit.before?.uri;
  try {
    const { message } = await deps.port.request('invokeChangesetOperation', {
      channel: changeset,
      operationId,
      ...(resource === undefined ? {} : { target: { kind: 'resource', resource } as const }),
    });
    if (message !== undefined) vscode.window.setStatusBarMessage(plain(message), 5000);
  } catch (error) {
    if (errorCodeOf(error) === errorCodes.Conflict) return showConflict(deps, changeset, file);
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

/** The person's own later changes go too: asked in a dialog that cannot be overlooked. */
export async function overwrite(deps: OperationsDeps, changeset: string, file: ChangesetFile): Promise<void> {
  const go = vscode.l10n.t('Overwrite');
  const picked = await vscode.window.showWarningMessage(
    vscode.l10n.t('Overwrite your changes to {0}?', nameOf(file)),
    {
      modal: true,
      detail: vscode.l10n.t('The file goes back to what it was before the agent. What you changed since is lost with it; the undo itself can be taken back once.'),
    },
    go,
  );
  if (picked === go) await operate(deps, changeset, 'overwrite', file);
}

async function showConflict(deps: OperationsDeps, changeset: string, file: ChangesetFile | undefined): Promise<void> {
  if (!file) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('Some files were changed since, and were left alone. Undo them one by one in Changes.'),
    );
    return;
  }
  await openConflict(file);
  const go = vscode.l10n.t('Overwrite My Changes…');
  const picked = await vscode.window.showWarningMessage(
    vscode.l10n.t('{0} was changed since the agent edited it, so it was left alone.', nameOf(file)),
    go,
  );
  if (picked === go) await overwrite(deps, changeset, file);
}

async function isConfirmed(operation: ChangesetOperation | undefined): Promise<boolean> {
  if (operation?.confirmation === undefined || operation.id === 'overwrite') return true;
  const picked = await vscode.window.showWarningMessage(
    operation.label,
    { modal: true, detail: plain(operation.confirmation) },
    operation.label,
  );
  return picked === operation.label;
}

function nameOf({ edit, id }: ChangesetFile): string {
  return fileName(edit.after?.uri ?? edit.before?.uri ?? id);
}

function plain(text: StringOrMarkdown): string {
  return typeof text === 'string' ? text : text.markdown;
}
