import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Managed, openManaged, type Reply, start } from '../../../support/gateway/managed.ts';

const stamps = { created_at: start, updated_at: start };
const url = 'https://one.example/mcp';
const MASK = '********';

describe('what is registered', () => {
  let api: Managed;
  let asked: string[];
  let unpinned: string[];
  const send = (method: string, path: string, body?: object, key = api.admin) => api.send(key, method, path, body);
  const outcome = (reply: Reply) => [reply.status, reply.at('error.param')];
  const sealed = async (kind: string, id: string, name: string) =>
    JSON.parse((await api.store.secrets.get(kind, id, name)) ?? 'null') as unknown;
  beforeEach(async () => {
    [asked, unpinned] = [[], []];
    api = await openManaged({
      health: async (ids) => {
        asked.push(...ids);
        return ids.map((server_id) => ({ server_id, status: 'unhealthy', health_check_error: 'at one.example' }));
      },
      pins: {
        pin: async () => ({ tools: 0 }),
        unpin: async (id) => void unpinned.push(id),
      },
    });
  });
  afterEach(() => api.close());

  describe('as a server', () => {
    const add = (server_id: string, more: object = {}) =>
      send('POST', '/v1/mcp/server', { server_id, alias: server_id, url, ...more });
    const propose = async (alias: string) => {
      await api.store.team.insert({ team_id: `team of ${alias}`, ...stamps });
      const key = await api.give({ team_id: `team of ${alias}`, user_id: `person of ${alias}` });
      const made = await send('POST', '/v1/mcp/server/register', { alias, url }, key);
      assert.equal(made.status, 201, made.text);
      return { key, id: made.string('server_id') };
    };

    it('is deleted with all that was sealed for it and what was approved of it, and with nothing of another', async () => {
      for (const it of ['one', 'two'])
        await add(it, { auth_type: 'bearer_token', credentials: { auth_value: 'secret' } });
      const kinds = ['user_token', 'oauth_client', 'mcp_user_credential', 'mcp_user_variables'];
      for (const kind of kinds)
        for (const it of ['one', 'two']) await api.store.secrets.put(kind, it, 'ann', '"secret"');
      assert.equal((await send('DELETE', '/v1/mcp/server/one')).status, 202);
      for (const kind of ['mcp_server', ...kinds]) {
        assert.deepEqual(await api.store.secrets.names(kind, 'one'), [], kind);
        assert.equal((await api.store.secrets.names(kind, 'two')).length, 1, kind);
      }
      assert.deepEqual(unpinned, ['one']);
    });
    it('is listed and asked how it is once it is let in, and known before to administrators alone', async () => {
      const { id, key } = await propose('alpha');
      assert.deepEqual((await send('GET', '/v1/mcp/server')).list(), []);
      assert.equal((await send('GET', `/v1/mcp/server/${id}`)).at('approval_status'), 'pending_review');
      const refused = await send('GET', `/v1/mcp/server/${id}`, undefined, key);
      const none = await send('GET', '/v1/mcp/server/none', undefined, key);
      assert.deepEqual([refused.status, refused.text], [403, none.text]);
      assert.deepEqual(asked, []);
      assert.equal((await send('PUT', `/v1/mcp/server/${id}/approve`, {})).status, 200);
      assert.equal((await send('GET', `/v1/mcp/server/${id}`)).at('approval_status'), 'active');
      assert.deepEqual(asked, [id]);
      assert.equal((await send('GET', '/v1/mcp/server')).list().length, 1);
    });
    it('is let in or refused where somebody proposed it, and not otherwise', async () => {
      const { id } = await propose('alpha');
      await add('other');
      assert.equal((await send('PUT', `/v1/mcp/server/${id}/reject`, {})).at('approval_status'), 'rejected');
      assert.equal((await send('PUT', `/v1/mcp/server/${id}/approve`, {})).at('approval_status'), 'active');
      for (const verb of ['approve', 'reject'])
        assert.equal((await send('PUT', `/v1/mcp/server/other/${verb}`, {})).status, 409);
    });
    it('is among the proposals of whoever proposed it', async () => {
      const [one, two] = [await propose('alpha'), await propose('beta')];
      await add('plain');
      const seen = async (key: string) =>
        (await send('GET', '/v1/mcp/server/submissions', undefined, key)).list('items').map((it) => it['server_id']);
      assert.deepEqual(await seen(one.key), [one.id]);
      assert.deepEqual(await seen(two.key), [two.id]);
      assert.deepEqual(new Set(await seen(api.admin)), new Set([one.id, two.id]));
    });
    it('is shown as one of a team to its members and keys, and to nobody else', async () => {
      await api.store.team.insert({ team_id: 't', members_with_roles: [{ role: 'user', user_id: 'mo' }], ...stamps });
      const status = async (key: string) => (await send('GET', '/v1/mcp/server?team_id=t', undefined, key)).status;
      const keys = [{ team_id: 't' }, { user_id: 'mo' }, { user_id: 'stranger' }].map((it) => api.give(it));
      const found = [...(await Promise.all(keys)), api.admin].map(status);
      assert.deepEqual(await Promise.all(found), [200, 200, 404, 200]);
    });
    it('says why it is not well to those alone who see how it is reached', async () => {
      await add('alpha', { allow_all_keys: true });
      const health = async (key?: string) => (await send('GET', '/v1/mcp/server/health', undefined, key)).list();
      assert.deepEqual(await health(await api.give()), [{ server_id: 'alpha', status: 'unhealthy' }]);
      assert.equal((await health())[0]?.['health_check_error'], 'at one.example');
    });
    it('is public or not as administrators say, where the configuration file does not say it', async () => {
      const filed = {
        transport: 'http',
        approval_status: 'active',
        from_config: true,
        mcp_info: { is_public: true },
      } as const;
      await api.store.mcp_server.insert({ server_id: 'filed', alias: 'filed', url, ...filed, ...stamps });
      await add('alpha');
      for (const [mcp_server_ids, shown] of [
        [['alpha'], ['alpha', 'filed']],
        [[], ['filed']],
      ] as const) {
        assert.equal((await send('POST', '/v1/mcp/make_public', { mcp_server_ids })).status, 202);
        const found = (await send('GET', '/v1/mcp/discover')).list('servers').map((it) => it['server_id']);
        assert.deepEqual(found, shown);
      }
    });
    it('keeps both of two changes at the same moment, with the secrets of both', async () => {
      await add('alpha', { auth_type: 'oauth2', credentials: { client_id: 'us', client_secret: 'first' } });
      const change = (more: object) => send('PUT', '/v1/mcp/server', { server_id: 'alpha', ...more });
      const changes = [
        change({ credentials: { client_secret: 'second' } }),
        change({ description: 'new', credentials: { scopes: ['read'] } }),
      ];
      api.clock.pass(1);
      for (const it of await Promise.all(changes)) assert.equal(it.status, 202, it.text);
      const credentials = { client_id: 'us', client_secret: 'second', scopes: ['read'] };
      assert.deepEqual(await sealed('mcp_server', 'alpha', 'credentials'), credentials);
      assert.equal((await api.store.mcp_server.get('alpha'))?.description, 'new');
    });
  });

  describe('as an agent', () => {
    const card = { name: 'Writer', url: 'https://agent.example.com/a2a', version: '1', skills: [{ name: 'letters' }] };
    const add = async (agent_name: string, more: object = {}) =>
      (await send('POST', '/v1/agents', { agent_name, agent_card_params: card, ...more })).string('agent_id');

    it('keeps the headers of each place that are written back as they are shown, and its keys where nothing is said', async () => {
      const gateway_params = { api_key: 'secret', static_headers: { 'x-a': 'of the parameters' } };
      const id = await add('writer', { gateway_params, static_headers: { 'x-a': 'of the agent' } });
      const values = { static_headers: { 'x-a': 'of the agent' }, params_headers: { 'x-a': 'of the parameters' } };
      for (const patch of [
        { rpm_limit: 1 },
        { gateway_params: { static_headers: { 'x-a': MASK } }, static_headers: { 'x-a': MASK } },
      ]) {
        assert.equal((await send('PATCH', `/v1/agents/${id}`, patch)).status, 200);
        assert.deepEqual(await sealed('agent', id, 'values'), values);
        assert.deepEqual(await sealed('agent', id, 'credentials'), { api_key: 'secret' });
      }
      const { created_by, created_at } = (await api.store.agent.get(id)) ?? {};
      assert.deepEqual([created_by, created_at], ['root', start]);
    });
    it('has a name that is neither the name nor the id of another', async () => {
      const [one, two] = [await add('one'), await add('two')];
      for (const agent_name of ['two', two])
        assert.deepEqual(outcome(await send('PATCH', `/v1/agents/${one}`, { agent_name })), [400, 'agent_name']);
      for (const agent_name of ['one', one])
        assert.equal((await send('PATCH', `/v1/agents/${one}`, { agent_name })).status, 200);
    });
    it('of the configuration file is changed there alone', async () => {
      const filed = { agent_id: 'filed', agent_name: 'filed', agent_card_params: card, from_config: true };
      await api.store.agent.insert({ ...filed, ...stamps });
      for (const [method, path, body] of [
        ['PATCH', '/v1/agents/filed', { rpm_limit: 1 }],
        ['PUT', '/v1/agents/filed', { agent_name: 'filed', agent_card_params: card }],
        ['POST', '/v1/agents/filed/make_public', undefined],
        ['POST', '/v1/agents/make_public', { agent_ids: ['filed'] }],
        ['DELETE', '/v1/agents/filed', undefined],
      ] as const)
        assert.equal((await send(method, path, body)).status, 409, `${method} ${path}`);
    });
    it('is shown to a viewer as far as the key of the viewer goes, and is found by what it speaks of', async () => {
      const [writer, painter] = [
        await add('writer'),
        await add('painter', { agent_card_params: { ...card, name: 'Painter', skills: [{ name: 'pictures' }] } }),
      ];
      const shown = async (key?: string, query = '') =>
        (await send('GET', `/v1/agents${query}`, undefined, key)).list().map((it) => it['agent_id']);
      const viewer = await api.give({ role: 'proxy_admin_viewer' });
      const narrow = await api.give({ role: 'proxy_admin_viewer', object_permission: { agents: [painter] } });
      assert.deepEqual(new Set(await shown(viewer)), new Set([writer, painter]));
      assert.deepEqual(await shown(narrow), [painter]);
      assert.deepEqual(await shown(undefined, '?query=pictures'), [painter]);
      assert.deepEqual(await shown(undefined, '?query=zebra'), []);
    });
  });
});
