import * as vscode from 'vscode';
import type { FileEdit } from '../../../../sidecar/protocol/shared.ts';
import { contentUriParts } from '../../../client/contentUris.ts';
import type { InlineDiff } from '../../contract/inlineDiff.ts';
import type { ChatTurnsDeps } from './chatTurnsModule.ts';
import { inlineDiff } from './inlineDiff.ts';

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
  try {
    const [old, now] = (await Promise.all([readSide(before, host), readSide(after, host)])).map((it) => it.split('\n'));
    if (!old || !now) return 0;
    const at = now.findIndex((it, index) => it !== old[index]);
    return at < 0 ? Math.max(0, now.length - 1) : at;
  } catch {
    return 0; // the host no longer keeps them: the file is shown all the same
  }
}

async function readSide({ uri, content }: NonNullable<FileEdit['before']>, host: string): Promise<string> {
  const kept = vscode.Uri.from(contentUriParts(content.uri, vscode.Uri.parse(uri).path, host));
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(kept));
}

/** Larger contents are only in the diff editor, which compares them aside. */
const maxBytes = 1024 * 1024;

/** The beginning of what an edit changes, from its two kept contents. */
export async function diffOf(edit: FileEdit, host: string): Promise<InlineDiff> {
  const sides = [edit.before, edit.after];
  if (sides.some((it) => (it?.content.sizeHint ?? 0) > maxBytes)) return { lines: [], more: 0, problem: 'large' };
  try {
    const [before = '', after = ''] = await Promise.all(sides.map(async (it) => it && readSide(it, host)));
    return inlineDiff(before, after);
  } catch {
    return { lines: [], more: 0, problem: 'gone' }; // the host no longer keeps them: the card says so
  }
}
