import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

describe('model routes', () => {
  verifies('gateway.manage.models');
  let api: Managed;
  const send = (method: string, path: string, body?: unknown, key = api.admin) => api.send(key, method, path, body);
  const add = (model_name: string, params: object = {}, more: object = {}) =>
    send('POST', '/model/new', {
      model_name,
      gateway_params: { model: 'openai/gpt-real', ...params },
      ...more,
    });
  const sealed = async (id: string) => JSON.parse((await api.store.secrets.get('model', id, 'credentials')) ?? 'null');
  before(async () => {
    api = await openManaged();
  });
  after(() => api.close());

  it('add, change, and delete a model and its key, which is stored encrypted and shown masked', async () => {
    const made = await add('one', { api_key: 'canary-key', weight: 2 }, { model_info: { note: 'n' } });
    assert.equal(made.status, 200, made.text);
    assert.ok(!made.text.includes('canary'));
    const model_id = made.string('model_id');
    assert.deepEqual(made.at('gateway_params'), { model: 'openai/gpt-real', weight: 2, api_key: '********' });
    assert.deepEqual(await sealed(model_id), { api_key: 'canary-key' });
    const info = await send('GET', `/model/info?model_id=${model_id}`);
    assert.deepEqual(info.at('data.0'), made.body);
    const changed = await send('POST', '/model/update', { model_id, gateway_params: { rpm: 3, weight: null } });
    assert.deepEqual(changed.at('gateway_params'), {
      model: 'openai/gpt-real',
      weight: null,
      rpm: 3,
      api_key: '********',
    });
    assert.deepEqual(await sealed(model_id), { api_key: 'canary-key' });
    await send('POST', '/model/update', { model_id, gateway_params: { api_key: null } });
    assert.equal(await sealed(model_id), null);
    assert.equal((await send('POST', '/model/delete', { model_id })).status, 200);
    assert.deepEqual((await send('GET', '/model/info')).at('data'), []);
    const audit = (await send('GET', '/audit')).text;
    assert.ok(audit.includes(model_id) && !audit.includes('canary'));
  });

  it('require the key again if the address of a model changes', async () => {
    const model_id = (await add('moved', { api_key: 'canary-key' })).string('model_id');
    const gateway_params = { api_base: 'https://other.example/v1' };
    const moved = await send('POST', '/model/update', { model_id, gateway_params });
    assert.deepEqual([moved.status, moved.at('error.param')], [400, 'gateway_params.api_key']);
    const again = { ...gateway_params, api_key: 'new' };
    assert.equal((await send('POST', '/model/update', { model_id, gateway_params: again })).status, 200);
  });

  const refused: readonly [says: string, params: object, field: string][] = [
    ['an unknown provider', { model: 'nobody/x' }, 'gateway_params.model'],
    ['no provider', { model: 'gpt-5' }, 'gateway_params.model'],
    ['no address where its provider has none', { model: 'openai_compatible/x' }, 'gateway_params.api_base'],
    ['a provider on this machine', { model: 'ollama/llama3' }, 'gateway_params.allow_private_network'],
    [
      'a private address',
      { model: 'openai_compatible/x', api_base: 'http://10.0.0.3/v1' },
      'gateway_params.allow_private_network',
    ],
    ['a credential that does not exist', { credential_name: 'nobody' }, 'gateway_params.credential_name'],
    ['an unknown member', { modle: 'x' }, 'gateway_params.modle'],
  ];
  for (const [says, params, field] of refused)
    it(`refuse a model with ${says}, naming ${field}`, async () => {
      const answer = await add('bad', params);
      assert.deepEqual([answer.status, answer.at('error.param')], [400, field], answer.text);
    });

  it('show other callers the names of the models that they can use, but not where these are served', async () => {
    await add('shown', { api_key: 'canary-key' });
    await add('hidden');
    const key = await api.give({ object_permission: { models: ['shown'] } });
    const info = await send('GET', '/model/info', undefined, key);
    const [only, ...others] = info.list('data');
    assert.deepEqual([only?.['model_name'], only?.['gateway_params'], others.length], ['shown', undefined, 0]);
    assert.equal((await send('POST', '/model/new', {}, key)).status, 403);
  });

  it('tell administrators the provider, address, and prices of each backend', async () => {
    verifies('gateway.models.shown');
    const own = { model: 'google/gemini-*', input_cost_per_token: 0.000_001, output_cost_per_token: 0.000_002 };
    const model_id = (await add('told-*', own)).string('model_id');
    const told = await send('GET', `/model/info?model_id=${model_id}`);
    const { provider, address, prices, health } = told.at('data.0') as Record<string, unknown>;
    assert.deepEqual([provider, address], ['gemini', 'https://generativelanguage.googleapis.com']);
    assert.deepEqual(prices, { source: 'model', input: 1, output: 2, cache_read: 1, cache_creation: 1 });
    assert.deepEqual(health, { status: 'unknown', failures: 0, requests: 0, tokens: 0 });
  });
});

describe('who can use a model', () => {
  verifies('gateway.models.shown');
  let api: Managed;
  before(async () => {
    api = await openManaged();
    const make = async (path: string, body: object) => {
      const made = await api.send(api.admin, 'POST', path, body);
      assert.equal(made.status, 200, made.text);
    };
    const team = (team_id: string, more: object) => make('/team/new', { team_id, team_alias: team_id, ...more });
    const key = (key_alias: string, more: object) => api.give({ key_alias, ...more });
    const only = (...models: readonly string[]) => ({ object_permission: { models } });
    for (const [model_name, model] of Object.entries({ fast: 'gpt-5', smart: 'gpt-5', 'openai/*': '*' }))
      await make('/model/new', { model_name, gateway_params: { model: `openai/${model}` } });
    const narrow = { organization_id: 'narrow', organization_alias: 'narrow' };
    await make('/organization/new', { ...narrow, ...only('fast') });
    await team('all', only('all-proxy-models'));
    await team('under', { ...only('fast', 'smart'), organization_id: 'narrow' });
    await team('shut', { ...only('fast'), blocked: true });
    await key('silent', {});
    await key('listed', { models: ['smart'] });
    await key('none', { team_id: 'all', models: ['no-default-models'] });
    await key('pattern', only('openai/gpt-5*'));
    await key('inherits', { team_id: 'under' });
    await key('tools-only', { ...only('fast'), allowed_routes: ['mcp_routes'] });
    await key('models-only', { ...only('fast'), allowed_routes: ['model_routes'] });
    await key('blocked', { ...only('fast'), blocked: true });
    await key('of-blocked-team', { team_id: 'shut' });
  });
  after(() => api.close());

  const expected: readonly [model: string, teams: readonly string[], keys: readonly string[]][] = [
    ['fast', ['all', 'under'], ['administrator', 'inherits', 'models-only']],
    ['smart', ['all'], ['administrator', 'listed']],
    ['openai/*', ['all'], ['administrator', 'pattern']],
  ];
  for (const [model, teams, keys] of expected)
    it(`is listed for ${model} as calls are decided`, async () => {
      const answer = await api.send(api.admin, 'GET', `/model/access?model_name=${encodeURIComponent(model)}`);
      const [found, ...others] = answer.list('data');
      const namesOf = (list: unknown, member: string) =>
        (list as Record<string, string>[]).map((it) => it[member] ?? 'administrator').toSorted();
      assert.deepEqual(others, []);
      assert.deepEqual(namesOf(found?.['teams'], 'team_alias'), teams, answer.text);
      assert.deepEqual(namesOf(found?.['keys'], 'key_alias'), keys, answer.text);
      assert.deepEqual([found?.['team_count'], found?.['key_count']], [teams.length, keys.length]);
    });

  it('is not shown to other callers', async () => {
    const key = await api.give({ models: ['smart'] });
    assert.equal((await api.send(key, 'GET', '/model/access')).status, 403);
  });
});
