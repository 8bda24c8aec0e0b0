import * as vscode from 'vscode';
import type { ChangesetFile, ChangesetOperation } from '../../sidecar/protocol/channels/changeset/schema.ts';
import { type ChangesetTarget, LeftFiles } from '../../sidecar/protocol/commands.ts';
import { errorCodes } from '../../sidecar/protocol/errors.ts';
import type { StringOrMarkdown, TextRange } from '../../sidecar/protocol/shared.ts';
import type { Changesets } from '../client/changesets.ts';
import { errorCodeOf } from '../client/connection.ts';
import type { Host } from '../client/hosts.ts';
import type { HostPort } from '../client/port.ts';
import { fileName } from '../client/texts.ts';
import { fromHost } from '../platform/localizer.ts';
import { whyOf } from '../platform/whyOf.ts';
import { openConflict, openContent } from './diffs.ts';
import { overwriteAgreed } from './overwriting.ts';

/** What the host offers on its changesets. `undo-overwrite` is an undo that takes later changes of the person along. */
export type OperationId = 'keep' | 'undo' | 'redo' | 'undo-overwrite' | 'stage' | 'commit' | 'patch';

export interface OperationsDeps {
  readonly port: HostPort;
  /** Whose session or changeset this is. */
  readonly hostOf: (uri: string) => Pick<Host, 'id' | 'client'>;
  readonly changesets: Changesets;
}

/**
 * Asks the host and shows its answer. Nothing here touches a file: the host does, and says what it did.
 * @param range of the file: where the hunk is in what was before
 * @returns whether all of it was done. The mirror of the changeset may show that only later.
 */
export async function operate(
  deps: OperationsDeps,
  changeset: string,
  operationId: OperationId,
  file?: ChangesetFile,
  range?: TextRange,
): Promise<boolean> {
  const resource = file?.edit.after?.uri ?? file?.edit.before?.uri;
  try {
    // The host takes it from those who look, and says there what is asked before.
    const { operations } = await deps.changesets.read(changeset);
    if (!(await isConfirmed(operations?.find((it) => it.id === operationId)))) return false;
    const { message, followUp, _meta } = await deps.port.request('invokeChangesetOperation', {
      channel: changeset,
      operationId,
      ...(resource === undefined ? {} : { target: targetOf(resource, range) }),
    });
    const left = LeftFiles.safeParse(_meta).data?.left ?? [];
    if (left.length > 0 && file && range) showHunkLeft(file);
    else if (left.length > 0) await showLeft(deps, changeset, fromHost(vscode.l10n, plain(message ?? '')), left);
    if (left.length > 0) return false;
    if (message !== undefined) vscode.window.setStatusBarMessage(fromHost(vscode.l10n, plain(message)), 5000);
    if (followUp) await openContent(followUp.content.uri, deps.hostOf(changeset).id);
    return true;
  } catch (error) {
    const code = errorCodeOf(error);
    if (file && range && (code === errorCodes.Conflict || code === errorCodes.InvalidParams)) showHunkLeft(file);
    else if (code === errorCodes.Conflict) await showConflict(deps, changeset, file, error);
    else void vscode.window.showErrorMessage(whyOf(error));
    return false;
  }
}

/** The person's own later changes go too: asked in a dialog that cannot be overlooked. Without a file: in all of them. */
export function overwrite(deps: OperationsDeps, changeset: string, file?: ChangesetFile): Promise<void> {
  return overwriteAgreed({ ask: askToOverwrite, operate: (...it) => operate(deps, ...it) }, changeset, file);
}

async function askToOverwrite(file: ChangesetFile | undefined): Promise<boolean> {
  const go = vscode.l10n.t('Overwrite');
  const picked = await vscode.window.showWarningMessage(
    file
      ? vscode.l10n.t('Overwrite your changes to {0}?', nameOf(file))
      : vscode.l10n.t('Overwrite your changes to these files?'),
    {
      modal: true,
      detail: vscode.l10n.t('Your later changes will be undone too. To get them back, select "Redo".'),
    },
    go,
  );
  return picked === go;
}

function targetOf(resource: string, range: TextRange | undefined): ChangesetTarget {
  return range ? { kind: 'range', resource, side: 'before', range } : { kind: 'resource', resource };
}

/** To overwrite would undo all of the file, which nobody asked for. */
function showHunkLeft(file: ChangesetFile): void {
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      'Nothing was done because {0} changed after the agent edited it. Keep or undo the whole file, or edit it in the diff.',
      nameOf(file),
    ),
  );
}

/** The host did a part, and left these files. What the person changed since can still be overwritten. */
async function showLeft(
  deps: OperationsDeps,
  changeset: string,
  message: string,
  left: LeftFiles['left'],
): Promise<void> {
  const go = vscode.l10n.t('Overwrite Changes…');
  const actions = left.some((it) => it.reason === 'conflict') ? [go] : [];
  const picked = await vscode.window.showWarningMessage(message, ...actions);
  if (picked === go) await overwrite(deps, changeset);
}

/** The host left everything as it is. The person sees both changes, and decides. */
async function showConflict(
  deps: OperationsDeps,
  changeset: string,
  file: ChangesetFile | undefined,
  error: unknown,
): Promise<void> {
  const files = deps.changesets.peek(changeset)?.files ?? [];
  const shown = file ?? files.find((it) => it.edit.after?.uri === firstConflict(error));
  if (shown) await openConflict(shown, deps.hostOf(changeset).id);
  const keep = vscode.l10n.t('Keep My Version');
  const go = vscode.l10n.t('Overwrite Changes…');
  const text = file
    ? vscode.l10n.t('{0} was not undone because it changed after the agent edited it.', nameOf(file))
    : vscode.l10n.t('Nothing was undone because some files changed after the agent edited them.');
  const picked = await vscode.window.showWarningMessage(text, ...(file ? [keep] : []), go);
  if (picked === go) await overwrite(deps, changeset, file);
  if (picked === keep) await operate(deps, changeset, 'keep', file);
}

/** `data.conflicts` of the host's answer: the files that hold something else now. */
function firstConflict(error: unknown): string | undefined {
  const data: unknown = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  if (typeof data !== 'object' || data === null || !('conflicts' in data) || !Array.isArray(data.conflicts))
    return undefined;
  const [first]: unknown[] = data.conflicts;
  return typeof first === 'object' && first !== null && 'uri' in first ? String(first.uri) : undefined;
}

async function isConfirmed(operation: ChangesetOperation | undefined): Promise<boolean> {
  if (operation?.confirmation === undefined || operation.id === 'undo-overwrite') return true;
  const go = fromHost(vscode.l10n, operation.label);
  const detail = fromHost(vscode.l10n, plain(operation.confirmation));
  return (await vscode.window.showWarningMessage(go, { modal: true, detail }, go)) === go;
}

function nameOf({ edit, id }: ChangesetFile): string {
  return fileName(edit.after?.uri ?? edit.before?.uri ?? id);
}

function plain(text: StringOrMarkdown): string {
  return typeof text === 'string' ? text : text.markdown;
}
