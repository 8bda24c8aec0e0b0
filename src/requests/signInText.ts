import type { ProtectedResourceMetadata } from '../../sidecar/protocol/shared.ts';
import type { Localizer } from '../platform/localizer.ts';

/** What a person reads before they sign in: who asks, for what, where, and what becomes of the token. */
export function consentText(
  l10n: Localizer,
  {
    resource,
    resource_name: name,
    scopes_supported: scopes = [],
    resource_policy_uri: policy,
  }: ProtectedResourceMetadata,
  agent: string | undefined,
  issuer: string | undefined,
): { readonly message: string; readonly detail: string } {
  const lines = [
    agent === undefined
      ? l10n.t('{0} needs a token.', resource)
      : l10n.t('{0} needs a token for {1}. The token lets the agent act on your behalf.', agent, resource),
    ...(issuer === undefined ? [] : [l10n.t('You will sign in at {0}.', issuer)]),
    ...(scopes.length === 0 ? [] : [l10n.t('Allow: {0}', scopes.join(', '))]),
    ...(policy === undefined ? [] : [l10n.t('Privacy policy: {0}', policy)]),
    l10n.t('The token is stored in Secret Storage. The host keeps it only in memory. You can sign out at any time.'),
  ];
  return { message: l10n.t('Sign in to {0}?', name ?? resource), detail: lines.join('\n') };
}
