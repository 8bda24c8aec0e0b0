import * as vscode from 'vscode';
import { contentUriParts } from '../../../client/contentUris.ts';

const outside: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/**
 * Opens a link of an agent's answer that a person clicked: web addresses in the browser, files of the session's folders
 * in an editor. Everything else is refused, command links above all.
 * @param host whose files they are: empty for this machine
 */
export async function openLink(href: string, folders: readonly string[], host: string): Promise<void> {
  const scheme = /^([a-z][a-z0-9+.-]*:)/i.exec(href)?.[1]?.toLowerCase();
  if (scheme && outside.has(scheme)) {
    await vscode.env.openExternal(vscode.Uri.parse(href, true));
    return;
  }
  const isPath = scheme === undefined || scheme === 'file:' || /^[a-z]:$/i.test(scheme);
  const target = isPath ? await findFile(href, folders, host) : undefined;
  if (!target) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('This link does not point to a file in the session: {0}', href),
    );
    return;
  }
  const selection = target.line === undefined ? undefined : new vscode.Range(target.line, 0, target.line, 0);
  await vscode.window.showTextDocument(target.uri, { preview: true, ...(selection && { selection }) });
}

async function findFile(
  href: string,
  folders: readonly string[],
  host: string,
): Promise<{ readonly uri: vscode.Uri; readonly line?: number } | undefined> {
  const found = /^(.*?)(?:#L?(\d+).*|:(\d+)(?::\d+)?)?$/.exec(href);
  const path = decode(found?.[1] ?? href);
  const line = Number(found?.[2] ?? found?.[3] ?? 0);
  for (const folder of folders) {
    const root = vscode.Uri.parse(folder);
    const isAbsolute = /^(?:\/|file:|[a-z]:[\\/])/i.test(path);
    const own = isAbsolute ? toFileUri(path) : vscode.Uri.joinPath(root, path);
    if (!`${own.path}/`.startsWith(`${root.path.replace(/\/$/, '')}/`)) continue;
    const uri = host === '' ? own : vscode.Uri.from(contentUriParts(own.toString(), own.path, host));
    try {
      await vscode.workspace.fs.stat(uri);
      return { uri, ...(line > 0 && { line: line - 1 }) };
    } catch {
      // Not in this folder; the next one may have it.
    }
  }
  return undefined;
}

function toFileUri(path: string): vscode.Uri {
  return path.startsWith('file:') ? vscode.Uri.parse(path) : vscode.Uri.file(path);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone `%` in a name that was never encoded
  }
}
