import { createHash } from 'node:crypto';
import type { Runtime } from '../../platform/runtime.ts';
import { randomWord } from '../backends/oauth/pkce.ts';

/** How long a person may take on one page. */
export const PAGE_MS = 10 * 60_000;

/** The value of a cookie; `undefined` where the browser sent none of that name, or an empty one. */
export function cookieOf(cookies: string | undefined, name: string): string | undefined {
  const found = (cookies ?? '')
    .split(';')
    .map((it) => it.trim())
    .find((it) => it.startsWith(`${name}=`));
  return found?.slice(name.length + 1) || undefined;
}

/** What ties a form to the browser that it was shown in. */
export interface BrowserMark {
  /** SHA-256 of the mark: for a sealed form. */
  readonly digest: string;
  /** The value of `Set-Cookie`. */
  readonly cookie: string;
}

/** The browser's mark, or a new one. It stays the same for all pages that are open in it. */
export function markBrowser(
  cookies: string | undefined,
  baseUrl: string,
  { random }: Pick<Runtime, 'random'>,
): BrowserMark {
  const name = markName(baseUrl);
  const known = cookieOf(cookies, name);
  const word = known !== undefined && /^[\w-]{43}$/.test(known) ? known : randomWord(random);
  return {
    digest: digestOf(word),
    cookie: `${name}=${word}; Max-Age=${PAGE_MS / 1_000}${attributes(baseUrl, 'Strict')}`,
  };
}

/** The digest of the mark that a browser sent. */
export function markOf(cookies: string | undefined, baseUrl: string): string | undefined {
  const word = cookieOf(cookies, markName(baseUrl));
  return word === undefined ? undefined : digestOf(word);
}

/** The cookie of one sign-in at a server's authorization server; several may be under way in a browser. */
export const flowCookieName = (state: string): string => `switchboard_flow_${digestOf(state).slice(0, 12)}`;

/** Lax: the authorization server sends the browser back from another site. */
export const flowCookie = (state: string, word: string, baseUrl: string): string =>
  `${flowCookieName(state)}=${word}; Max-Age=${PAGE_MS / 1_000}${attributes(baseUrl, 'Lax')}`;

export const endOfFlowCookie = (state: string, baseUrl: string): string =>
  `${flowCookieName(state)}=; Max-Age=0${attributes(baseUrl, 'Lax')}`;

const isSecure = (baseUrl: string) => baseUrl.startsWith('https:');
/** With TLS a name that no other host of the domain can set. */
const markName = (baseUrl: string) => `${isSecure(baseUrl) ? '__Host-' : ''}switchboard_page`;
const attributes = (baseUrl: string, sameSite: 'Strict' | 'Lax') =>
  `; Path=/; HttpOnly; SameSite=${sameSite}${isSecure(baseUrl) ? '; Secure' : ''}`;
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
