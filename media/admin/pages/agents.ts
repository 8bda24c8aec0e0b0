import { type AgentRecord, AgentWrite } from '../../../sidecar/protocol/gateway/agent.ts';
import { t } from '../../shared/l10n.ts';
import { isMap } from '../form/drafts.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { list, none } from '../kit/format.ts';
import { badge, nameCell } from '../records/cells.ts';
import { grantLabels, limitLabels } from '../records/labels.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { openCard } from './agents/card.ts';

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

export const agents: RecordKind<AgentRecord> = {
  icon: 'robot',
  detail: 'agent',
  words: () => ({
    title: t('Agents'),
    intro: t(
      "A2A agents that callers can reach through this gateway by ID or name. The agents' keys never leave the gateway.",
    ),
    create: t('Add agent'),
    empty: t(
      "Add an agent by entering its address. The gateway fetches the agent card and publishes it with the gateway's own address.",
    ),
  }),
  list: (routes, signal) => routes.agents(signal),
  idOf: (it) => it.agent_id,
  nameOf: (it) => it.agent_name,
  columns: (open) => [
    {
      name: t('Agent'),
      isWide: true,
      sort: 'name',
      sortValue: (it) => it.agent_name,
      cell: (it) => nameCell(it.agent_name, text(it.agent_card_params['url']) ?? it.agent_id, () => open(it)),
    },
    { name: t('Description'), isWide: true, cell: (it) => text(it.agent_card_params['description']) ?? none },
    { name: t('Groups'), isText: true, cell: (it) => list(it.agent_access_groups) },
    {
      name: t('Trace ID'),
      cell: (it) => (it.gateway_params?.require_trace_id_on_calls_to_agent ? t('Required') : t('Not required')),
    },
    {
      name: t('Status'),
      cell: (it) =>
        it.gateway_params?.enabled === false
          ? badge('bad', 'circle-slash', t('Off'))
          : badge('good', 'pass', t('Active')),
    },
  ],
  actions: (row, { session }) => [
    { id: 'card', label: t('Card…'), icon: 'note', run: () => void openCard(session, row) },
  ],
  // The address and the rest of the card are fields of their own.
  values: (row) => ({ ...row, url: row.agent_card_params['url'], card: row.agent_card_params }),
  form: (lookups) => [
    {
      title: t('Agent'),
      fields: [
        ...fieldsOf(AgentWrite, { agent_name: { label: t('Name'), isRequired: true } }),
        {
          name: 'url',
          label: t('Address'),
          kind: 'text',
          isRequired: true,
          placeholder: 'https://example.com/a2a',
          help: t("The agent's address. The gateway fetches the agent card from there."),
        },
        ...fieldsOf(AgentWrite, { agent_access_groups: { label: t('Access groups') }, tags: { label: t('Tags') } }),
      ],
    },
    {
      title: t('Authentication'),
      fields: fieldsOf(AgentWrite, {
        'gateway_params.api_key': {
          label: t('API key'),
          kind: 'secret',
          help: t('Sent as "Authorization: Bearer …".'),
        },
        'gateway_params.custom_llm_provider': {
          label: t('Provider'),
          help: t('The provider that determines the authentication method.'),
        },
      }),
    },
    {
      title: t('Amazon Web Services'),
      isFor: (current) => String(current('gateway_params.custom_llm_provider')).toLowerCase().includes('bedrock'),
      fields: fieldsOf(AgentWrite, {
        'gateway_params.aws_region_name': { label: t('Region') },
        'gateway_params.aws_access_key_id': { label: t('Access key ID'), kind: 'secret' },
        'gateway_params.aws_secret_access_key': { label: t('Secret access key'), kind: 'secret' },
      }),
    },
    {
      title: t('Calls'),
      fields: fieldsOf(AgentWrite, {
        'gateway_params.enabled': { label: t('Enabled') },
        'gateway_params.require_trace_id_on_calls_to_agent': { label: t('Require a trace ID on calls to the agent') },
        'gateway_params.require_trace_id_on_calls_by_agent': { label: t('Require a trace ID on calls by the agent') },
        'gateway_params.cost_per_query': { label: t('Price per call'), help: t('US dollars.') },
        'gateway_params.timeout': { label: t('Call timeout'), help: t('Seconds.') },
        'gateway_params.static_headers': { label: t('Static headers') },
        'gateway_params.extra_headers': { label: t('Forwarded request headers') },
        'gateway_params.allow_private_network': { label: t('Allow private addresses') },
      }),
    },
    { title: t('Limits'), isFolded: true, fields: fieldsOf(AgentWrite, limitLabels()) },
    { title: t('Agent permissions'), isFolded: true, fields: fieldsOf(AgentWrite, grantLabels(lookups)) },
    {
      title: t('Card'),
      isFolded: true,
      fields: [
        { name: 'card', label: t('Card'), kind: 'json', help: t("In JSON format. Overrides the agent's own card.") },
      ],
    },
  ],
  initial: { gateway_params: { enabled: true } },
  save: (routes, { url, card, ...body }, row) => {
    const known = isMap(card) ? card : (row?.agent_card_params ?? {});
    const said =
      url === undefined && card === undefined
        ? {}
        : { agent_card_params: { ...known, ...(url !== undefined && { url }) } };
    return row ? routes.updateAgent(row.agent_id, { ...body, ...said }) : routes.createAgent({ ...body, ...said });
  },
  remove: (routes, it) => routes.deleteAgent(it.agent_id),
  removalNote: () => t('Callers will no longer be able to reach it. Its key will be deleted.'),
};
