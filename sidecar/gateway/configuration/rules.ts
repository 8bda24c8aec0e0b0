import { isLoopback } from '../../platform/loopback.ts';
import { fetchesLoosely } from '../../platform/loosePackage.ts';
import { authTypeOf, stdioProblem } from '../../protocol/gateway/authTypes/index.ts';
import type { ConfigServer } from '../../protocol/gateway/config/server.ts';
import type { GatewayConfig } from '../../protocol/gateway/config.ts';
import { modelAddress, patternProblem } from '../../protocol/gateway/model.ts';
import { checkAlerts } from './alertRules.ts';
import type { Finding } from './problem.ts';
import { modelIds } from './wanted.ts';

/** What no schema can say: members that belong together, and names that nobody has. */
export function checkRules(config: GatewayConfig): Finding[] {
  const findings: Finding[] = [];
  const wrong = (path: readonly (string | number)[], message: string, atName = false) =>
    findings.push({ path, message, kind: 'rule', atName });
  const doubtful = (path: readonly (string | number)[], message: string) =>
    findings.push({ path, message, kind: 'warning' });

  const { listen, public_url, mcp_servers, toolsets, teams, budgets, organizations } = config;
  if (!isLoopback(listen.host) && !listen.tls && !listen.allow_insecure) {
    wrong(
      ['listen', 'host'],
      'to accept connections from other machines, the gateway requires tls or "allow_insecure": true',
    );
  }
  if (public_url?.includes('?') || public_url?.includes('#'))
    wrong(['public_url'], 'must not contain a query or fragment');

  const owners = new Map<string, string>();
  for (const [name, server] of Object.entries(mcp_servers)) {
    const at = ['mcp_servers', name];
    for (const { path, message } of checkServer(name, server, config))
      wrong([...at, ...path], message, path.length === 0);
    const near = (['url', 'spec_path'] as const).find((it) => isNear(server[it]));
    if (near && server.allow_private_network !== true)
      doubtful(
        [...at, near],
        "is on this machine, so every call would be refused. Set 'allow_private_network' to true to allow it",
      );
    const id = server.server_id ?? name;
    const owner = owners.get(id);
    if (owner !== undefined) wrong([...at, 'server_id'], `this ID is already used by '${owner}'`);
    owners.set(id, name);
    const credentials: Readonly<Record<string, unknown>> = server.credentials ?? {};
    for (const needed of server.is_byok ? [] : (authTypeOf(server.auth_type)?.needs ?? []))
      if (!credentials[needed])
        doubtful([...at, 'auth_type'], `'credentials.${needed}' is missing, so every call will be refused`);
    if (server.transport === 'stdio' && server.command && !config.stdio.allowed_commands.includes(server.command))
      doubtful(
        [...at, 'command'],
        "this program is not in stdio.allowed_commands, so only your own editor's embedded gateway can start it",
      );
    if (server.transport === 'stdio' && fetchesLoosely(server.command, server.args))
      doubtful(
        [...at, 'args'],
        "specifies a package without an exact version (such as name@1.2.3), so only your own editor's embedded gateway can start it",
      );
  }

  findings.push(...checkModels(config), ...checkIssuers(config), ...checkAlerts(config));
  const guardrails = new Set(config.guardrails.map((it) => it.guardrail_name));
  for (const [kind, entries] of Object.entries({ mcp_servers, teams })) {
    for (const [name, { guardrails: named }] of Object.entries(entries)) {
      for (const [at, it] of (named ?? []).entries())
        if (!guardrails.has(it)) wrong([kind, name, 'guardrails', at], `this file has no guardrail named '${it}'`);
    }
  }
  for (const [name, { tools }] of Object.entries(toolsets)) {
    for (const [at, { server_id }] of tools.entries())
      if (!owners.has(server_id))
        doubtful(['toolsets', name, 'tools', at, 'server_id'], `no MCP server in this file has the ID '${server_id}'`);
  }
  for (const [kind, entries] of Object.entries({ teams, organizations })) {
    for (const [name, { budget_id }] of Object.entries(entries))
      if (budget_id && !budgets[budget_id])
        doubtful([kind, name, 'budget_id'], `no budget in this file has the ID '${budget_id}'`);
  }
  const organizationIds = new Set(Object.entries(organizations).map(([name, it]) => it.organization_id ?? name));
  for (const [name, { organization_id }] of Object.entries(teams)) {
    if (organization_id && !organizationIds.has(organization_id))
      doubtful(['teams', name, 'organization_id'], `no organization in this file has the ID '${organization_id}'`);
  }
  return findings;
}

function checkModels({ model_list }: GatewayConfig): Finding[] {
  const findings: Finding[] = [];
  const ids = modelIds(model_list);
  const taken = new Set<string>();
  for (const [at, { model_name, gateway_params }] of model_list.entries()) {
    const { model, api_base, allow_private_network } = gateway_params;
    const path = ['model_list', at, 'gateway_params'];
    const url = modelAddress(gateway_params);
    const problem = patternProblem(model_name, model);
    if (problem) findings.push({ path: [...path, 'model'], message: problem, kind: 'rule' });
    const id = ids[at] ?? '';
    if (taken.has(id))
      findings.push({
        path: ['model_list', at, 'model_id'],
        message: 'this ID is already used by another entry',
        kind: 'rule',
      });
    taken.add(id);
    if (url === undefined)
      findings.push({ path: [...path, 'api_base'], message: 'is required for this provider', kind: 'rule' });
    else if (!isWebUrl(url))
      findings.push({
        path: [...path, 'api_base'],
        message: 'must be a URL such as https://llm.example.com/v1',
        kind: 'rule',
      });
    else if (isNear(url) && allow_private_network !== true)
      findings.push({
        path: [...path, api_base ? 'api_base' : 'model'],
        message: "is on this machine, so every call would be refused. Set 'allow_private_network' to true to allow it",
        kind: 'warning',
      });
  }
  return findings;
}

function checkIssuers({ jwt }: GatewayConfig): Finding[] {
  const findings: Finding[] = [];
  for (const [at, { issuer, jwks_uri, claims, allow_private_network }] of jwt.entries()) {
    if (jwt.findIndex((it) => it.issuer === issuer) !== at)
      findings.push({ path: ['jwt', at, 'issuer'], message: 'is already used by another entry', kind: 'rule' });
    if (claims.user_id === null && claims.team_id === undefined)
      findings.push({
        path: ['jwt', at, 'claims'],
        message: 'must contain team_id if user_id is null, because each call is made for a user or a team',
        kind: 'rule',
      });
    if (isNear(jwks_uri ?? issuer) && !allow_private_network)
      findings.push({
        path: ['jwt', at, jwks_uri ? 'jwks_uri' : 'issuer'],
        message: "is on this machine, so every token would be refused. Set 'allow_private_network' to true to allow it",
        kind: 'warning',
      });
  }
  return findings;
}

function checkServer(
  name: string,
  server: ConfigServer,
  { separator }: GatewayConfig,
): { readonly path: readonly string[]; readonly message: string }[] {
  const found: { readonly path: readonly string[]; readonly message: string }[] = [];
  const shown = server.alias || server.server_name || name;
  const field = server.alias ? ['alias'] : server.server_name ? ['server_name'] : [];
  if (shown.includes(separator)) found.push({ path: field, message: `must not contain the separator '${separator}'` });
  if (server.spec_path) {
    if (server.transport !== 'http')
      found.push({ path: ['transport'], message: "must be http, because 'spec_path' is set" });
    if (/^\w+:\/\//.test(server.spec_path) && !isWebUrl(server.spec_path))
      found.push({ path: ['spec_path'], message: 'must be an http or https URL, or the path of a file' });
    if (server.url && !isWebUrl(server.url))
      found.push({ path: ['url'], message: 'must be a URL such as https://api.example.com/v1' });
  } else if (server.transport === 'stdio') {
    if (!server.command) found.push({ path: ['command'], message: 'is required for the stdio transport' });
    const problem = stdioProblem(server.auth_type);
    if (problem !== undefined) found.push({ path: ['auth_type'], message: problem });
  } else if (!server.url && (server.command || server.args?.length))
    found.push({
      path: [server.command ? 'command' : 'args'],
      message: `'transport' is missing. Did you mean "stdio"?`,
    });
  else if (!server.url) found.push({ path: ['url'], message: `is required for the ${server.transport} transport` });
  else if (!isWebUrl(server.url))
    found.push({ path: ['url'], message: 'must be a URL such as https://mcp.example.com/mcp' });
  return found;
}

const isWebUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** By the address alone: names are not resolved while a file is read. */
function isNear(url: string | null | undefined): boolean {
  const host = url ? URL.parse(url)?.hostname : undefined;
  return host !== undefined && isLoopback(host.replace(/\.$/, ''));
}
