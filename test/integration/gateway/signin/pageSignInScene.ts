import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { openUiSessions } from '../../../../sidecar/gateway/http/uiSession.ts';
import type { SignInOptions } from '../../../../sidecar/gateway/oauth/signin/contract.ts';
import { sealerFor } from '../../../../sidecar/platform/seal.ts';
import { SignInConfig } from '../../../../sidecar/protocol/gateway/config/signIn.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../../../support/backends/authorizationServer.ts';
import { memoryAdapter } from '../../../support/backends/memoryAdapter.ts';
import { SetClock } from '../../../support/backends/setClock.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';

export const clientId = 'gateway-pages';
const clientSecret = 'canary-pages-client-secret';
/** How often the gateway of the scene asks the provider whether a session is valid. */
export const recheckMs = 10_000;

/** What the provider says of an account. */
type Account = Readonly<Record<string, unknown>>;

export interface Token {
  readonly key?: KeyObject;
  readonly alg?: string;
  readonly claims: JWTPayload;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** A gateway whose pages people sign in to, and the certified OpenID provider that they sign in with. */
export interface Scene {
  readonly stand: Stand;
  readonly provider: AuthorizationServer;
  readonly clock: SetClock;
  /** By subject; one that is removed cannot sign in or go on. */
  readonly accounts: Map<string, Account>;
  /** A token as the provider signs it, unless it is said otherwise. */
  token(token: Token): Promise<string>;
  /** Registers another client with the same redirect URI. @returns its ID */
  otherClient(): Promise<string>;
  /** Signs somebody in. @returns the ID of their session */
  sessionOf(this: void, scene: Scene): Promise<string>;
  close(): Promise<void>;
}

/** The certified OpenID provider, as the configuration of a gateway names it. */
export interface Provider extends Pick<Scene, 'provider' | 'accounts' | 'token'> {
  readonly signIn: SignInOptions;
  /** Registers a client for the pages of a gateway. */
  register(base: string, id?: string): Promise<void>;
}

/** @param config members of `sign_in`, over those of the scene */
export async function openProvider(config: Readonly<Record<string, unknown>> = {}): Promise<Provider> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const accounts = new Map<string, Account>();
  const adapter = memoryAdapter();
  const provider = await startAuthorizationServer({
    adapter,
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', kid: 'signing' }] } as never,
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub', 'sid'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    conformIdTokenClaims: false,
    findAccount: (_, id) => {
      const said = accounts.get(id);
      return said && { accountId: id, claims: () => ({ sub: id, ...said }) };
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: logoutPage },
    },
  });
  const { client_secret: _, ...options } = SignInConfig.parse({
    issuer: provider.url,
    name: 'Example ID',
    client_id: clientId,
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    groups: {
      admins: { user_role: 'proxy_admin' },
      platform: { teams: { platform: 'admin' } },
      readers: { user_role: 'proxy_admin_viewer' },
    },
    allow: { groups: ['staff'] },
    recheck_s: recheckMs / 1_000,
    allow_private_network: true,
    ...config,
  });
  return {
    provider,
    accounts,
    signIn: { ...options, client_secret: clientSecret },
    token: ({ key = privateKey, alg = 'ES256', claims, header }) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: 'signing', ...header }).sign(key),
    async register(base, id = clientId) {
      const client = {
        client_id: id,
        client_secret: clientSecret,
        application_type: 'web',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [`${base}/ui/sign-in/callback`],
        post_logout_redirect_uris: [`${base}/ui/`],
        backchannel_logout_uri: `${base}/ui/sign-in/backchannel-logout`,
        backchannel_logout_session_required: true,
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: 'ES256',
      };
      await adapter('Client').upsert(id, client as never, 0);
    },
  };
}

/** As the provider's own, with a button. */
function logoutPage(context: KoaContextWithOIDC, form: string): void {
  context.body = `<!DOCTYPE html><title>Sign out</title>${form}<button form="op.logoutForm" name="logout" value="yes">Yes</button>`;
}

/** @param config as for {@link openProvider} */
export async function openScene(config: Readonly<Record<string, unknown>> = {}): Promise<Scene> {
  const clock = new SetClock();
  const { signIn, register, ...idp } = await openProvider(config);
  const stand = await openStand({ clock, signIn });
  await register(stand.base);
  return {
    ...idp,
    stand,
    clock,
    async otherClient() {
      await register(stand.base, 'another-client');
      return 'another-client';
    },
    async sessionOf({ stand: { base, gateway, secret } }) {
      const browser = new Browser({ base });
      await browser.signIn();
      const ui = openUiSessions(sealerFor(secret, 'ui sessions'), false);
      const id = ui.readPerson(`switchboard_ui=${browser.cookies.get('switchboard_ui')}`, clock.nowMs());
      if (id === undefined || !(await gateway.store.pageSessions.get(id))) throw new Error('nobody is signed in');
      return id;
    },
    async close() {
      await stand.close();
      await idp.provider.close();
    },
  };
}

/** A browser with its cookies, in front of the pages. It sends what a browser sends with requests of the page itself. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #base: string;

  constructor({ base }: Pick<Stand, 'base'>) {
    this.#base = base;
  }

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (value === '' || line.includes('Max-Age=0;')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** A request of the page. A body makes it a POST of JSON. */
  page(path: string, body?: object, more: RequestInit = {}): Promise<Response> {
    const { headers, ...rest } = more;
    return this.send(`${this.#base}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      ...rest,
      headers: {
        'sec-fetch-site': 'same-origin',
        origin: this.#base,
        'content-type': 'application/json',
        ...(headers as Record<string, string> | undefined),
      },
    });
  }

  /** Begins a sign-in. @returns where the provider is asked */
  async begin(query = ''): Promise<string> {
    const response = await this.page('/ui/sign-in', { query });
    const { url } = (await response.json()) as { url?: string };
    if (url === undefined) throw new Error(`the sign-in did not begin: ${response.status}`);
    return url;
  }

  /** Follows the provider's redirects. @returns the address of the gateway that the provider sends the browser to */
  async follow(url: string): Promise<string> {
    let at = url;
    for (let hops = 0; hops < 12; hops += 1) {
      const response = await this.send(at);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${at} answered ${response.status}: ${await response.text()}`);
      at = new URL(location, at).href;
      if (at.startsWith(`${this.#base}/`)) return at;
    }
    throw new Error('the sign-in goes round in circles');
  }

  /** @returns the answer to the browser's return */
  async signIn(query = ''): Promise<Response> {
    return this.send(await this.follow(await this.begin(query)));
  }

  /** Who is signed in, as the pages ask. */
  async whoami(): Promise<{ readonly status: number; readonly name?: string; readonly role?: string }> {
    const response = await this.page('/key/info');
    const { info } = (await response.json()) as { info?: { key_name: string; role: string } };
    return { status: response.status, ...(info && { name: info.key_name, role: info.role }) };
  }
}
