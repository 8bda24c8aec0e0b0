import { type AlertEvent, alertKinds } from '../../../protocol/gateway/alerts/event.ts';
import { type AlertRuleRecord, alertDefaults } from '../../../protocol/gateway/alerts/rule.ts';
import type { Way } from '../../storage/alerts/alertDeliveries.ts';
import type { UnroutedEvent } from '../../storage/alerts/alertOutbox.ts';

/** The rules that report an event, and where. @param muted names of rules */
export function waysOf(
  { rule: only, event }: UnroutedEvent,
  rules: readonly AlertRuleRecord[],
  muted: { readonly has: (rule: string) => boolean },
): readonly Way[] {
  return rules
    .filter((it) => (only === null || it.rule_name === only) && !muted.has(it.rule_name) && isReported(it, event))
    .map(({ rule_name, targets, group_minutes }) => ({
      rule: rule_name,
      targets,
      groupMs: (group_minutes ?? alertDefaults.group_minutes) * 60_000,
    }));
}

function isReported(rule: AlertRuleRecord, { type, subject, facts }: AlertEvent): boolean {
  if (!alertKinds.some((it) => it === type && rule.events.includes(it))) return false;
  if (!rule.servers || rule.servers.length === 0) return true;
  const server = subject.type === 'mcp_server' ? subject.id : facts['server_id'];
  return typeof server !== 'string' || rule.servers.includes(server);
}
