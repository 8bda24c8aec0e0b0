import * as vscode from 'vscode';
import type { ChangesetFile } from '../../sidecar/protocol/channels/changeset/schema.ts';
import type { FileEdit } from '../../sidecar/protocol/shared.ts';
import { contentUriParts, NO_CONTENT } from '../client/contentUris.ts';
import { fileName } from '../client/texts.ts';

/** A multi-diff opens all of its files at once, two reads each. */
export const MAX_MULTI_DIFF_FILES = 100;

/**
 * Before: the bytes that the host kept. After: the real file, so that a person can edit it. Where one is missing, that
 * side is empty, so that each file is reviewed in an editor of the same kind.
 * @param host whose file it is: empty for this machine; a file elsewhere is read there, and not edited
 */
export async function openFileDiff(
  { edit, _meta }: ChangesetFile,
  host: string,
  options: vscode.TextDocumentShowOptions = {},
): Promise<void> {
  const after = await realFile(edit, host);
  const { path } = vscode.Uri.parse(edit.after?.uri ?? edit.before?.uri ?? '');
  await vscode.commands.executeCommand(
    'vscode.diff',
    edit.before ? stored(edit.before, host) : noFile(path, host),
    after ?? noFile(path, host),
    diffTitle(fileName(path), edit, _meta?.['git'] !== undefined),
    options,
  );
}

/** Two kept contents, for a call that did not run yet, or as it left them. */
export async function openPreview(edit: FileEdit, host: string): Promise<void> {
  const [before, after] = previewSides(edit, host);
  await vscode.commands.executeCommand(
    'vscode.diff',
    before,
    after,
    vscode.l10n.t('{0} (preview)', fileName(after.path)),
  );
}

/** What the host kept of the file as it was. */
export function beforeUri({ before }: FileEdit, host: string): vscode.Uri | undefined {
  return before && stored(before, host);
}

export function previewSides({ before, after }: FileEdit, host: string): readonly [vscode.Uri, vscode.Uri] {
  const { path } = vscode.Uri.parse(after?.uri ?? before?.uri ?? '');
  return [before ? stored(before, host) : noFile(path, host), after ? stored(after, host) : noFile(path, host)];
}

/** Bytes that the host made for a person, as a patch; to be saved elsewhere if wanted. */
export async function openContent(hostContent: string, host: string): Promise<void> {
  const name = decodeURIComponent(hostContent.slice(hostContent.lastIndexOf('/') + 1));
  const uri = vscode.Uri.from(contentUriParts(hostContent, `/${name}`, host));
  await vscode.commands.executeCommand('vscode.open', uri, { preview: false }, name);
}

/**
 * All files in one editor, at most {@link MAX_MULTI_DIFF_FILES}.
 * @param host whose files they are: empty for this machine
 * @param after the files on the disk, which a person may edit, or what the host kept of them
 * @returns how many were left out
 */
export async function openMultiDiff(
  title: string,
  files: readonly ChangesetFile[],
  host: string,
  after: 'real' | 'kept' = 'real',
): Promise<number> {
  const shown = files.slice(0, MAX_MULTI_DIFF_FILES);
  const rows = await Promise.all(
    shown.map(async ({ edit }) => {
      const label = vscode.Uri.parse(edit.after?.uri ?? edit.before?.uri ?? '');
      const right = after === 'real' ? await realFile(edit, host) : edit.after && stored(edit.after, host);
      return [label, edit.before && stored(edit.before, host), right] as const;
    }),
  );
  await vscode.commands.executeCommand('vscode.changes', title, rows);
  return files.length - shown.length;
}

/**
 * What the agent changed, and what was changed since: two rows, because extensions have no merge editor. A heading shows
 * only the name of its file, so that of the first says whose change it is. The second is the file itself, to be edited.
 */
export async function openConflict({ edit }: ChangesetFile, host: string): Promise<void> {
  const uri = vscode.Uri.parse(edit.after?.uri ?? edit.before?.uri ?? '');
  const name = fileName(uri.path);
  const before = edit.before && stored(edit.before, host);
  const after = edit.after && stored(edit.after, host);
  const label = vscode.l10n.t("Agent's change · {0}", name);
  await vscode.commands.executeCommand(
    'vscode.changes',
    vscode.l10n.t("{0}: the agent's change and your later change", name),
    [
      [uri.with({ fragment: 'agent' }), before && renamed(before, label), after && renamed(after, label)],
      [uri.with({ fragment: 'later' }), after, await realFile(edit, host)],
    ],
  );
}

function diffTitle(name: string, edit: FileEdit, isUncommitted: boolean): string {
  if (!edit.before) return vscode.l10n.t('{0} (new)', name);
  if (!edit.after) return vscode.l10n.t('{0} (deleted)', name);
  if (isUncommitted) return vscode.l10n.t('{0} (last commit ↔ now)', name);
  return vscode.l10n.t('{0} (before ↔ now)', name);
}

function stored({ uri, content }: NonNullable<FileEdit['before']>, host: string): vscode.Uri {
  return vscode.Uri.from(contentUriParts(content.uri, vscode.Uri.parse(uri).path, host));
}

const noFile = (path: string, host: string): vscode.Uri => vscode.Uri.from(contentUriParts(NO_CONTENT, path, host));

const renamed = (uri: vscode.Uri, name: string): vscode.Uri => vscode.Uri.joinPath(uri, '..', name);

async function realFile(edit: FileEdit, host: string): Promise<vscode.Uri | undefined> {
  const own = vscode.Uri.parse(edit.after?.uri ?? edit.before?.uri ?? '');
  const uri = host === '' ? own : vscode.Uri.from(contentUriParts(own.toString(), own.path, host));
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    // A repository within a repository is shown by its commit, in words.
    if ((type & vscode.FileType.Directory) !== 0) return edit.after && stored(edit.after, host);
    return uri;
  } catch {
    return undefined; // deleted, by the agent or since
  }
}
