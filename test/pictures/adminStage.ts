import type { Locator, Page } from 'playwright-core';
import { Guardrails } from '../../sidecar/protocol/gateway/guardrail.ts';
import { type AdminHarness, type OpenAdmin, startAdmin } from '../integration/admin/adminHarness.ts';
import { until } from '../support/until.ts';

const viewport = { width: 1280, height: 800 };

const guardrails = Guardrails.parse([
  {
    guardrail_name: 'no-secrets',
    gateway_params: { guardrail: 'secret_redaction', mode: 'pre_mcp_call', default_on: true },
  },
  {
    guardrail_name: 'approved-tools',
    gateway_params: { guardrail: 'tool_definition_pin', mode: 'pre_mcp_call', default_on: true },
  },
  { guardrail_name: 'exact', gateway_params: { guardrail: 'argument_schema', mode: 'during_mcp_call' } },
]);

/** A gateway with nothing in it, and its pages. */
export function inEmptyGateway(play: (harness: AdminHarness) => Promise<void>): Promise<void> {
  return inGateway(async () => undefined, play);
}

/** A gateway with a few of every kind of record and with calls, and its pages. */
export function inFilledGateway(play: (harness: AdminHarness) => Promise<void>): Promise<void> {
  return inGateway(fill, play);
}

async function inGateway(
  prepare: (harness: AdminHarness) => Promise<void>,
  play: (harness: AdminHarness) => Promise<void>,
): Promise<void> {
  const harness = await startAdmin({ viewport, guardrails: prepare === fill ? guardrails : [] });
  try {
    await prepare(harness);
    await play(harness);
  } finally {
    await harness.close();
  }
}

/** Opens a page, signed in, does something there, and closes it. What its console complains of is a failure. */
export async function onPage(
  harness: AdminHarness,
  id: string,
  look: (opened: OpenAdmin & { readonly page: Page }) => Promise<void>,
): Promise<void> {
  const opened = await harness.open(`/ui/?page=${id}`);
  await opened.signIn();
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  await look(opened);
  if (opened.complaints.length > 0) throw new Error(`the page ${id} complains: ${opened.complaints.join('; ')}`);
  await opened.close();
}

/** The row of a record, once it is there. */
export async function rowOf(page: Page, name: string | RegExp): Promise<Locator> {
  const row = page.getByRole('row', { name }).first();
  await row.waitFor();
  return row;
}

async function fill(harness: AdminHarness): Promise<void> {
  const make = async <T>(path: string, body: object, headers = {}): Promise<T> => {
    const answer = await harness.call('POST', path, body, headers);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const server = { transport: 'http', url: harness.backend.url, allow_private_network: true };
  const priced = { mcp_info: { mcp_server_cost_info: { default_cost_per_query: 0.25 } } };
  await make('/v1/mcp/server', { ...server, ...priced, server_id: 'files', server_name: 'files' });
  await make('/v1/mcp/server', {
    ...server,
    server_id: 'notes',
    server_name: 'notes',
    description: 'What the team writes',
  });
  await make('/v1/mcp/server', { ...server, server_id: 'off', server_name: 'off', url: 'http://127.0.0.1:9/mcp' });
  const place = { url: harness.peer.url, description: 'Writes release notes' };
  await make('/v1/agents', {
    agent_name: 'writer',
    agent_card_params: place,
    gateway_params: { allow_private_network: true },
  });
  await make('/v1/mcp/toolset', {
    toolset_name: 'release',
    description: 'What a release needs',
    tools: [
      { server_id: 'files', tool_name: 'echo' },
      { server_id: 'notes', tool_name: 'test_simple_text' },
    ],
  });
  await make('/credentials', {
    credential_name: 'cloud',
    credential_info: { custom_llm_provider: 'cloudagents', description: 'The team’s account' },
    credential_values: { api_key: 'key-of-the-service' },
  });
  await fillPeople(make);
  await fillCalls(harness, make);
}

type Make = <T>(path: string, body: object, headers?: Readonly<Record<string, string>>) => Promise<T>;

async function fillPeople(make: Make): Promise<void> {
  await make('/budget/new', { budget_id: 'small', max_budget: 5, budget_duration: '30d' });
  await make('/budget/new', { budget_id: 'large', max_budget: 500, rpm_limit: 600, tpm_limit: 1_000_000 });
  await make('/organization/new', { organization_id: 'acme', organization_alias: 'Acme', max_budget: 1_000 });
  await make('/team/new', { team_id: 'platform', team_alias: 'Platform', max_budget: 100, tags: ['infra'] });
  await make('/team/new', { team_id: 'research', team_alias: 'Research', organization_id: 'acme', rpm_limit: 60 });
  const change = { team_id: 'platform', max_budget: 200, rpm_limit: 120 };
  await make('/team/update', change, { 'x-gateway-changed-by': 'ticket 42' });
  await make('/user/new', {
    user_id: 'ada',
    user_alias: 'Ada Lovelace',
    user_email: 'ada@example.com',
    teams: ['platform'],
  });
  await make('/user/new', {
    user_id: 'grace',
    user_alias: 'Grace Hopper',
    user_role: 'proxy_admin_viewer',
    max_budget: 25,
  });
  await make('/invitation/new', { invitation_alias: 'Dorothy Vaughan', team_id: 'research', team_role: 'admin' });
  await make('/customer/new', { user_id: 'shop-1', alias: 'The shop', max_budget: 10 });
}

async function fillCalls(harness: AdminHarness, make: Make): Promise<void> {
  const key = (body: object) => make<{ key: string }>('/key/generate', body);
  await key({ key_alias: 'editor', user_id: 'ada', team_id: 'platform' });
  await key({ key_alias: 'auditor', role: 'proxy_admin_viewer' });
  await key({
    key_alias: 'one-tool',
    object_permission: { mcp_tool_permissions: { files: ['echo'] } },
    duration: '90d',
  });
  const { key: blocked } = await key({ key_alias: 'left-behind', object_permission: { mcp_servers: [] } });
  await make('/key/block', { key: blocked });
  const access = { mcp_servers: ['files', 'notes'], agents: ['writer'] };
  const ci = await key({ key_alias: 'ci', team_id: 'platform', max_budget: 20, object_permission: access });
  const nightly = await key({ key_alias: 'nightly', team_id: 'research', max_budget: 5 });
  const call = (server_id: string, name: string, by: string, more = {}) =>
    harness.call(
      'POST',
      '/mcp-rest/tools/call',
      { name, server_id, arguments: { text: 'hi' } },
      {
        authorization: `Bearer ${by}`,
        ...more,
      },
    );
  const ofShop = { 'x-gateway-tags': 'nightly', 'x-gateway-end-user-id': 'shop-1' };
  for (let at = 0; at < 6; at++) await call('files', 'echo', ci.key, ofShop);
  for (let at = 0; at < 3; at++) await call('notes', 'test_simple_text', ci.key);
  await call('files', 'no_such_tool', ci.key);
  await call('notes', 'echo', nightly.key, ofShop);
  const message = { role: 'user', messageId: 'm1', kind: 'message', parts: [{ kind: 'text', text: 'hi' }] };
  const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
  await harness.call('POST', '/a2a/writer', body, { authorization: `Bearer ${ci.key}` });
  await until('the calls are in the log', async () => {
    const answer = (await (await harness.call('GET', '/spend/logs/v2')).json()) as { total: number };
    return answer.total >= 12;
  });
}
