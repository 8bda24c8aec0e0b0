import * as vscode from 'vscode';
import type { FileEdit } from '../../../../sidecar/protocol/shared.ts';
import { contentUriParts } from '../../../client/contentUris.ts';
import type { ChatTurnsDeps } from './chatTurnsModule.ts';

/** The file as it is now. One that is not there, because it was deleted or not made yet, is only in the preview. */
export async function openEditedFile(
  { host, previewEdit }: Pick<ChatTurnsDeps, 'host' | 'previewEdit'>,
  edit: FileEdit,
): Promise<void> {
  const file = [edit.after?.uri, edit.before?.uri].map((it) => it && fileUri(it, host));
  for (const uri of file) {
    if (!uri || !(await isFile(uri))) continue;
    const line = await firstChange(edit, host);
    await vscode.window.showTextDocument(uri, { preview: true, selection: new vscode.Range(line, 0, line, 0) });
    return;
  }
  previewEdit(edit);
}

function fileUri(uri: string, host: string): vscode.Uri {
  const own = vscode.Uri.parse(uri);
  return host === '' ? own : vscode.Uri.from(contentUriParts(uri, own.path, host));
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

/** The first line in which the two kept contents differ, from 0. */
async function firstChange({ before, after }: FileEdit, host: string): Promise<number> {
  if (!before || !after) return 0;
  const read = async ({ uri, content }: NonNullable<FileEdit['before']>) => {
    const kept = vscode.Uri.from(contentUriParts(content.uri, vscode.Uri.parse(uri).path, host));
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(kept)).split('\n');
  };
  try {
    const [old, now] = await Promise.all([read(before), read(after)]);
    const at = now.findIndex((it, index) => it !== old[index]);
    return at < 0 ? Math.max(0, now.length - 1) : at;
  } catch {
    return 0; // the host no longer keeps them: the file is shown all the same
  }
}
