import * as vscode from 'vscode';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import { whyOf } from '../../../platform/whyOf.ts';
import type { AttachingDeps } from './attachModule.ts';
import { bytesAttachment, imageExtensions, imageType, NotAttached, refuseSize, textAttachment } from './kept.ts';
import { nameOf } from './selection.ts';

/**
 * @param folder where to begin to look
 * @returns nothing when the person chose nothing
 */
export async function pickFiles(
  what: 'file' | 'folder' | 'image',
  folder: string | undefined,
): Promise<readonly vscode.Uri[]> {
  const chosen = await vscode.window.showOpenDialog({
    ...(folder !== undefined && { defaultUri: vscode.Uri.parse(folder, true) }),
    canSelectMany: true,
    canSelectFiles: what !== 'folder',
    canSelectFolders: what === 'folder',
    openLabel: vscode.l10n.t('Attach'),
    ...(what === 'image' && { filters: { [vscode.l10n.t('Images')]: imageExtensions } }),
  });
  return chosen ?? [];
}

export function noFilesOf(hostName: string): NotAttached {
  return new NotAttached(
    vscode.l10n.t(
      '{0} cannot read files on this machine. Use @ to mention one of its own files, or paste the text.',
      hostName,
    ),
  );
}

/** The window knows a file of a remote machine by another scheme than the extension, which runs there. */
export function fromPage(text: string): vscode.Uri {
  const uri = vscode.Uri.parse(text, true);
  return uri.scheme === 'vscode-remote' ? vscode.Uri.file(uri.path) : uri;
}

/**
 * A file or folder as the agent gets it: a link, which it follows by its own permissions. An image is attached as it is, and
 * so is what is no file on this machine.
 */
export async function fileAttachment(deps: AttachingDeps, uri: vscode.Uri): Promise<MessageAttachment> {
  if (deps.hostName !== undefined) throw noFilesOf(deps.hostName);
  const name = nameOf(uri);
  const { type, size } = await statOf(uri, name);
  if (type & vscode.FileType.Directory) {
    if (uri.scheme !== 'file')
      throw new NotAttached(vscode.l10n.t('{0} was not attached: it is not a folder on this machine.', name));
    return { type: 'resource', uri: uri.toString(), label: `${name}/`, displayKind: 'directory' };
  }
  if (imageType(name) !== undefined) {
    refuseSize(name, size, true);
    return bytesAttachment(deps, name, await vscode.workspace.fs.readFile(uri), '');
  }
  if (uri.scheme !== 'file') {
    const document = await vscode.workspace.openTextDocument(uri);
    return textAttachment(deps, name, document.getText(), 'document');
  }
  return { type: 'resource', uri: uri.toString(), label: name, displayKind: 'document', sizeHint: size };
}

async function statOf(uri: vscode.Uri, name: string): Promise<vscode.FileStat> {
  const open = vscode.workspace.textDocuments.find((it) => it.uri.toString() === uri.toString());
  if (uri.scheme !== 'file' && open) return { type: vscode.FileType.File, size: 0, ctime: 0, mtime: 0 };
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    const why = whyOf(error);
    throw new NotAttached(vscode.l10n.t('{0} was not attached: {1}', name, why));
  }
}
