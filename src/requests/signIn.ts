import * as vscode from 'vscode';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import { AuthRequiredData } from '../../sidecar/protocol/errors.ts';
import type { ProtectedResourceMetadata } from '../../sidecar/protocol/shared.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import { claimOf } from '../client/answerIds.ts';
import type { Hosts } from '../client/hosts.ts';
import { rootStateOf } from '../client/rootState.ts';
import { whenShown } from '../client/whenShown.ts';
import { commandIds } from '../manifest/manifest.ts';
import type { OAuthServer } from '../oauth/oauthServer.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { openLogin } from './agentLogin.ts';
import { Callbacks } from './callbacks.ts';
import { escapeTitle } from './escape.ts';
import { HostAccounts, type HostAccountsDeps, type SignedIn } from './hostAccounts.ts';
import type { SignInOptions, signInTo } from './signInFlow.ts';

/** What `dist/oauth.cjs` gives. */
export interface OAuthModule {
  readonly OAuthServer: Pick<typeof OAuthServer, 'discover'>;
  readonly signInTo: typeof signInTo;
}
export interface SignInDeps extends Pick<HostAccountsDeps, 'tokensOf' | 'nowMs' | 'warn'> {
  readonly hosts: HostAccountsDeps['hosts'] & Pick<Hosts, 'attention'>;
  /** Loads what talks OAuth. */
  readonly oauth: () => OAuthModule;
  readonly callbackUri: vscode.Uri;
}

/**
 * Two ways to sign in. What an agent keeps for itself is done by the agent's own login in a terminal; what a host
 * holds for a protected resource is a token from the resource's authorization server, kept in the secret storage.
 */
export class SignIn implements vscode.Disposable {
  readonly #deps: SignInDeps;
  readonly #hosts: HostAccounts;
  readonly #callbacks = new Callbacks();
  /** By resource: copies the code that the person shall enter, and opens the page for it. */
  readonly #codes = new Map<string, () => unknown>();
  /** Hosts and resources about which a person is asked just now. */
  readonly #asking = new Set<string>();
  readonly #parts: vscode.Disposable;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    this.#hosts = new HostAccounts({
      ...deps,
      discover: (issuer) => deps.oauth().OAuthServer.discover(issuer),
      demanded: (signedIn, resource, reason) => void this.#demanded(signedIn, resource, reason),
    });
    this.#parts = vscode.Disposable.from(
      vscode.window.registerUriHandler(this.#callbacks),
      this.#hosts,
      onCommand(commandIds.signIn, (argument: unknown) => this.#signIn(argument)),
      onCommand(commandIds.signOut, () => this.#signOut()),
      onCommand(commandIds.enterCode, (resource: string) => this.#codes.get(resource)?.()),
    );
  }

  /**
   * Before a session with an agent is made: whatever it cannot be used without is signed in to, by the person if need be.
   * @param provider absent: the agent that the host takes by itself
   * @param host the address of a host elsewhere; absent: this machine
   * @returns false when the person did not
   */
  async ensure(provider: string | undefined, host = ''): Promise<boolean> {
    const signedIn = this.#hosts.at(host);
    if (!signedIn) return true; // it is not attached to, and says so when the session is made
    const { resources, agent } = await this.#hosts.missing(signedIn, provider);
    return this.#signInToAll(signedIn, resources, agent);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  async #signInToAll(signedIn: SignedIn, resources: readonly ProtectedResourceMetadata[], agent: string | undefined) {
    for (const it of resources) if (!(await this.#ask(signedIn, it, agent))) return false;
    return true;
  }

  /** One question at a time about one resource of one host. The person sees which host gets the token. */
  async #ask(
    { host, accounts }: SignedIn,
    resource: ProtectedResourceMetadata,
    agent: string | undefined,
    options?: SignInOptions,
  ) {
    const key = `${host.id} ${resource.resource}`;
    if (this.#asking.has(key)) return false;
    this.#asking.add(key);
    try {
      const { oauth, callbackUri } = this.#deps;
      const { signInTo, OAuthServer } = oauth();
      const flow = { accounts, callbacks: this.#callbacks, codes: this.#codes, callbackUri };
      const asks = host.id === '' ? agent : [...(agent === undefined ? [] : [agent]), host.name].join(' · ');
      return await signInTo({ ...flow, discover: (issuer) => OAuthServer.discover(issuer) }, resource, asks, options);
    } finally {
      this.#asking.delete(key);
    }
  }

  /** The host wants a token: what is stored or can be renewed goes there silently, otherwise the person is asked. */
  async #demanded(signedIn: SignedIn, resource: string, reason: string): Promise<void> {
    const { host, accounts } = signedIn;
    if (this.#asking.has(`${host.id} ${resource}`) || (await accounts.push(resource, reason === 'expired'))) return;
    const { agents } = await whenShown<RootState>(host.client, ROOT);
    const agent = agents.find((it) => it.protectedResources?.some((own) => own.resource === resource));
    const metadata = agent?.protectedResources?.find((it) => it.resource === resource);
    if (!agent || !metadata) return; // a tool's own: its call shows it
    const name = metadata.resource_name ?? resource;
    const asks = host.id === '' ? agent.displayName : `${agent.displayName} · ${host.name}`;
    const signIn = vscode.l10n.t('Sign In');
    const picked = await vscode.window.showErrorMessage(
      vscode.l10n.t('{0} needs you to sign in to {1}.', escapeTitle(asks, 60), escapeTitle(name, 60)),
      signIn,
      vscode.l10n.t('Later'),
    );
    if (picked === signIn) await this.#ask(signedIn, metadata, agent.displayName);
  }

  async #signIn(argument: unknown): Promise<void> {
    const { hosts } = this.#deps;
    const session = sessionOf(argument);
    const pending = hosts.attention.find(claimOf(argument).key);
    const signedIn = this.#hosts.of(pending?.session.resource ?? session ?? '');
    if (!signedIn) return;
    if (pending?.request.kind === 'toolAuthentication') {
      const { resource, requiredScopes: scopes, oauthClient: client } = pending.request.toolCall.auth;
      await this.#ask(signedIn, resource, undefined, { ...(scopes && { scopes }), ...(client && { client }) });
      return;
    }
    const { host } = signedIn;
    const state = session === undefined ? undefined : await whenShown<SessionState>(host.client, session);
    const wanted = state && resourcesOf(state);
    if (wanted) await this.#signInToAll(signedIn, wanted, state.provider);
    else if (!state && (await this.#ensureNamed(argument))) return;
    else if (host.id === '') openLogin(state);
    else
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Change this setting on {0}, where the host is running.', host.name),
      );
  }

  /** A chat that has no session yet names its agent, and its host. @returns false when it does not */
  async #ensureNamed(argument: unknown): Promise<boolean> {
    const named = typeof argument === 'object' && argument !== null && 'provider' in argument;
    if (!named || typeof argument.provider !== 'string') return named;
    const host = 'host' in argument && typeof argument.host === 'string' ? argument.host : '';
    await this.ensure(argument.provider, host);
    return true;
  }

  async #signOut(): Promise<void> {
    const all = await Promise.all(this.#hosts.all.map((it) => storedOf(it)));
    const items = all.flat();
    if (items.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('You are not signed in anywhere.'));
      return;
    }
    const placeHolder = vscode.l10n.t('What do you want to sign out of?');
    const picked = await vscode.window.showQuickPick(items, { placeHolder, ignoreFocusOut: true });
    if (!picked) return;
    await picked.signedIn.accounts.signOut(picked.resource);
    void vscode.window.showInformationMessage(vscode.l10n.t('Signed out of {0}.', escapeTitle(picked.label, 60)));
  }
}

/** What is signed in to for one host, to choose from. */
async function storedOf(signedIn: SignedIn) {
  const { host, tokens } = signedIn;
  const stored = await tokens.resources();
  const known = (rootStateOf(host.client)?.agents ?? []).flatMap((it) => it.protectedResources ?? []);
  return stored.map((resource) => ({
    label: known.find((it) => it.resource === resource)?.resource_name ?? resource,
    description: host.id === '' ? resource : `${resource} · ${host.name}`,
    resource,
    signedIn,
  }));
}

/** What a session waits for, or failed for want of. */
function resourcesOf({ _meta, creationError }: SessionState): readonly ProtectedResourceMetadata[] | undefined {
  for (const it of [_meta?.['problem'], creationError?._meta]) {
    const wanted = AuthRequiredData.safeParse(it).data;
    if (wanted) return wanted.resources;
  }
  return undefined;
}

function sessionOf(argument: unknown): string | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  // A row of the tree, or the notice that the row shows.
  const row: unknown = 'row' in argument ? argument.row : argument;
  if (typeof row !== 'object' || row === null || !('session' in row)) return undefined;
  return typeof row.session === 'string' ? row.session : undefined;
}
