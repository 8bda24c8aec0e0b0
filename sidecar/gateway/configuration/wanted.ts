import { alertAddress } from '../../protocol/gateway/alerts/target.ts';
import type { ConfigAgent } from '../../protocol/gateway/config/agent.ts';
import type { ConfigAlertTarget } from '../../protocol/gateway/config/alerts.ts';
import type { ConfigModel } from '../../protocol/gateway/config/model.ts';
import { isSecretRef, SecretRef, type TextOrSecret } from '../../protocol/gateway/config/secretRef.ts';
import type { ConfigServer } from '../../protocol/gateway/config/server.ts';
import type { GatewayConfig } from '../../protocol/gateway/config.ts';
import type { Finding } from './problem.ts';
import { findSecret, type SecretSources, secretPath } from './secretSources.ts';

/** Kinds of records that the configuration file can hold, in the order in which they are written. */
export const configuredKinds = [
  'budget',
  'organization',
  'team',
  'mcp_server',
  'agent',
  'toolset',
  'model',
  'alert_target',
  'alert_rule',
] as const;
export type ConfiguredKind = (typeof configuredKinds)[number];

/** A record as the file wants it. */
export interface Wanted {
  readonly kind: ConfiguredKind;
  readonly id: string;
  /** Unique within its kind, where there is one. */
  readonly alias?: string;
  readonly path: readonly (string | number)[];
  /** What JSON is written from, without stamps and without anything secret. */
  readonly body: Readonly<Record<string, unknown>>;
  /** By the name it is sealed under: JSON. */
  readonly sealed: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Everything that the file wants, with its secrets looked up; `findings` names those that are not there. */
export async function wantedRecords(
  config: GatewayConfig,
  sources: SecretSources,
): Promise<{ readonly wanted: readonly Wanted[]; readonly findings: readonly Finding[] }> {
  const findings: Finding[] = [];
  const find = async (path: readonly (string | number)[], ref: SecretRef): Promise<string> => {
    const found = await findSecret(ref, sources);
    if ('value' in found) return found.value;
    findings.push({ path, message: found.missing, kind: 'rule' });
    return '';
  };
  const wanted: Wanted[] = [];
  const add = (
    kind: ConfiguredKind,
    section: string,
    name: string,
    id: string,
    body: object,
    more: Partial<Wanted> = {},
  ) => wanted.push({ kind, id, path: [section, name], body: configured(body), sealed: {}, ...more });

  for (const [name, it] of Object.entries(config.budgets))
    add('budget', 'budgets', name, name, { budget_id: name, ...it });
  for (const [name, it] of Object.entries(config.organizations)) {
    const ids = { organization_id: it.organization_id ?? name, organization_alias: it.organization_alias ?? name };
    add(
      'organization',
      'organizations',
      name,
      ids.organization_id,
      { ...it, ...ids },
      { alias: ids.organization_alias },
    );
  }
  for (const [name, it] of Object.entries(config.teams)) {
    const ids = { team_id: it.team_id ?? name, team_alias: it.team_alias ?? name };
    add('team', 'teams', name, ids.team_id, { ...it, ...ids }, { alias: ids.team_alias });
  }
  for (const [name, it] of Object.entries(config.mcp_servers)) {
    const server = withWholePath(it, sources.folder);
    // Nothing is waited for if there are hundreds of servers and none of them can have a secret.
    const { body, sealed } = mayHaveSecrets(server)
      ? await serverParts(server, ['mcp_servers', name], find)
      : { body: server, sealed: {} };
    const ids = { server_id: it.server_id ?? name, server_name: it.server_name ?? name, approval_status: 'active' };
    add('mcp_server', 'mcp_servers', name, ids.server_id, { ...body, ...ids }, { sealed });
  }
  for (const [name, it] of Object.entries(config.agents)) {
    const { body, sealed } = await agentParts(it, ['agents', name], find);
    const ids = { agent_id: it.agent_id ?? name, agent_name: it.agent_name ?? name };
    add('agent', 'agents', name, ids.agent_id, { ...body, ...ids }, { alias: ids.agent_name, sealed });
  }
  for (const [name, it] of Object.entries(config.toolsets)) {
    const ids = { toolset_id: it.toolset_id ?? name, toolset_name: name };
    add('toolset', 'toolsets', name, ids.toolset_id, { ...it, ...ids }, { alias: name });
  }
  const ids = modelIds(config.model_list);
  for (const [at, it] of config.model_list.entries()) {
    const { body, sealed } = await modelParts(it, ['model_list', at, 'gateway_params'], find);
    const id = ids[at] ?? '';
    wanted.push({
      kind: 'model',
      id,
      path: ['model_list', at],
      body: configured({ ...body, model_id: id }),
      sealed,
    });
  }
  for (const [name, it] of Object.entries(config.alerts.targets)) {
    const { body, sealed } = await alertTargetParts(it, ['alerts', 'targets', name], find);
    const id = { target_name: name };
    wanted.push({
      kind: 'alert_target',
      id: name,
      path: ['alerts', 'targets', name],
      body: configured({ ...body, ...id }),
      sealed,
    });
  }
  for (const [name, it] of Object.entries(config.alerts.rules)) {
    const body = configured({ ...it, rule_name: name });
    wanted.push({ kind: 'alert_rule', id: name, path: ['alerts', 'rules', name], body, sealed: {} });
  }
  return { wanted, findings };
}

/** Entries can share a name. The first one has it as its ID. The others add a number. */
export function modelIds(models: readonly ConfigModel[]): readonly string[] {
  const counts = new Map<string, number>();
  return models.map(({ model_id, model_name }) => {
    const count = (counts.get(model_name) ?? 0) + 1;
    counts.set(model_name, count);
    return model_id ?? (count === 1 ? model_name : `${model_name} ${count}`);
  });
}

type Find = (path: readonly (string | number)[], ref: SecretRef) => Promise<string>;
type Path = readonly (string | number)[];
interface Parts {
  readonly body: object;
  readonly sealed: Wanted['sealed'];
}

/** A file is named as seen from the configuration file. */
function withWholePath(server: ConfigServer, folder: string): ConfigServer {
  const { spec_path } = server;
  return !spec_path || /^https?:\/\//i.test(spec_path)
    ? server
    : { ...server, spec_path: secretPath(spec_path, folder) };
}

const mayHaveSecrets = ({ credentials, static_headers, env, env_vars }: ConfigServer): boolean =>
  [credentials, static_headers, env, env_vars].some((it) => it !== undefined);

async function serverParts(server: ConfigServer, path: Path, find: Find): Promise<Parts> {
  const { credentials, static_headers, env, env_vars, ...rest } = server;
  const headers = await split(static_headers, [...path, 'static_headers'], find);
  const variables = await split(env, [...path, 'env'], find);
  const ofVars: Record<string, string> = {};
  for (const [at, { name, value }] of (env_vars ?? []).entries())
    if (isSecretRef(value)) ofVars[name] = await find([...path, 'env_vars', at, 'value'], value);
  const body = {
    ...rest,
    static_headers: headers.open,
    env: variables.open,
    env_vars: env_vars?.map((it) => ({ ...it, value: isSecretRef(it.value) ? '' : it.value })),
  };
  const values = filled({ static_headers: headers.secret, env: variables.secret, env_vars: ofVars });
  return { body, sealed: filled({ credentials: await opened(credentials, [...path, 'credentials'], find), values }) };
}

async function agentParts(agent: ConfigAgent, path: Path, find: Find): Promise<Parts> {
  const { static_headers, gateway_params, ...rest } = agent;
  const { api_key, aws_access_key_id, aws_secret_access_key, aws_session_token, ...params } = gateway_params ?? {};
  const secret = { api_key, aws_access_key_id, aws_secret_access_key, aws_session_token };
  const at = [...path, 'gateway_params'];
  const headers = await split(static_headers, [...path, 'static_headers'], find);
  const ofParams = await split(params.static_headers, [...at, 'static_headers'], find);
  const body = {
    ...rest,
    static_headers: headers.open,
    gateway_params: gateway_params && { ...params, static_headers: ofParams.open },
  };
  const values = filled({ static_headers: headers.secret, params_headers: ofParams.secret });
  return { body, sealed: filled({ credentials: await opened(secret, at, find), values }) };
}

async function modelParts(model: ConfigModel, path: Path, find: Find): Promise<Parts> {
  const { gateway_params, ...rest } = model;
  const { api_key, ...params } = gateway_params;
  const body = { ...rest, gateway_params: params };
  return { body, sealed: filled({ credentials: await opened({ api_key }, path, find) }) };
}

async function alertTargetParts(target: ConfigAlertTarget, path: Path, find: Find): Promise<Parts> {
  const { url, secret, smtp_password, ...rest } = target;
  const credentials = await opened({ url, secret, smtp_password }, path, find);
  const address = alertAddress(rest, originOf(credentials['url']));
  return { body: { ...rest, address }, sealed: filled({ credentials }) };
}

/** Plain texts and secret ones apart. */
async function split(texts: Readonly<Record<string, TextOrSecret>> | null | undefined, path: Path, find: Find) {
  const secret: Record<string, string> = {};
  const open: Record<string, string> = {};
  for (const [name, value] of Object.entries(texts ?? {})) {
    if (isSecretRef(value)) secret[name] = await find([...path, name], value);
    else open[name] = value;
  }
  return { open: texts ? open : texts, secret };
}

async function opened(members: object | null | undefined, path: Path, find: Find): Promise<Record<string, unknown>> {
  const entries = await Promise.all(
    Object.entries(members ?? {})
      .filter(([, value]) => value !== null)
      .map(async ([name, value]) => [name, isRef(value) ? await find([...path, name], value) : value]),
  );
  return plain(Object.fromEntries(entries));
}

const isRef = (value: unknown): value is SecretRef => SecretRef.safeParse(value).success;

/** Without empty members. */
const filled = (parts: Readonly<Record<string, Readonly<Record<string, unknown>>>>) =>
  Object.fromEntries(Object.entries(parts).filter(([, it]) => Object.keys(it).length > 0));

/** Of a URL; `undefined` for what is none. */
const originOf = (url: unknown) => (typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined);
const configured = (body: object) => ({ ...body, from_config: true });

/** As it comes back from the database: nothing is undefined. */
export const plain = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
