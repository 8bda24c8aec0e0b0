import * as vscode from 'vscode';
import type { ProtectedResourceMetadata } from '../../sidecar/protocol/shared.ts';
import { commandIds } from '../manifest/manifest.ts';
import type { Granted, OAuthClient, OAuthServer, Wanted } from '../oauth/oauthServer.ts';
import type { Accounts } from './accounts.ts';
import { browserTrip } from './browserTrip.ts';
import type { Callbacks } from './callbacks.ts';
import { commandLink, escapeTitle } from './escape.ts';
import { askConsent, askToken, hostOf, pickServer, waiting } from './signInAsk.ts';

export interface SignInFlowDeps {
  readonly accounts: Accounts;
  readonly callbacks: Callbacks;
  /** By resource: what the link of a code that is shown does. */
  readonly codes: Map<string, () => unknown>;
  readonly discover: (issuer: string) => Promise<OAuthServer>;
  /** The extension's own address, for browsers that come back. */
  readonly callbackUri: vscode.Uri;
}

/** What an authorization server answered the host about one call, which counts before what its metadata say. */
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
  options: SignInOptions = {},
): Promise<boolean> {
  const name = escapeTitle(resource.resource_name ?? resource.resource, 60);
  const servers = resource.authorization_servers ?? [];
  const issuer = servers.length > 1 ? await pickServer(name, servers) : servers[0];
  if (servers.length > 0 && issuer === undefined) return false;
  const show = (message: string) => {
    const again = vscode.l10n.t('Try Again');
    void vscode.window
      .showErrorMessage(message, again)
      .then((picked) => (picked === again ? signInTo(deps, resource, agent, options) : false));
    return false;
  };
  try {
    const taken = await signIn(deps, resource, agent, options, name, issuer);
    return taken === 'refused' ? show(vscode.l10n.t('The token for {0} was rejected.', name)) : taken === 'taken';
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') return false;
    const isAnswer = thrown instanceof Error && thrown.name === 'OAuthRefusal';
    if (!isAnswer || issuer === undefined) return show(vscode.l10n.t('Sign-in to {0} failed.', name));
    const words = [name, hostOf(issuer), escapeTitle(thrown.message)] as const;
    return show(vscode.l10n.t('Sign-in to {0} failed. {1} responded: {2}', ...words));
  }
}

async function signIn(
  deps: SignInFlowDeps,
  resource: ProtectedResourceMetadata,
  agent: string | undefined,
  { scopes, client: given }: SignInOptions,
  name: string,
  issuer: string | undefined,
): Promise<'taken' | 'refused' | 'left'> {
  const wanted = { resource: resource.resource, scopes: scopes ?? resource.scopes_supported ?? [] };
  const keep = async (...it: [Granted, { issuer: string; client: OAuthClient }?]) =>
    (await deps.accounts.keep(resource.resource, ...it)) ? 'taken' : 'refused';
  const server = issuer === undefined ? undefined : await waiting(name, () => deps.discover(issuer));
  const how = await askConsent({ ...resource, scopes_supported: [...wanted.scopes] }, agent, server);
  if (how === undefined) return 'left';
  if (how === 'token' || server === undefined) {
    const accessToken = await askToken(name);
    return accessToken === undefined ? 'left' : keep({ accessToken });
  }
  const begin = how === 'browser' ? viaBrowser : viaCode;
  const { client, granted } = await waiting(name, async (signal, notify) => {
    const redirect = (await vscode.env.asExternalUri(deps.callbackUri)).toString(true);
    const as = given ?? (await server.register(redirect));
    return { client: as, granted: await begin({ ...deps, server, client: as, redirect, wanted, signal, notify }) };
  });
  return keep(granted, { issuer: server.issuer, client });
}

interface Leg extends SignInFlowDeps {
  readonly server: OAuthServer;
  readonly client: OAuthClient;
  readonly redirect: string;
  readonly wanted: Wanted;
  readonly signal: AbortSignal;
  /** Shows the person what to do now. */
  readonly notify: (message: string) => void;
}

async function viaBrowser({ server, client, redirect, wanted, callbacks, signal, notify }: Leg): Promise<Granted> {
  const begun = await server.viaBrowser(client, redirect, wanted);
  const open = async (address: string) => {
    await openPage(address);
    notify(vscode.l10n.t('Continue in your browser.'));
  };
  return browserTrip(begun, callbacks, open, signal);
}

async function viaCode({ server, client, wanted, codes, signal, notify }: Leg): Promise<Granted> {
  const begun = await server.viaCode(client, wanted);
  codes.set(wanted.resource, async () => {
    await vscode.env.clipboard.writeText(begun.userCode);
    await openPage(begun.url);
  });
  const text = vscode.l10n.t('Enter the code {0} at {1}.', escapeTitle(begun.userCode, 40), hostOf(begun.url));
  const link = commandLink(vscode.l10n.t('Copy the code and open the page'), commandIds.enterCode, wanted.resource);
  notify(`${text} ${link}`);
  return begun.finish(signal).finally(() => codes.delete(wanted.resource));
}

/**
 * Opens the very address: as a `Uri` its query would be decoded and written anew, and an address within it, as of a browser's
 * own way back, would end at its first `&`. The editor takes a text as it stands, though its types do not say so.
 */
async function openPage(address: string): Promise<void> {
  await vscode.env.openExternal(address as unknown as vscode.Uri);
}
