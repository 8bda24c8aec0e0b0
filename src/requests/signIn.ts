import * as vscode from 'vscode';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import { AuthRequiredData } from '../../sidecar/protocol/errors.ts';
import type { ProtectedResourceMetadata } from '../../sidecar/protocol/shared.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { Waiting } from '../client/attention.ts';
import type { HostPort } from '../client/port.ts';
import { whenShown } from '../client/whenShown.ts';
import type { Tokens } from '../config/tokens.ts';
import { commandIds } from '../manifest/manifest.ts';
import type { OAuthServer } from '../oauth/oauthServer.ts';
import { Accounts } from './accounts.ts';
import { openLogin } from './agentLogin.ts';
import { keyOf } from './answering.ts';
import { Callbacks } from './callbacks.ts';
import { escapeTitle } from './escape.ts';
import type { SignInOptions, signInTo } from './signInFlow.ts';

/** What `dist/oauth.cjs` gives. */
export interface OAuthModule {
  readonly OAuthServer: Pick<typeof OAuthServer, 'discover'>;
  readonly signInTo: typeof signInTo;
}
export interface SignInDeps {
  readonly port: HostPort;
  readonly attention: Waiting;
  /** The name of the host elsewhere whose session this is; absent for one of this machine. */
  readonly farHost: (session: string) => string | undefined;
  readonly tokens: Tokens;
  /** Loads what talks OAuth. */
  readonly oauth: () => OAuthModule;
  readonly callbackUri: vscode.Uri;
  readonly nowMs: () => number;
  readonly warn: (message: string) => void;
}

/**
 * Two ways to sign in. What an agent keeps for itself is done by the agent's own login in a terminal; what the host
 * holds for a protected resource is a token from the resource's authorization server, kept in the secret storage.
 */
export class SignIn implements vscode.Disposable {
  readonly #deps: SignInDeps;
  readonly #accounts: Accounts;
  readonly #callbacks = new Callbacks();
  /** By resource: copies the code that the person shall enter, and opens the page for it. */
  readonly #codes = new Map<string, () => unknown>();
  readonly #tried = new Set<string>();
  /** Resources about which a person is asked just now. */
  readonly #asking = new Set<string>();
  readonly #parts: vscode.Disposable;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    const { port, tokens, attention, oauth } = deps;
    const discover = (issuer: string) => oauth().OAuthServer.discover(issuer);
    this.#accounts = new Accounts({ ...deps, discover });
    this.#parts = vscode.Disposable.from(
      vscode.window.registerUriHandler(this.#callbacks),
      port.onDidConnect(() => {
        this.#tried.clear();
        void this.#accounts.pushAll();
      }),
      port.onDidDisconnect(() => this.#accounts.disconnected()),
      port.onNotification('auth/required', ({ resource, reason }) => void this.#demanded(resource, reason)),
      tokens.onDidChange((resource) => void this.#accounts.follow(resource)),
      { dispose: attention.onDidChange(() => this.#pushPending()).dispose },
      vscode.commands.registerCommand(commandIds.signIn, (argument: unknown) => this.#signIn(argument)),
      vscode.commands.registerCommand(commandIds.signOut, () => this.#signOut()),
      vscode.commands.registerCommand(commandIds.enterCode, (resource: string) => this.#codes.get(resource)?.()),
    );
  }

  /**
   * Before a session with an agent is made: whatever it cannot be used without is signed in to, by the person if need be.
   * @param provider absent: the agent that the host takes by itself
   * @returns false when the person did not
   */
  async ensure(provider: string | undefined): Promise<boolean> {
    const { agents } = await whenShown<RootState>(this.#deps.port, ROOT);
    const agent = provider === undefined ? agents[0] : agents.find((it) => it.provider === provider);
    return this.#signInToAll(await this.#accounts.missing(agent?.protectedResources ?? []), agent?.displayName);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  async #signInToAll(resources: readonly ProtectedResourceMetadata[], agent: string | undefined): Promise<boolean> {
    for (const it of resources) if (!(await this.#ask(it, agent))) return false;
    return true;
  }

  /** One question at a time about one resource. */
  async #ask(resource: ProtectedResourceMetadata, agent: string | undefined, options?: SignInOptions) {
    if (this.#asking.has(resource.resource)) return false;
    this.#asking.add(resource.resource);
    try {
      const { oauth, callbackUri } = this.#deps;
      const { signInTo, OAuthServer } = oauth();
      const flow = { accounts: this.#accounts, callbacks: this.#callbacks, codes: this.#codes, callbackUri };
      return await signInTo({ ...flow, discover: (issuer) => OAuthServer.discover(issuer) }, resource, agent, options);
    } finally {
      this.#asking.delete(resource.resource);
    }
  }

  /** The host wants a token: what is stored or can be renewed goes there silently, otherwise the person is asked. */
  async #demanded(resource: string, reason: string): Promise<void> {
    if (this.#asking.has(resource) || (await this.#accounts.push(resource, reason === 'expired'))) return;
    const { agents } = await whenShown<RootState>(this.#deps.port, ROOT);
    const agent = agents.find((it) => it.protectedResources?.some((own) => own.resource === resource));
    const metadata = agent?.protectedResources?.find((it) => it.resource === resource);
    if (!agent || !metadata) return; // a tool's own: its call shows it
    const name = metadata.resource_name ?? resource;
    const signIn = vscode.l10n.t('Sign In');
    const picked = await vscode.window.showErrorMessage(
      vscode.l10n.t('{0} needs you to sign in to {1}.', escapeTitle(agent.displayName, 60), escapeTitle(name, 60)),
      signIn,
      vscode.l10n.t('Later'),
    );
    if (picked === signIn) await this.#ask(metadata, agent.displayName);
  }

  #pushPending(): void {
    for (const { request, key } of this.#deps.attention.pending) {
      if (request.kind !== 'toolAuthentication' || this.#tried.has(key)) continue;
      this.#tried.add(key);
      const { resource, reason } = request.toolCall.auth;
      if (reason !== 'insufficientScope') void this.#accounts.push(resource.resource, reason === 'expired');
    }
  }

  async #signIn(argument: unknown): Promise<void> {
    const far = this.#deps.farHost(keyOf(argument).split('#', 1)[0] ?? '');
    if (far !== undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('This is set where the host runs: on {0}.', far));
      return;
    }
    const pending = this.#deps.attention.find(keyOf(argument));
    if (pending?.request.kind === 'toolAuthentication') {
      const { resource, requiredScopes: scopes, oauthClient: client } = pending.request.toolCall.auth;
      await this.#ask(resource, undefined, { ...(scopes && { scopes }), ...(client && { client }) });
      return;
    }
    const session = sessionOf(argument);
    const state = session === undefined ? undefined : await whenShown<SessionState>(this.#deps.port, session);
    const wanted = state && resourcesOf(state);
    if (wanted) await this.#signInToAll(wanted, state.provider);
    else if (state || !(await this.#ensureNamed(argument))) openLogin(state);
  }

  /** A chat that has no session yet names its agent. @returns false when it does not */
  async #ensureNamed(argument: unknown): Promise<boolean> {
    const named = typeof argument === 'object' && argument !== null && 'provider' in argument;
    if (named && typeof argument.provider === 'string') await this.ensure(argument.provider);
    return named;
  }

  async #signOut(): Promise<void> {
    const { tokens, port } = this.#deps;
    const stored = await tokens.resources();
    if (stored.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('You are signed in nowhere.'));
      return;
    }
    const { agents } = await whenShown<RootState>(port, ROOT);
    const all = agents.flatMap((it) => it.protectedResources ?? []);
    const items = stored.map((resource) => ({
      label: all.find((it) => it.resource === resource)?.resource_name ?? resource,
      description: resource,
      resource,
    }));
    const placeHolder = vscode.l10n.t('Where do you want to sign out?');
    const picked = await vscode.window.showQuickPick(items, { placeHolder });
    if (!picked) return;
    await this.#accounts.signOut(picked.resource);
    void vscode.window.showInformationMessage(vscode.l10n.t('Signed out of {0}.', escapeTitle(picked.label, 60)));
  }
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
