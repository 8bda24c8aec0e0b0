import { allCloudAgents, modelWords } from '../../../sidecar/protocol/gateway/objectPermission.ts';
import { t } from '../../shared/l10n.ts';
import type { FieldLabels } from '../form/formSpec.ts';
import type { Lookups } from './lookups.ts';

/** Fields that keys, teams, organisations, end users, agents and budgets share. */
export const limitLabels = (): Record<string, FieldLabels> => ({
  max_budget: { label: t('Budget'), help: t('In US dollars. Once this amount is spent, calls are rejected.') },
  budget_duration: {
    label: t('Budget period'),
    placeholder: t('Never resets'),
    help: t('For example, 1h, 24h, 7d, or 30d. If empty, the budget never resets.'),
  },
  soft_budget: {
    label: t('Soft budget'),
    help: t('In US dollars. If spend exceeds this amount, it is reported, but calls continue.'),
  },
  rpm_limit: { label: t('Requests per minute') },
  tpm_limit: { label: t('Tokens per minute') },
  max_parallel_requests: { label: t('Concurrent requests') },
  budget_limits: {
    label: t('Additional budgets'),
    kind: 'rows',
    columns: [
      { name: 'max_budget', label: t('Budget'), kind: 'number', placeholder: t('For example, {0}', '5') },
      { name: 'budget_duration', label: t('Budget period'), kind: 'text', placeholder: t('For example, {0}', '24h') },
    ],
    help: t('Each applies in addition to the budget above.'),
  },
});

/** Where calls may come from. */
export const ipLabel = (): FieldLabels => ({
  label: t('Allowed IP addresses'),
  placeholder: '10.0.0.0/8',
  help: t(
    'IP addresses and networks. If empty, calls can come from any address. If a key and its team both have a list, both apply.',
  ),
});

/** What is never stored of calls. */
export const contentLabel = (): FieldLabels => ({
  label: t('Never store requests and responses'),
  help: t('Applies even if the gateway stores those of other calls.'),
});

/** What a record may use. Prefixed, since it is a member of the record. */
export const grantLabels = (lookups: Lookups): Record<string, FieldLabels> => ({
  ...modelLabels(lookups),
  ...toolLabels(lookups),
});

const modelLabels = ({ models }: Lookups): Record<string, FieldLabels> => ({
  'object_permission.models': {
    label: t('Models'),
    kind: 'grant',
    options: [{ value: modelWords.all, label: t('All models, also those added later') }, ...models],
    others: t('Another name or pattern, for example gpt-5*'),
    help: t('If neither a key nor its team lists models, a standalone gateway allows none.'),
  },
});

/** A list beside `object_permission`, which LiteLLM's clients set. */
export const plainModelLabels = (): Record<string, FieldLabels> => ({
  models: {
    label: t('Additional models'),
    help: t(
      "The list that LiteLLM's clients set. The models above and these are allowed. An empty list has no effect.",
    ),
  },
});

const toolLabels = ({
  servers,
  serverTools,
  accessGroups,
  agents,
  agentGroups,
  toolsets,
}: Lookups): Record<string, FieldLabels> => ({
  'object_permission.mcp_servers': { label: t('MCP servers'), kind: 'grant', options: servers },
  'object_permission.mcp_access_groups': { label: t('MCP access groups'), kind: 'grant', options: accessGroups },
  'object_permission.agents': { label: t('Agents'), kind: 'grant', options: withCloudAgents(agents) },
  'object_permission.agent_access_groups': {
    label: t('Agent access groups'),
    kind: 'grant',
    options: agentGroups,
    others: t('Another group'),
  },
  'object_permission.mcp_tool_permissions': {
    label: t('Tools per server'),
    kind: 'toolPicks',
    options: serverTools,
    help: t('Limit servers to specific tools. All tools on other servers stay available.'),
  },
  'object_permission.mcp_toolsets': { label: t('Toolsets'), kind: 'picks', options: toolsets },
});

/** The service is granted like an agent. One that is registered under its name takes the name. */
function withCloudAgents(agents: Lookups['agents']): Lookups['agents'] {
  if (agents.some((it) => it.value === allCloudAgents || it.label === allCloudAgents)) return agents;
  return [...agents, { value: allCloudAgents, label: t('All cloud agents') }];
}

export const peopleLabels = ({ organizations, teams, budgets }: Lookups) => ({
  team: { label: t('Team'), kind: 'record' as const, options: teams, unset: t('No team') },
  organization: {
    label: t('Organization'),
    kind: 'record' as const,
    options: organizations,
    unset: t('No organization'),
  },
  budget: {
    label: t('Named budget'),
    kind: 'record' as const,
    options: budgets,
    unset: t('No named budget'),
    help: t('Apply the limits from one of the budgets on the Budgets page.'),
  },
});
