import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const card = { name: 'Writer', url: 'https://agent.example.com/a2a', version: '1', skills: [{ name: 'letters' }] };

describe('agent and credential routes', () => {
  verifies('gateway.manage.agents');
  let api: Managed;
  let well = new Set<string>();
  const send = (method: string, path: string, body?: unknown, key = api.admin) => api.send(key, method, path, body);
  const add = async (agent_name: string, more: object = {}) =>
    (await send('POST', '/v1/agents', { agent_name, agent_card_params: card, ...more })).string('agent_id');
  const sealed = async (id: string, name: string) =>
    JSON.parse((await api.store.secrets.get('agent', id, name)) ?? 'null');
  before(async () => {
    api = await openManaged({ isAgentHealthy: async ({ agent_name }) => well.has(agent_name) });
  });
  after(() => api.close());

  it('an agent is registered with 200, its secrets sealed and shown masked', async () => {
    const gateway_params = { api_key: 'canary-key', cost_per_query: 0.5, static_headers: { 'X-A': 'canary-a' } };
    const body = {
      agent_name: 'sealed',
      agent_card_params: card,
      gateway_params,
      static_headers: { 'X-B': 'canary-b' },
    };
    const made = await send('POST', '/v1/agents', body);
    assert.equal(made.status, 200);
    assert.ok(!made.text.includes('canary'));
    assert.equal(made.at('gateway_params.api_key'), '********');
    assert.equal(made.at('gateway_params.cost_per_query'), 0.5);
    const id = made.string('agent_id');
    assert.deepEqual(await sealed(id, 'credentials'), { api_key: 'canary-key' });
    const values = { static_headers: { 'X-B': 'canary-b' }, params_headers: { 'X-A': 'canary-a' } };
    assert.deepEqual(await sealed(id, 'values'), values);
  });

  it('PUT replaces all of it and keeps a secret whose mask is written back; PATCH changes what is named', async () => {
    const id = await add('changing', { gateway_params: { api_key: 'canary-key', model: 'm' }, rpm_limit: 3 });
    const whole = { agent_name: 'changed', agent_card_params: card, gateway_params: { api_key: '********' } };
    const put = await send('PUT', `/v1/agents/${id}`, whole);
    assert.deepEqual(
      [put.at('agent_name'), put.at('rpm_limit'), put.at('gateway_params.model')],
      ['changed', undefined, undefined],
    );
    assert.deepEqual(await sealed(id, 'credentials'), { api_key: 'canary-key' });
    const patched = await send('PATCH', `/v1/agents/${id}`, { tpm_limit: 7, gateway_params: { model: 'n' } });
    assert.deepEqual([patched.at('tpm_limit'), patched.at('agent_name')], [7, 'changed']);
    assert.deepEqual(patched.at('gateway_params'), { api_key: '********', model: 'n' });
    await send('PATCH', `/v1/agents/${id}`, { gateway_params: { api_key: null } });
    assert.equal(await sealed(id, 'credentials'), null);
    assert.equal((await send('DELETE', `/v1/agents/${id}`)).status, 200);
    assert.equal((await send('GET', `/v1/agents/${id}`)).status, 404);
  });

  for (const { says, body, field, status = 400 } of [
    { says: 'a card without an address', body: { agent_card_params: {} }, field: 'agent_card_params.url' },
    { says: 'a name that is taken', body: { agent_name: 'taken' }, field: 'agent_name' },
    { says: 'an id with a slash', body: { agent_id: 'a/b' }, field: 'agent_id' },
    { says: 'a parameter nobody knows', body: { gateway_params: { colour: 'red' } }, field: 'gateway_params.colour' },
    {
      says: 'an address of this machine',
      body: { agent_card_params: { url: 'http://localhost/' } },
      field: 'gateway_params.allow_private_network',
    },
    {
      says: 'the address of cloud metadata',
      body: { agent_card_params: { url: 'http://169.254.169.254/' } },
      field: 'url',
      status: 403,
    },
  ]) {
    it(`refuses ${says} with ${status} and names ${field}`, async () => {
      verifies('gateway.private-network.at-registration');
      if ((await api.store.agent.byAlias('taken')) === undefined) await add('taken');
      const refused = await send('POST', '/v1/agents', { agent_name: 'fresh', agent_card_params: card, ...body });
      assert.equal(refused.status, status, refused.text);
      assert.equal(refused.at('error.param'), field);
    });
  }

  it('others see the agents that they may use, at the address of the gateway', async () => {
    const mine = await add('visible', { gateway_params: { api_key: 'canary-key' } });
    const key = await api.give({ object_permission: { agents: ['visible'] } });
    const listed = await send('GET', '/v1/agents', undefined, key);
    assert.equal(listed.list().length, 1);
    assert.equal(listed.at('0.agent_card_params.url'), `http://127.0.0.1:4000/a2a/${mine}`);
    assert.ok(!/agent\.example\.com|gateway_params|canary/.test(listed.text));
    const hidden = await add('hidden');
    const forbidden = await send('GET', `/v1/agents/${hidden}`, undefined, key);
    const unknown = await send('GET', '/v1/agents/nobody', undefined, key);
    assert.deepEqual([forbidden.status, forbidden.text], [403, unknown.text]);
  });

  it('lists only those that answer when asked for their health, and finds by words', async () => {
    await add('poet', { agent_card_params: { ...card, description: 'writes sonnets and odes', skills: [] } });
    await add('clerk', { agent_card_params: { ...card, description: 'files odes', skills: [] } });
    well = new Set(['poet']);
    const healthy = await send('GET', '/v1/agents?health_check=true');
    assert.deepEqual(
      healthy.list().map((it) => it['agent_name']),
      ['poet'],
    );
    const found = await send('GET', '/v1/agents?query=sonnets%20odes&top_k=1');
    assert.deepEqual([found.list().length, found.at('0.agent_name'), found.at('0.search_score')], [1, 'poet', 1]);
    assert.equal((await send('GET', '/v1/agents?query=x&top_k=101')).at('error.param'), 'top_k');
  });

  it('shows the keys of an agent, and says which agents are public', async () => {
    const id = await add('owner');
    const key = await api.give({ agent_id: id, key_alias: 'of-owner' });
    assert.deepEqual((await send('GET', `/v1/agents/${id}`)).at('keys.0.token'), hashKey(key));
    const open = await send('POST', `/v1/agents/${id}/make_public`);
    assert.deepEqual(open.at('public_agent_groups'), [id]);
    assert.equal((await send('POST', '/v1/agents/make_public', { agent_ids: ['nobody'] })).status, 404);
  });

  it('the credential of a provider is kept value by value, listed without values, changed and forgotten', async () => {
    const info = { custom_llm_provider: 'cloudagents' };
    const body = { credential_name: 'cloud', credential_info: info, credential_values: { api_key: 'canary-cloud' } };
    assert.equal((await send('POST', '/credentials', body)).at('success'), true);
    assert.equal((await send('POST', '/credentials', body)).status, 409);
    const listed = await send('GET', '/credentials');
    assert.deepEqual(listed.at('credentials.0.credential_values'), { api_key: '********' });
    assert.equal(await api.store.secrets.get('credential', 'cloud', 'api_key'), 'canary-cloud');
    const changed = { credential_values: { api_key: '********', region: 'eu' } };
    assert.equal((await send('PATCH', '/credentials/cloud', changed)).status, 200);
    assert.equal(await api.store.secrets.get('credential', 'cloud', 'api_key'), 'canary-cloud');
    const names = Object.keys((await send('GET', '/credentials/by_name/cloud')).at('credential_values') ?? {});
    assert.deepEqual(names, ['api_key', 'region']);
    assert.equal((await send('GET', '/credentials/providers')).at('0.provider'), 'cloudagents');
    assert.equal((await send('DELETE', '/credentials/cloud')).status, 200);
    assert.deepEqual(await api.store.secrets.names('credential'), []);
    assert.equal((await send('DELETE', '/credentials/cloud')).status, 404);
  });

  it('lists guardrails, and their parameters only to those who see everything', async () => {
    const guardrail = { guardrail_name: 'pii', mode: 'pre_mcp_call', default_on: true, from_config: true };
    const member = (await send('POST', '/key/generate', {})).string('key');
    const listed = async (key?: string) => (await send('GET', '/guardrails/list', undefined, key)).body;
    assert.deepEqual(await listed(member), { guardrails: [guardrail] });
    const gateway_params = {
      ...{ guardrail: 'pii_redaction', mode: 'pre_mcp_call', default_on: true },
      ...{ action: 'redact', max_characters: 1_000_000 },
    };
    assert.deepEqual(await listed(), { guardrails: [{ ...guardrail, gateway_params }] });
  });
});
