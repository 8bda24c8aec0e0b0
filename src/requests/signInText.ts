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
      ? l10n.t('A token for {0} is asked for.', resource)
      : l10n.t('{0} asks for a token for {1}. It can act there as you.', agent, resource),
    ...(issuer === undefined ? [] : [l10n.t('You sign in at {0}.', issuer)]),
    ...(scopes.length === 0 ? [] : [l10n.t('It is asked to allow: {0}', scopes.join(', '))]),
    ...(policy === undefined ? [] : [l10n.t('How it uses data: {0}', policy)]),
    l10n.t("The token is kept in the editor's secret storage, and by the host in memory only. You can sign out again."),
  ];
  return { message: l10n.t('Sign in to {0}?', name ?? resource), detail: lines.join('\n') };
}
