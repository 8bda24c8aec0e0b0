import type { TemplateResult } from 'lit';
import type { AuditLine } from '../../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../../shared/l10n.ts';
import { shortHash } from '../../kit/format.ts';
import type { Option } from '../../kit/select.ts';
import { badge } from '../../records/cells.ts';

/** What is kept in the audit, by the gateway's names for it. */
export const kinds = (): readonly Option[] => [
  { value: 'key', label: t('Key') },
  { value: 'team', label: t('Team') },
  { value: 'organization', label: t('Organization') },
  { value: 'user', label: t('User') },
  { value: 'invitation', label: t('Invitation') },
  { value: 'end_user', label: t('End user') },
  { value: 'budget', label: t('Budget') },
  { value: 'mcp_server', label: t('MCP server') },
  { value: 'pin', label: t('Approved tools') },
  { value: 'tool', label: t('Tool') },
  { value: 'access_request', label: t('Access request') },
  { value: 'toolset', label: t('Toolset') },
  { value: 'agent', label: t('Agent') },
  { value: 'model', label: t('Model') },
  { value: 'credential', label: t('Credential') },
  { value: 'access_group', label: t('Access group') },
  { value: 'guardrail', label: t('Guardrail') },
  { value: 'alert_rule', label: t('Alert rule') },
  { value: 'alert_target', label: t('Alert target') },
  { value: 'alert_delivery', label: t('Alert delivery') },
  { value: 'scim_token', label: t('SCIM token') },
  { value: 'call_content', label: t('Request and response') },
];
export const kindLabel = (kind: string): string => kinds().find((it) => it.value === kind)?.label ?? kind;

export const actions = (): readonly Option[] => [
  { value: 'created', label: t('Created') },
  { value: 'updated', label: t('Changed') },
  { value: 'deleted', label: t('Deleted') },
  { value: 'blocked', label: t('Blocked') },
  { value: 'unblocked', label: t('Unblocked') },
  { value: 'rotated', label: t('Rotated') },
  { value: 'approved', label: t('Approved') },
  { value: 'rejected', label: t('Rejected') },
  { value: 'read', label: t('Read') },
  { value: 'drift', label: t('Tool changed') },
  { value: 'soft_budget_crossed', label: t('Soft budget exceeded') },
];
const looks: Readonly<Record<string, readonly ['good' | 'bad' | 'warn' | 'quiet', string]>> = {
  created: ['good', 'add'],
  deleted: ['bad', 'trash'],
  blocked: ['bad', 'circle-slash'],
  unblocked: ['good', 'pass'],
  rotated: ['quiet', 'sync'],
  approved: ['good', 'pass'],
  rejected: ['bad', 'circle-slash'],
  read: ['quiet', 'eye'],
  drift: ['warn', 'warning'],
  soft_budget_crossed: ['warn', 'warning'],
};
export function actionCell({ action }: AuditLine): TemplateResult {
  const [kind, name] = looks[action] ?? ['quiet', 'edit'];
  return badge(kind, name, actions().find((it) => it.value === action)?.label ?? action);
}

/** The name that the record had, else its id. */
export function objectLabel({ before_value, updated_values }: AuditLine, id: string): string {
  for (const it of [updated_values, before_value]) {
    if (typeof it !== 'object' || it === null) continue;
    const named = Object.entries(it).find(
      ([name, value]) => nameFields.has(name) && typeof value === 'string' && value,
    );
    if (named) return String(named[1]);
  }
  return /^[0-9a-f]{64}$/.test(id) ? shortHash(id) : id;
}
const nameFields = new Set([
  'key_alias',
  'team_alias',
  'organization_alias',
  'user_alias',
  'alias',
  'server_name',
  'toolset_name',
  'agent_name',
  'credential_name',
  'invitation_alias',
]);
