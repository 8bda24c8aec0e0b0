import type { AgentRecord } from '../../../sidecar/protocol/gateway/agent.ts';
import type { McpServerAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { moneyText } from '../../platform/counts.ts';
import type { Localizer } from '../../platform/localizer.ts';
import type { KeyRow } from './nodes.ts';

export const serverLabel = ({ alias, server_name, server_id }: McpServerAnswer) => alias ?? server_name ?? server_id;
export const agentLabel = ({ agent_name }: AgentRecord) => agent_name;

export function keyDescription(l10n: Localizer, key: KeyRow): string {
  const parts = [
    ...(key.blocked ? [l10n.t('blocked')] : []),
    ...(key.isOfSession ? [l10n.t('session')] : []),
    ...(key.expires ? [l10n.t('expires {0}', key.expires.slice(0, 10))] : []),
    spentText(l10n, key),
    ...(key.label === key.key_name ? [] : [key.key_name]),
  ];
  return parts.join(' · ');
}

/** What was spent, and of how much where there is a limit. */
export function spentText(
  l10n: Localizer,
  {
    spend,
    max_budget,
  }: { readonly spend?: number | null | undefined; readonly max_budget?: number | null | undefined },
): string {
  const spent = moneyText(spend ?? 0);
  return max_budget === null || max_budget === undefined ? spent : l10n.t('{0} of {1}', spent, moneyText(max_budget));
}
