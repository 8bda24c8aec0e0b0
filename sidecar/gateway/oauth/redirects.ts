import { OAuthRefusal } from './refusal.ts';

export const MAX_REDIRECT_CHARACTERS = 1_024;
const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether codes may be sent there: https, this machine in any port (RFC 8252 7.3), or an address that an administrator
 * trusts, which may have a scheme of its own.
 *
 * @throws {OAuthRefusal} `invalid_redirect_uri`
 */
export function checkRedirect(uri: string, trusted: readonly string[]): void {
  if (uri.length > MAX_REDIRECT_CHARACTERS || /[\s\p{C}\\#]/u.test(uri) || !URL.canParse(uri)) throw refused(uri);
  if (trusted.includes(uri)) return;
  const url = new URL(uri);
  const isBare = url.username === '' && url.password === '';
  if (!isBare || !(url.protocol === 'https:' || isLoopback(url))) throw refused(uri);
}

/** Exactly as it was registered; on this machine any port will do, since programs take a free one. */
export function isSameRedirect(registered: string, asked: string): boolean {
  if (registered === asked) return true;
  if (!URL.canParse(registered) || !URL.canParse(asked)) return false;
  const [one, other] = [new URL(registered), new URL(asked)];
  return isLoopback(one) && isLoopback(other) && withoutPort(one) === withoutPort(other);
}

/** Leads to a program of the person who asks, or to what an administrator trusts: nobody is lured elsewhere through us. */
export function isNear(uri: string, trusted: readonly string[]): boolean {
  return trusted.includes(uri) || isLoopback(new URL(uri));
}

/** For people: where the answer goes. */
export function placeName(uri: string): string {
  const url = new URL(uri);
  if (isLoopback(url)) return `this machine (${url.host})`;
  return url.protocol === 'https:' ? url.host : `${url.protocol}//${url.host}`;
}

const isLoopback = ({ protocol, hostname, username, password }: URL): boolean =>
  protocol === 'http:' && loopback.has(hostname) && username === '' && password === '';

const withoutPort = ({ protocol, hostname, pathname, search }: URL) => `${protocol}//${hostname}${pathname}${search}`;

const refused = (uri: string) =>
  new OAuthRefusal(
    'invalid_redirect_uri',
    `The redirect address '${uri.slice(0, 100)}' must use https, or http on this machine, and must not contain a username or a fragment.`,
  );
