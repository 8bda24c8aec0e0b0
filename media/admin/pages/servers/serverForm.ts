import { McpServerCreate } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import { t } from '../../../shared/l10n.ts';
import type { Values } from '../../form/collect.ts';
import { isMap } from '../../form/drafts.ts';
import { type FormGroup, fieldsOf } from '../../form/formSpec.ts';
import type { Lookups } from '../../records/lookups.ts';
import { authFields } from './authFields.ts';

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
): readonly FormGroup[] {
  const isProcess = transport === 'stdio';
  const auth = authFields(authType, flow);
  return [
    {
      title: t('Server'),
      fields: fieldsOf(McpServerCreate, {
        server_name: { label: t('Name'), isRequired: true, help: t('Stands in front of its tools, as name__tool.') },
        alias: { label: t('Alias'), help: t('Instead of the name, also in x-mcp-{alias}-{header}.') },
        description: { label: t('Description'), kind: 'text' },
        transport: {
          label: t('Transport'),
          isRequired: true,
          help: t('http: streamable HTTP. sse: the older one. stdio: a command.'),
        },
        ...(isProcess
          ? {
              command: {
                label: t('Command'),
                isRequired: true,
                help: t('Must be among the commands that the configuration allows.'),
              },
              args: { label: t('Arguments') },
              env: { label: t('Environment'), help: t('Values are kept and not shown.') },
            }
          : { url: { label: t('Address'), isRequired: true, placeholder: 'https://example.com/mcp' } }),
      }),
    },
    {
      title: t('How the gateway signs in'),
      fields: fieldsOf(McpServerCreate, { auth_type: { label: t('Auth type'), isRequired: true }, ...auth }),
    },
    {
      title: t('Who may use it'),
      fields: fieldsOf(McpServerCreate, {
        mcp_access_groups: {
          label: t('Access groups'),
          help: accessGroups.length > 0 ? t('There are: {0}.', accessGroups.map((it) => it.value).join(', ')) : '',
        },
        allow_all_keys: { label: t('Every key may use it'), help: t('As far as no ceiling forbids it.') },
        allowed_tools: { label: t('Only these tools') },
        disallowed_tools: { label: t('Never these tools'), help: t('Wins over the list above.') },
        allowed_params: { label: t('Only these arguments'), help: t('By tool. Others are refused.') },
      }),
    },
    {
      title: t('More'),
      isFolded: true,
      fields: fieldsOf(McpServerCreate, {
        static_headers: {
          label: t('Headers that are always sent'),
          help: t('They win over what callers pass. Values are kept and not shown.'),
        },
        extra_headers: { label: t('Headers of callers that are passed on') },
        timeout: { label: t('Time limit of a call'), help: t('Seconds.') },
        max_concurrent_requests: { label: t('Calls at the same time') },
        allow_private_network: { label: t('May be on this machine or in a private network') },
        guardrails: { label: t('Guardrails') },
        tags: {
          label: t('Tags'),
          help: t('Among several servers with one name, the one whose tags match the call’s is taken.'),
        },
        mcp_info: {
          label: t('Prices and facts'),
          help: t('As {"mcp_server_cost_info": {"default_cost_per_query": 0.01}}.'),
        },
        instructions: { label: t('Instructions for clients') },
      }),
    },
  ];
}

/**
 * Credentials go only where one was entered: an empty field keeps what is stored. What another transport needed goes, and
 * a command has arguments, if only none.
 */
export function serverBody(body: Record<string, unknown>, kept?: Values): Record<string, unknown> {
  const { credentials, ...rest } = body;
  const transport = rest['transport'];
  if (transport === 'stdio') {
    rest['args'] ??= kept?.['args'] ?? [];
    if (kept?.['url']) rest['url'] = null;
  } else if (transport !== undefined && kept?.['command']) {
    Object.assign(rest, { command: null, args: null, env: null });
  }
  if (!isMap(credentials)) return rest;
  const entered = Object.fromEntries(Object.entries(credentials).filter((it) => it[1] !== null && it[1] !== ''));
  return Object.keys(entered).length === 0 ? rest : { ...rest, credentials: entered };
}
