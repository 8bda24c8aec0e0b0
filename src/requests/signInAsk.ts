import * as vscode from 'vscode';
import type { ProtectedResourceMetadata } from '../../sidecar/protocol/shared.ts';
import type { OAuthServer } from '../oauth/oauthServer.ts';
import { consentText } from './signInText.ts';

/** The ways in that a person can choose. */
export type How = 'browser' | 'code' | 'token';

/** Shows who asks, for what and where. @returns `undefined` when the person does not want to */
export async function askConsent(
  resource: ProtectedResourceMetadata,
  agent: string | undefined,
  server: OAuthServer | undefined,
): Promise<How | undefined> {
  const { message, detail } = consentText(vscode.l10n, resource, agent, server?.issuer);
  const ways: [How, string][] = [];
  if (server?.canUseBrowser) ways.push(['browser', vscode.l10n.t('Sign In')]);
  if (server?.canUseCode) ways.push(['code', vscode.l10n.t('Use a Device Code')]);
  ways.push(['token', vscode.l10n.t('Paste a Token')]);
  const picked = await vscode.window.showInformationMessage(
    message,
    { modal: true, detail },
    ...ways.map(([, label]) => label),
  );
  return ways.find(([, label]) => label === picked)?.[0];
}

/** @returns what the person pasted; nothing when they did not */
export async function askToken(name: string): Promise<string | undefined> {
  const token = await vscode.window.showInputBox({
    title: vscode.l10n.t('Sign in to {0}', name),
    prompt: vscode.l10n.t('Paste an access token. It is stored in Secret Storage.'),
    password: true,
    ignoreFocusOut: true,
  });
  return token?.trim() || undefined;
}

export async function pickServer(name: string, servers: readonly string[]): Promise<string | undefined> {
  const items = servers.map((issuer) => ({ label: hostOf(issuer), description: issuer, issuer }));
  const placeHolder = vscode.l10n.t('Which server do you want to use to sign in to {0}?', name);
  return (await vscode.window.showQuickPick(items, { placeHolder, ignoreFocusOut: true }))?.issuer;
}

/** Work that a person sees and can end. @throws `AbortError` when they did */
export async function waiting<T>(
  name: string,
  work: (signal: AbortSignal, notify: (message: string) => void) => Promise<T>,
): Promise<T> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Sign in to {0}', name),
    cancellable: true,
  };
  return vscode.window.withProgress(options, async (progress, token) => {
    const abort = new AbortController();
    const stop = token.onCancellationRequested(() => abort.abort());
    const cancelled = new Promise<never>((_, reject) => {
      abort.signal.addEventListener('abort', () => reject(abort.signal.reason));
    });
    try {
      return await Promise.race([work(abort.signal, (message) => progress.report({ message })), cancelled]);
    } finally {
      stop.dispose();
    }
  });
}

export function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}
