import { isRecord } from '../../../platform/isRecord.ts';
import { ConfigAgent } from '../../../protocol/gateway/config/agent.ts';
import { Guardrail } from '../../../protocol/gateway/guardrail.ts';
import { GLOBAL_BUDGET } from '../../../protocol/gateway/limits.ts';
import { cleanAddress } from './addresses.ts';
import { secretPlace, withEnviron } from './environ.ts';
import { Collector, type Fields, type Imported, variableName } from './imported.ts';
import { importModels } from './litellmModels.ts';
import { importLitellmServers } from './litellmServers.ts';

const agentSections = ['agents', 'agent_list', 'a2a', 'a2a_agents'];
const taken = new Set([
  ...agentSections,
  'model_list',
  'mcp_servers',
  'guardrails',
  'general_settings',
  'litellm_settings',
]);
const secrets = ['api_key', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'];

/** What a LiteLLM `config.yaml` says of servers, agents, guardrails and callers. Its `litellm_params` are `gateway_params` here. */
export function importLitellm(file: Fields): Imported {
  const to = new Collector();
  const fields = (name: string): Fields => (isRecord(file[name]) ? file[name] : {});
  const { mcp_aliases, max_budget, budget_duration, ...settings } = fields('litellm_settings');
  importGuardrails(file['guardrails'], to);
  importLitellmServers(fields('mcp_servers'), isRecord(mcp_aliases) ? mcp_aliases : {}, to);
  for (const section of agentSections) importAgents(file[section], section, to);
  importModels(file['model_list'], to);
  importBudget(max_budget, budget_duration, to);
  importGeneral(fields('general_settings'), to);
  for (const name of Object.keys(settings))
    to.note(`litellm_settings.${name}`, 'not imported: the gateway does not support this setting');
  for (const name of Object.keys(file).filter((it) => !taken.has(it)))
    to.note(name, 'not imported: the gateway does not support this section');
  return to.imported;
}

function importAgents(raw: unknown, section: string, to: Collector): void {
  const list = Array.isArray(raw)
    ? raw
    : isRecord(raw)
      ? Object.entries(raw).map(([agent_name, it]) => ({ agent_name, ...(it as object) }))
      : [];
  for (const [at, agent] of list.entries()) {
    const path = `${section}.${at}`;
    if (!isRecord(agent) || typeof agent['agent_name'] !== 'string') {
      to.note(path, "skipped: 'agent_name' is missing");
      continue;
    }
    const {
      agent_name: name,
      litellm_params,
      gateway_params,
      ...rest
    } = withEnviron(agent) as Fields & { agent_name: string };
    const params = litellm_params ?? gateway_params;
    const known = Object.entries(rest).filter(([member]) => {
      if (member in ConfigAgent.shape) return true;
      to.note(`${path}.${member}`, 'not imported: the gateway does not support this member');
      return false;
    });
    const { agent_card_params: card = {}, ...others } = Object.fromEntries(known) as Fields;
    const entry = {
      agent_card_params: isRecord(card) ? toCard(name, card, `${path}.agent_card_params`, to) : card,
      ...others,
      ...(isRecord(params) && { gateway_params: toParams(name, params, `${path}.litellm_params`, to) }),
    };
    to.take(path, 'agents', name, entry);
  }
}

function toCard(agent: string, card: Fields, path: string, to: Collector): Fields {
  const { url } = card;
  return typeof url === 'string' ? { ...card, url: cleanAddress(agent, url, `${path}.url`, true, to).text } : card;
}

function toParams(agent: string, params: Fields, path: string, to: Collector): Fields {
  const shape = ConfigAgent.shape.gateway_params.unwrap().unwrap().shape;
  const entries = Object.entries(params).flatMap(([name, value]) => {
    if (value === null) return [];
    if (secrets.includes(name)) return [[name, secretPlace(value, variableName(agent, name), `${path}.${name}`, to)]];
    if (name in shape) return [[name, value]];
    to.note(`${path}.${name}`, 'not imported: the gateway does not support this member');
    return [];
  });
  return Object.fromEntries(entries) as Fields;
}

function importGuardrails(raw: unknown, to: Collector): void {
  const guardrails = [];
  for (const [at, it] of (Array.isArray(raw) ? raw : []).entries()) {
    const { guardrail_name, litellm_params, gateway_params } = isRecord(it) ? it : {};
    const entry = Guardrail.safeParse({ guardrail_name, gateway_params: litellm_params ?? gateway_params });
    if (entry.success) guardrails.push(entry.data);
    else
      to.note(
        `guardrails.${at}`,
        'skipped: the gateway does not support this guardrail with these parameters and modes',
      );
  }
  if (guardrails.length > 0) to.set('guardrails', { guardrails });
}

/** There it is the budget of the whole proxy. */
function importBudget(max_budget: unknown, budget_duration: unknown, to: Collector): void {
  const path = 'litellm_settings.max_budget';
  const given = (value: unknown) => value !== null && value !== undefined;
  if (!given(max_budget)) {
    if (given(budget_duration)) to.note('litellm_settings.budget_duration', 'not imported: max_budget is missing');
    return;
  }
  const limits = { max_budget, ...(given(budget_duration) && { budget_duration }) };
  to.set(path, { budgets: { [GLOBAL_BUDGET]: limits } });
}

function importGeneral(settings: Fields, to: Collector): void {
  const caller: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    const path = `general_settings.${name}`;
    if (name === 'user_header_name') caller['end_user_header'] = value;
    else if (name === 'litellm_key_header_name') caller['subscription_key_headers'] = [value];
    else if (name === 'mcp_trusted_proxy_ranges') to.set(path, { trusted_proxies: value });
    else if (name === 'max_request_size_mb') to.set(path, { limits: { body_bytes: Number(value) * 1_000_000 } });
    else if (/key|password|database_url/i.test(name))
      to.note(path, 'not imported: keys and URLs that contain passwords do not belong in this file');
    else to.note(path, 'not imported: the gateway does not support this setting');
  }
  if (Object.keys(caller).length > 0) to.set('general_settings', { caller });
}
