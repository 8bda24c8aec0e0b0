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
});
