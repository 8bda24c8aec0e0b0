import { html, nothing, type TemplateResult } from 'lit';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import { t } from '../../../shared/l10n.ts';
import type { Session } from '../../kit/adminElement.ts';
import { copyable } from '../../kit/copyable.ts';
import { openDialog } from '../../kit/dialog.ts';
import { count, duration, list, moment, money, none } from '../../kit/format.ts';
import { failure } from '../../kit/notice.ts';

/** What people call the key and the team of a call; the ID where they gave no name. */
export interface LogNames {
  readonly key: string;
  readonly team: string;
}

/** Everything that is kept of one call. */
export function openLog({ place }: Session, it: SpendLog, names: LogNames): void {
  openDialog({
    title: it.model || it.call_type,
    shape: 'side',
    body: () => html`
      ${failure(it.error ?? undefined)}
      ${copyable(place, t('Request ID'), it.request_id)}
      <dl class="facts">${facts(it, names).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
      ${
        Object.keys(it.metadata).length > 0
          ? html`<h3>${t('Metadata')}</h3><pre class="code" tabindex="0">${JSON.stringify(it.metadata, null, 2)}</pre>`
          : nothing
      }`,
  });
}

function facts(it: SpendLog, names: LogNames): readonly (readonly [string, string | TemplateResult])[] {
  return [
    [t('Status'), it.status === 'success' ? t('Success') : t('Failed')],
    [t('Started'), moment(it.startTime)],
    [t('Duration'), duration(it.request_duration_ms)],
    [t('Endpoint'), html`<code>${it.endpoint}</code>`],
    [t('Call type'), it.call_type],
    [t('Tool'), it.mcp_namespaced_tool_name ?? none],
    [t('Provider'), it.custom_llm_provider ?? none],
    [t('API base'), it.api_base ?? none],
    [t('Spend'), money(it.spend)],
    [
      t('Tokens'),
      t('{0} in, {1} out, {2} total', count(it.prompt_tokens), count(it.completion_tokens), count(it.total_tokens)),
    ],
    [t('Key'), it.api_key ? names.key : t('No key')],
    [t('Key hash'), html`<code>${it.api_key || none}</code>`],
    [t('Team'), it.team_id ? named(names.team, it.team_id) : none],
    [t('Organization'), it.organization_id ?? none],
    [t('User'), it.user ?? none],
    [t('End user'), it.end_user ?? none],
    [t('Agent'), it.agent_id ?? none],
    [t('Session'), it.session_id ?? none],
    [t('Trace ID'), it.trace_id ?? none],
    [t('Tags'), list(it.request_tags)],
  ];
}

/** The name, and below it the ID. */
const named = (name: string, id: string): TemplateResult | string =>
  name === id ? id : html`<span class="named"><span>${name}</span><small class="muted">${id}</small></span>`;
