import type { AlertDeliveryAnswer } from '../../../../sidecar/protocol/gateway/alerts/answers.ts';
import { type AlertKind, alertKinds } from '../../../../sidecar/protocol/gateway/alerts/event.ts';
import type { AlertTargetType } from '../../../../sidecar/protocol/gateway/alerts/target.ts';
import { t } from '../../../shared/l10n.ts';
import type { Option } from '../../kit/select.ts';

const kindLabels = (): Readonly<Record<AlertKind | 'test', string>> => ({
  soft_budget_crossed: t('Soft budget exceeded'),
  budget_exceeded: t('Call refused because of a budget'),
  server_down: t('MCP server stopped responding'),
  server_up: t('MCP server responds again'),
  tool_definition_changed: t('Tool definition changed'),
  guardrail_block: t('Call blocked by a guardrail'),
  error_rate: t('Error rate is high'),
  key_expiring: t('Key expires soon'),
  certificate_expiring: t('Certificate expires soon'),
  test: t('Test alert'),
});
export const kindLabel = (kind: AlertDeliveryAnswer['type']): string => kindLabels()[kind];
export const kindOptions = (): readonly Option[] => alertKinds.map((it) => ({ value: it, label: kindLabel(it) }));

export const typeLabels = (): Readonly<Record<AlertTargetType, string>> => ({
  webhook: t('Webhook'),
  slack: 'Slack',
  teams: 'Microsoft Teams',
  email: t('Email'),
});
