import type { Localizer } from '../platform/localizer.ts';
import { isLoopback } from '../platform/loopback.ts';

/**
 * One spelling for one place. `undefined` for what nobody may be attached to: see {@link addressProblem}.
 * @returns without a slash at the end: `wss://build.example/agents`
 */
export function hostAddress(text: string): string | undefined {
  const url = parse(text);
  if (!url || problemOf({ t: (it) => it }, url) !== undefined) return undefined;
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

/** Why nobody may be attached to this, for a person; `undefined` when it can be tried. */
export function addressProblem(l10n: Localizer, text: string): string | undefined {
  const url = parse(text);
  return url
    ? problemOf(l10n, url)
    : l10n.t('This is not a valid address. Example: wss://host.example or ws://127.0.0.1:7000');
}

/** Why this cannot be the token of a host, for a person. It travels in a header, and `serve` takes no shorter one. */
export function tokenProblem(l10n: Localizer, token: string): string | undefined {
  if (token.length < 16) return l10n.t('A token must be at least 16 characters long.');
  return /^[\x21-\x7e]+$/.test(token) ? undefined : l10n.t('A token must contain only ASCII characters and no spaces.');
}

function parse(text: string): URL | undefined {
  return URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
}

function problemOf(l10n: Localizer, url: URL): string | undefined {
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') return l10n.t('The address must begin with wss:// or ws://.');
  if (url.protocol === 'ws:' && !isLoopback(url.hostname))
    return l10n.t(
      'Use wss:// for other machines so that the connection is encrypted. ws:// works only on this machine.',
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return l10n.t('The address must not contain a username, a token, or a query string. Enter the token separately.');
  return undefined;
}
