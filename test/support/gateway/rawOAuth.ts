import { createHash, randomBytes } from 'node:crypto';
import type { PageBrowser, Shown } from './pageBrowser.ts';

type Fields = Readonly<Record<string, string | undefined>>;
export interface TokenAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>> & { readonly access_token: string; readonly refresh_token: string };
}

/** Speaks OAuth by hand, so that a test can say anything at all. */
export class RawOAuth {
  readonly base: string;
  readonly redirect: string;
  readonly verifier = randomBytes(32).toString('base64url');
  readonly challenge = createHash('sha256').update(this.verifier).digest('base64url');
  clientId = '';
  clientSecret: string | undefined;

  constructor(base: string, redirect = 'http://127.0.0.1:9/callback') {
    this.base = base;
    this.redirect = redirect;
  }

  async register(more: object = {}): Promise<this> {
    const body = { redirect_uris: [this.redirect], client_name: 'Raw', token_endpoint_auth_method: 'none', ...more };
    const response = await fetch(`${this.base}/register`, { method: 'POST', body: JSON.stringify(body) });
    const json = (await response.json()) as { client_id: string; client_secret?: string };
    this.clientId = json.client_id;
    this.clientSecret = json.client_secret;
    return this;
  }

  /** A request in order; `undefined` leaves a parameter out. */
  authorizeUrl(changes: Fields = {}, prefix = ''): string {
    const all: Fields = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirect,
      state: 's1',
      code_challenge: this.challenge,
      code_challenge_method: 'S256',
      resource: `${this.base}/mcp`,
      ...changes,
    };
    return `${this.base}${prefix}/authorize?${formOf(all)}`;
  }

  /** Signs in where that is asked, and allows. @returns what the client is told */
  async allow(browser: PageBrowser, key: string, changes: Fields = {}, prefix = ''): Promise<URLSearchParams> {
    const back = await browser.send(await this.consent(browser, key, changes, prefix), { answer: 'allow' });
    if (!back.url.startsWith(this.redirect)) throw new Error(`${back.url} shows: ${back.text}`);
    return new URL(back.url).searchParams;
  }

  async consent(browser: PageBrowser, key: string, changes: Fields = {}, prefix = ''): Promise<Shown> {
    const page = await browser.open(this.authorizeUrl(changes, prefix));
    return page.text.includes('name="key"') ? browser.send(page, { key }) : page;
  }

  redeem(code: string | null, changes: Fields = {}): Promise<TokenAnswer> {
    return this.token({
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: this.redirect,
      code_verifier: this.verifier,
      ...changes,
    });
  }

  refresh(refreshToken: string, changes: Fields = {}): Promise<TokenAnswer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
  }

  async token(fields: Fields, headers: Record<string, string> = {}): Promise<TokenAnswer> {
    const body = formOf({ client_id: this.clientId, client_secret: this.clientSecret, ...fields });
    const response = await this.post('/token', body, headers);
    return { status: response.status, json: (await response.json()) as TokenAnswer['json'] };
  }

  post(path: string, form: string, headers: Record<string, string> = {}): Promise<Response> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return fetch(`${this.base}${path}`, { method: 'POST', body: form, headers: { ...type, ...headers } });
  }

  /** `tools/list` with a token or key: the status, the challenge, and the names. */
  async list(path: string, credential: string, base = this.base, headers: Record<string, string> = {}) {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${credential}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    const text = await response.text();
    return { status: response.status, challenge: response.headers.get('www-authenticate'), text };
  }
}

export function formOf(fields: Fields): string {
  const given = Object.entries(fields).filter((it): it is [string, string] => it[1] !== undefined);
  return new URLSearchParams(given).toString();
}
