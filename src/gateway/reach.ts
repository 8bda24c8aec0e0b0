import type { Localizer } from '../platform/localizer.ts';

/** Why an address that a person gave did not answer, and what helps. Without a full stop, to stand after a colon. */
export function whyUnreachable(l10n: Localizer, thrown: unknown): string {
  switch (codeOf(thrown)) {
    case 'ECONNREFUSED':
      return l10n.t('nothing is listening there. Start the program, or correct the address');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return l10n.t('the hostname was not found. Check the address');
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return l10n.t('the machine cannot be reached. Check the network or VPN');
    case 'TimeoutError':
      return l10n.t('it did not respond in time. Try again later');
    default:
      return codeOf(thrown) ?? String(thrown);
  }
}

/** `fetch failed` says nothing; what it holds does. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return codeOf(thrown.cause) ?? (thrown.name === 'TimeoutError' ? thrown.name : thrown.message);
}
