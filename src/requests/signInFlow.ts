import * as vscode from 'vscode';
import type { ProtectedResourceMetadata } from '../../sidecar/protocol/shared.ts';
import type { OAuthClient, OAuthServer, Wanted } from '../oauth/oauthServer.ts';
import type { Accounts } from './accounts.ts';
import type { Callbacks } from './callbacks.ts';
import { consentText } from './signInText.ts';

export interface SignInFlowDeps {
  readonly accounts: Accounts;
  readonly callbacks: Callbacks;
  readonly discover: (issuer: string) => Promise<OAuthServer>;
  /** The extension's own address, for browsers that come back. */
  readonly callbackUri: vscode.Uri;
}

/** What an authorization server told the host about one call, which counts before what its metadata say. */
export interface SignInOptions {
  readonly scopes?: readonly string[];
  readonly client?: OAuthClient;
}

/**
 * Signs a person in to a protected resource. They see first who asks, for what and where they will sign in.
 * @param agent who asks, by the name that the person knows
 * @returns whether the host has a token now; a failure was shown
 */
export async function signInTo(
  deps: SignInFlowDeps,
  resource: ProtectedResourceMetadata,
  agent: string | undefined,
  { scopes, client }: SignInOptions = {},
): Promise<boolean> {
  const wanted = { resource: resource.resource, scopes: scopes ?? resource.scopes_supported ?? [] };
  const name = resource.resource_name ?? resource.resource;
  const servers = resource.authorization_servers ?? [];
  const issuer = servers.length > 1 ? await pickServer(name, servers) : servers[0];
  if (servers.length > 0 && issuer === undefined) return false;
  try {
    const server = issuer === undefined ? undefined : await waiting(name, () => deps.discover(issuer));
    const how = await askConsent({ ...resource, scopes_supported: [...wanted.scopes] }, agent, server);
    if (how === undefined) return false;
    if (how === 'token' || server === undefined) return await pasteToken(deps, resource, name);
    const granted = await signInAt(deps, server, how, wanted, client, name);
    if (await deps.accounts.keep(resource.resource, granted.token, { issuer: server.issuer, client: granted.client }))
      return true;
    void vscode.window.showErrorMessage(vscode.l10n.t('The token for {0} was refused.', name));
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') return false;
    const why = thrown instanceof Error && thrown.name === 'OAuthRefusal' ? thrown.message : undefined;
    void vscode.window.showErrorMessage(
      why === undefined
        ? vscode.l10n.t('The sign-in to {0} failed.', name)
        : vscode.l10n.t('The sign-in to {0} failed: the server {1}: {2}.', name, hostOf(issuer ?? ''), why),
    );
  }
  return false;
}

type How = 'browser' | 'code' | 'token';

async function askConsent(
  resource: ProtectedResourceMetadata,
  agent: string | undefined,
  server: OAuthServer | undefined,
): Promise<How | undefined> {
  const { message, detail } = consentText(vscode.l10n, resource, agent, server?.issuer);
  const ways: [How, string][] = [];
  if (server?.canUseBrowser) ways.push(['browser', vscode.l10n.t('Sign In')]);
  if (server?.canUseCode) ways.push(['code', vscode.l10n.t('Use a Code')]);
  ways.push(['token', vscode.l10n.t('Paste a Token')]);
  const picked = await vscode.window.showInformationMessage(
    message,
    { modal: true, detail },
    ...ways.map(([, label]) => label),
  );
  return ways.find(([, label]) => label === picked)?.[0];
}

async function signInAt(
  { callbacks, callbackUri }: SignInFlowDeps,
  server: OAuthServer,
  how: 'browser' | 'code',
  wanted: Wanted,
  given: OAuthClient | undefined,
  name: string,
) {
  return waiting(name, async (signal, tell) => {
    const redirect = (await vscode.env.asExternalUri(callbackUri)).toString(true);
    const client = given ?? (await server.register(redirect));
    if (how === 'browser') {
      const begun = await server.viaBrowser(client, redirect, wanted);
      const answer = callbacks.wait(begun.state, signal);
      answer.catch(() => undefined); // heard below
      await vscode.env.openExternal(vscode.Uri.parse(begun.url));
      tell(vscode.l10n.t('Go on in the browser.'));
      return { client, token: await begun.finish(await answer) };
    }
    const begun = await server.viaCode(client, wanted);
    const open = vscode.l10n.t('Copy and Open');
    tell(vscode.l10n.t('Your code: {0}', begun.userCode));
    void vscode.window
      .showInformationMessage(vscode.l10n.t('Enter the code {0} at {1}.', begun.userCode, hostOf(begun.url)), open)
      .then(async (picked) => {
        if (picked !== open) return;
        await vscode.env.clipboard.writeText(begun.userCode);
        await vscode.env.openExternal(vscode.Uri.parse(begun.url));
      });
    return { client, token: await begun.finish(signal) };
  });
}

/** @returns whether the host took what the person pasted */
async function pasteToken(
  { accounts }: SignInFlowDeps,
  { resource }: ProtectedResourceMetadata,
  name: string,
): Promise<boolean> {
  const token = await vscode.window.showInputBox({
    title: vscode.l10n.t('Sign in to {0}', name),
    prompt: vscode.l10n.t("Paste an access token. It is kept in the editor's secret storage."),
    password: true,
    ignoreFocusOut: true,
  });
  if (!token) return false;
  if (await accounts.keep(resource, { accessToken: token.trim() })) return true;
  void vscode.window.showErrorMessage(vscode.l10n.t('The token for {0} was refused.', name));
  return false;
}

async function pickServer(name: string, servers: readonly string[]): Promise<string | undefined> {
  const items = servers.map((issuer) => ({ label: hostOf(issuer), description: issuer, issuer }));
  const placeHolder = vscode.l10n.t('Where do you sign in to {0}?', name);
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.issuer;
}

/** Work that a person sees and can end. @throws `AbortError` when they did */
async function waiting<T>(
  name: string,
  work: (signal: AbortSignal, tell: (message: string) => void) => Promise<T>,
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

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}
