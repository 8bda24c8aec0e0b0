import { html, nothing, type TemplateResult } from 'lit';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import type { ListedModel } from '../../../../sidecar/protocol/gateway/answers.ts';
import { modelProviderOf } from '../../../../sidecar/protocol/gateway/modelProviders/index.ts';
import { t } from '../../../shared/l10n.ts';
import type { Routes } from '../../gateway.ts';
import type { Session } from '../../kit/adminElement.ts';
import { copyable } from '../../kit/copyable.ts';
import { openDialog } from '../../kit/dialog.ts';
import { count, duration, escaped, list, moment, money, none } from '../../kit/format.ts';
import { wordsOf } from '../../kit/loader.ts';
import { failure } from '../../kit/notice.ts';
import { visible } from '../../records/lookups.ts';
import { ContentSection } from './content.ts';
import { cacheWords, drawAttempts, modelMetadata, pricesWords } from './modelCall.ts';

/** What people call the key and the team of a call; the ID where they gave no name. */
export interface LogNames {
  readonly key: string;
  readonly team: string;
}

/** What people call the others of a call. Absent until it is known, and for those that are gone or may not be seen. */
interface OtherNames {
  readonly organization?: string | null | undefined;
  readonly user?: string | null | undefined;
  readonly endUser?: string | null | undefined;
  readonly agent?: string | null | undefined;
}

/** What was called: the tool of a server, a model or an agent. */
export const callName = (it: SpendLog): string => escaped(it.mcp_namespaced_tool_name || it.model || it.call_type);

/** Everything that is kept of one call. */
export function openLog(session: Session, it: SpendLog, names: LogNames): void {
  const { place, routes } = session;
  const call = modelMetadata(it);
  let models: readonly ListedModel[] = [];
  let others: OtherNames = {};
  let error: string | undefined;
  const content = new ContentSection(session, it, () => dialog.draw());
  const dialog = openDialog({
    title: callName(it),
    shape: 'side',
    body: () => html`
      ${failure(it.error ?? undefined)}
      <h3>${t('Request ID')}</h3>${copyable(place, t('Request ID'), it.request_id)}
      <dl class="facts">${facts(it, { ...names, ...others }, call).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
      ${call ? drawAttempts(call, models) : nothing}
      ${failure(error)}
      ${content.render()}
      ${
        Object.keys(it.metadata).length > 0
          ? html`<h3>${t('Metadata')}</h3><pre class="code" tabindex="0">${JSON.stringify(it.metadata, null, 2)}</pre>`
          : nothing
      }`,
  });
  void showNames();
  async function showNames(): Promise<void> {
    try {
      [models, others] = await Promise.all([call ? visible(routes.models()) : [], readNames(routes, it)]);
    } catch (thrown) {
      error = wordsOf(thrown);
    }
    dialog.draw();
  }
}

function facts(
  it: SpendLog,
  names: LogNames & OtherNames,
  call: ReturnType<typeof modelMetadata>,
): readonly (readonly [string, string | TemplateResult])[] {
  const all: readonly (readonly [string, string | TemplateResult])[] = [
    [t('Status'), it.status === 'success' ? t('Success') : t('Failed')],
    [t('Started'), moment(it.startTime)],
    [t('Duration'), duration(it.request_duration_ms)],
    [t('Endpoint'), html`<code>${it.endpoint}</code>`],
    [t('Call type'), it.call_type],
    [t('Tool'), it.mcp_namespaced_tool_name ?? none],
    [t('Model'), it.model_group === null ? none : it.model],
    [t("Caller's name for the model"), it.model_group ?? none],
    [t('Provider'), modelProviderOf(it.custom_llm_provider ?? '')?.label ?? it.custom_llm_provider ?? none],
    [t('API base'), it.api_base ?? none],
    [t('Spend'), money(it.spend)],
    [t('Prices'), call ? pricesWords(call) : none],
    [t('Tokens'), it.total_tokens === 0 && !call ? none : tokenWords(it)],
    [t('Prompt cache'), cacheWords(it)],
    [t('Key'), it.api_key ? names.key : t('No key')],
    [t('Key hash'), it.api_key ? html`<code>${it.api_key}</code>` : none],
    [t('Team'), it.team_id ? named(names.team, it.team_id) : none],
    [t('Organization'), nameAndId(names.organization, it.organization_id)],
    [t('User'), nameAndId(names.user, it.user)],
    [t('End user'), nameAndId(names.endUser, it.end_user)],
    [t('Agent'), nameAndId(names.agent, it.agent_id)],
    [t('Session'), it.session_id ?? none],
    [t('Trace ID'), it.trace_id ?? none],
    [t('Tags'), list(it.request_tags)],
  ];
  // What does not apply to the call: a tool has no model, for example.
  return all.filter(([, value]) => value !== none);
}

const tokenWords = (it: SpendLog): string =>
  t('{0} in, {1} out, {2} total', count(it.prompt_tokens), count(it.completion_tokens), count(it.total_tokens));

/** Only lists that the call needs are read. */
async function readNames(routes: Routes, it: SpendLog): Promise<OtherNames> {
  const { organization_id, user, end_user, agent_id } = it;
  const [organizations, users, endUsers, agents] = await Promise.all([
    organization_id ? visible(routes.organizations()) : [],
    user ? visible(routes.user(user).then((found) => (found ? [found] : []))) : [],
    end_user ? visible(routes.endUsers()) : [],
    agent_id ? visible(routes.agents()) : [],
  ]);
  return {
    organization: organizations.find((one) => one.organization_id === organization_id)?.organization_alias,
    user: users[0]?.user_alias || users[0]?.user_email,
    endUser: endUsers.find((one) => one.user_id === end_user)?.alias,
    agent: agents.find((one) => one.agent_id === agent_id)?.agent_name,
  };
}

const nameAndId = (name: string | null | undefined, id: string | null) => (id ? named(name || id, id) : none);

/** The name, and below it the ID. */
const named = (name: string, id: string): TemplateResult | string =>
  name === id ? id : html`<span class="named"><span>${name}</span><small class="muted">${id}</small></span>`;
