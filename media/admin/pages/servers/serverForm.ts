import type { TemplateResult } from 'lit';
import { McpServerCreate } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import { t } from '../../../shared/l10n.ts';
import type { Values } from '../../form/collect.ts';
import { isMap } from '../../form/drafts.ts';
import { type FieldLabels, type FormGroup, fieldsOf } from '../../form/formSpec.ts';
import type { Lookups } from '../../records/lookups.ts';
import { apiFields, openApi, operationsGroup, transportOptions } from './apiFields.ts';
import { authFields, authOptions } from './authFields.ts';

/** What decides which fields there are. */
export interface ServerChoices {
  readonly transport: string;
  readonly authType: string;
  readonly flow: string;
}

/** Credentials can be written and never read, so what is kept of them is not in the form. */
export function groupsOfServer(
  { transport, authType, flow }: ServerChoices,
  { accessGroups }: Lookups,
  preview?: TemplateResult,
): readonly FormGroup[] {
  const auth = authFields(authType, flow);
  return [
    {
      title: t('Server'),
      fields: fieldsOf(McpServerCreate, {
        server_name: {
          label: t('Name'),
          isRequired: true,
          help: t("The prefix for the server's tools, as in name__tool."),
        },
        alias: { label: t('Alias'), help: t('Used instead of the name, including in x-mcp-{alias}-{header}.') },
        description: { label: t('Description'), kind: 'text' },
        transport: {
          label: t('Transport'),
          isRequired: true,
          options: transportOptions,
          help: t('HTTP: streamable HTTP. SSE: the older transport. stdio: a command. OpenAPI: an API without MCP.'),
        },
        ...placeFields(transport),
      }),
    },
    ...(transport === openApi ? [operationsGroup(preview)] : []),
    {
      title: t('Authentication'),
      fields: fieldsOf(McpServerCreate, {
        auth_type: { label: t('Authentication'), isRequired: true, options: authOptions() },
        ...auth,
      }),
    },
    accessGroup(accessGroups),
    {
      title: t('More'),
      isFolded: true,
      fields: fieldsOf(McpServerCreate, {
        static_headers: {
          label: t('Static headers'),
          help: t("These headers override the caller's headers. Stored values are not shown."),
        },
        extra_headers: { label: t('Forwarded request headers') },
        timeout: { label: t('Call timeout'), help: t('Seconds.') },
        max_concurrent_requests: { label: t('Concurrent calls') },
        allow_private_network: { label: t('Allow private addresses') },
        list_cache_ttl_s: {
          label: t('Keep lists'),
          help: t('Seconds. 0: never. If empty: as long as the server says.'),
        },
        ...resilienceFields(),
        guardrails: { label: t('Guardrails') },
        tags: {
          label: t('Tags'),
          help: t('If several servers have the same name, the gateway uses the one whose tags match the call.'),
        },
        mcp_info: {
          label: t('Pricing and metadata'),
          help: t('Example: {"mcp_server_cost_info": {"default_cost_per_query": 0.01}}'),
        },
        instructions: { label: t('Instructions for clients') },
      }),
    },
  ];
}

/** When requests are repeated, and when they are refused because the server fails. */
const resilienceFields = () => ({
  'retry.attempts': {
    label: t('Attempts'),
    help: t('How often a request is sent at most. Only requests that can safely be repeated are. If empty: once.'),
  },
  'retry.backoff_ms': { label: t('Pause before a retry'), help: t('Milliseconds. It doubles with each retry.') },
  'retry.max_backoff_ms': { label: t('Longest pause'), help: t('Milliseconds.') },
  'retry.budget_percent': { label: t('Retry budget'), help: t('Percentage of the requests to the server.') },
  'circuit_breaker.failures': {
    label: t('Failures that open the circuit'),
    help: t('While the circuit is open, requests are refused at once.'),
  },
  'circuit_breaker.failure_percent': {
    label: t('Failure rate that opens the circuit'),
    help: t('Percentage of the requests in the window.'),
  },
  'circuit_breaker.minimum_requests': {
    label: t('Minimum requests'),
    help: t('The failure rate applies only if the window has this number of requests.'),
  },
  'circuit_breaker.window_s': { label: t('Circuit window'), help: t('Seconds.') },
  'circuit_breaker.open_s': {
    label: t('Circuit pause'),
    help: t('Seconds until one request tries whether the server responds again.'),
  },
});

/** Where a server is. */
function placeFields(transport: string): Readonly<Record<string, FieldLabels>> {
  if (transport === openApi) return apiFields();
  if (transport !== 'stdio')
    return { url: { label: t('Address'), isRequired: true, placeholder: 'https://example.com/mcp' } };
  return {
    command: {
      label: t('Command'),
      isRequired: true,
      help: t('The gateway configuration must allow this command.'),
    },
    args: { label: t('Arguments') },
    env: { label: t('Environment variables'), help: t('Stored values are not shown.') },
    'stdio.share': {
      label: t('Shared processes'),
      options: [
        { value: 'session', label: t('Each session has its own process') },
        { value: 'key', label: t('Sessions of a key share a process') },
        { value: 'all', label: t('All keys share a process') },
      ],
      help: t(
        'Only sessions of clients with the same capabilities share a process. If all keys share one, MCP tasks are not available. If not set, sessions of a key share a process until the server asks its client for sampling, roots, or user input.',
      ),
    },
  };
}

/**
 * Credentials go only where one was entered: an empty field keeps what is stored. What another transport needed goes, and
 * a command has arguments, if only none.
 */
export function serverBody(body: Record<string, unknown>, kept?: Values): Record<string, unknown> {
  const { credentials, ...rest } = body;
  const transport = rest['transport'];
  if (transport === openApi) rest['transport'] = 'http';
  else if (transport !== undefined && kept?.['spec_path']) Object.assign(rest, { spec_path: null, openapi: null });
  if (transport === 'stdio') {
    rest['args'] ??= kept?.['args'] ?? [];
    if (kept?.['url']) rest['url'] = null;
  } else if (transport !== undefined && kept?.['command']) {
    Object.assign(rest, { command: null, args: null, env: null, ...(kept['stdio'] ? { stdio: null } : {}) });
  }
  if (!isMap(credentials)) return rest;
  const entered = Object.fromEntries(Object.entries(credentials).filter((it) => it[1] !== null && it[1] !== ''));
  return Object.keys(entered).length === 0 ? rest : { ...rest, credentials: entered };
}

/** Who may use a server, and who may ask for it. */
const accessGroup = (accessGroups: Lookups['accessGroups']): FormGroup => ({
  title: t('Who can use it'),
  fields: fieldsOf(McpServerCreate, {
    mcp_access_groups: {
      label: t('Access groups'),
      help: accessGroups.length > 0 ? t('Available: {0}.', accessGroups.map((it) => it.value).join(', ')) : '',
    },
    listed_in_catalog: {
      label: t('Listed in the catalog'),
      help: t(
        'Callers that may not use the server see its name, description, health, and owners, and can request access.',
      ),
    },
    owners: { label: t('Owners'), help: t('Whom to ask about the server. Shown in the catalog.') },
    allow_all_keys: {
      label: t('Available to every key'),
      help: t('Organization or team limits can still prevent calls.'),
    },
    allowed_tools: { label: t('Allowed tools') },
    disallowed_tools: { label: t('Blocked tools'), help: t('Overrides the list above.') },
    allowed_params: {
      label: t('Allowed arguments'),
      help: t('The arguments allowed for each tool. Any others are rejected.'),
    },
  }),
});
