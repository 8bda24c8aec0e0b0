import * as vscode from 'vscode';
import type { Host } from '../client/hosts.ts';
import { addressProblem, hostAddress, tokenProblem } from '../config/hostAddress.ts';

/** @returns the address in its one spelling; `undefined` when the person stepped out, as with the others here */
export async function askAddress(): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Attach to Host'),
    prompt: vscode.l10n.t('The address where "switchboard serve" is listening on that machine'),
    placeHolder: 'wss://host.example',
    ignoreFocusOut: true,
    validateInput: (text) => (text === '' ? undefined : addressProblem(vscode.l10n, text)),
  });
  return typed === undefined ? undefined : hostAddress(typed);
}

export async function askName(initial: string): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Attach to Host'),
    prompt: vscode.l10n.t('Enter a name for this host'),
    value: initial,
    ignoreFocusOut: true,
  });
  return typed === undefined ? undefined : typed.trim().slice(0, 60) || initial;
}

/** The token goes from here to the secret storage. */
export async function askToken(host: string): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Token for {0}', host),
    prompt: vscode.l10n.t(
      'The token is in the file specified by --token-file on that machine. Switchboard stores the token in Secret Storage.',
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text === '' ? undefined : tokenProblem(vscode.l10n, text.trim())),
  });
  return typed?.trim() || undefined;
}

/** @returns a folder of that machine, as a URI */
export async function askFolder({ name, catalogue, client }: Host): Promise<string | undefined> {
  const newest = catalogue.sessions.toSorted((a, b) => b.modifiedAt.localeCompare(a.modifiedAt));
  const known = newest.find((it) => it.workingDirectories?.[0] !== undefined)?.workingDirectories?.[0];
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('New Session on {0}', name),
    prompt: vscode.l10n.t('Enter the path to a folder on that machine'),
    value: pathOf(known ?? client.handshake?.defaultDirectory ?? ''),
    placeHolder: '/home/me/project',
    ignoreFocusOut: true,
    validateInput: (text) =>
      text === '' || toFileUri(text) !== undefined ? undefined : vscode.l10n.t('Enter an absolute path.'),
  });
  return typed === undefined ? undefined : toFileUri(typed);
}

/** The other machine may be of another system than this one. */
function toFileUri(path: string): string | undefined {
  const text = path.trim();
  if (/^[a-z]:[\\/]/i.test(text))
    return vscode.Uri.from({ scheme: 'file', path: `/${text.replaceAll('\\', '/')}` }).toString();
  return text.startsWith('/') ? vscode.Uri.from({ scheme: 'file', path: text }).toString() : undefined;
}

function pathOf(uri: string): string {
  return uri === '' ? '' : vscode.Uri.parse(uri).path.replace(/^\/(?=[a-z]:)/i, '');
}
