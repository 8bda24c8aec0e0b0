import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { type Managed, openManaged, start } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: start, updated_at: start };
const path = '/v1/access_group';

/** Models, servers and agents under one id, which keys and teams name. */
describe('access groups', () => {
  let api: Managed;
  const send = (method: string, at: string, body?: unknown, key = api.admin) => api.send(key, method, at, body);
  const make = async (name: string, body: object) => {
    const made = await send('POST', path, { access_group_name: name, ...body });
    assert.equal(made.status, 201, made.text);
    return made.string('access_group_id');
  };
  const explain = (key: string, body: object) => send('POST', '/access/explain', { key: hashKey(key), ...body });
  const usable = async (key: string) =>
    (await send('GET', '/v1/mcp/server', undefined, key)).list().map((it) => it['server_id']);

  before(async () => {
    api = await openManaged();
    const server = { transport: 'http' as const, url: 'https://example.com', approval_status: 'active' as const };
    for (const server_id of ['a', 'b', 'c'])
      await api.store.mcp_server.insert({ server_id, alias: `${server_id}-alias`, ...server, ...stamps });
    for (const agent_id of ['x', 'y'])
      await api.store.agent.insert({ agent_id, agent_name: `${agent_id}-name`, agent_card_params: {}, ...stamps });
  });
  after(() => api.close());

  it('are made, changed, read and deleted by administrators, and audited', async () => {
    verifies('gateway.manage.access-groups');
    const id = await make('all of it', {
      description: 'd',
      access_model_names: ['m'],
      access_mcp_server_ids: ['a'],
      access_agent_ids: ['x-name'],
    });
    assert.equal((await send('POST', path, { access_group_name: 'all of it' })).status, 409);
    const changed = await send('PUT', `${path}/${id}`, { access_mcp_server_ids: ['a', 'b-alias'], description: null });
    assert.deepEqual(
      [changed.at('access_mcp_server_ids'), changed.at('description'), changed.at('access_model_names')],
      [['a', 'b-alias'], null, ['m']],
    );
    assert.equal((await send('GET', `${path}/${id}`)).at('access_group_name'), 'all of it');
    assert.equal((await send('DELETE', `${path}/${id}`)).at('access_group_id'), id);
    assert.equal((await send('GET', `${path}/${id}`)).status, 404);
    const audit = await send('GET', '/audit?table_name=access_group');
    assert.deepEqual(
      new Set(audit.list('audit_logs').map((it) => it['action'])),
      new Set(['created', 'updated', 'deleted']),
    );
  });

  for (const [field, body] of [
    ['access_mcp_server_ids', { access_mcp_server_ids: ['typo'] }],
    ['access_agent_ids', { access_agent_ids: ['typo'] }],
    ['access_group_name', { access_group_name: '' }],
    ['members', { members: [] }],
  ] as const) {
    it(`name what is wrong with one: ${field}`, async () => {
      const reply = await send('POST', path, { access_group_name: 'wrong', ...body });
      assert.deepEqual([reply.status, reply.at('error.param')], [400, field]);
    });
  }

  it('let a key use their servers and agents beside its own, by words that explain it', async () => {
    const id = await make('writers', { access_mcp_server_ids: ['b-alias'], access_agent_ids: ['x-name'] });
    const key = await api.give({ object_permission: { mcp_servers: ['a'] }, access_group_ids: [id] });
    assert.deepEqual(await usable(key), ['a', 'b']);
    for (const question of [{ server_id: 'b' }, { agent_id: 'x' }, { server_id: 'b', tool: 't' }]) {
      const answer = await explain(key, question);
      assert.equal(answer.at('allowed'), true, answer.text);
      assert.match(answer.string('sentence'), /through the access group 'writers'/);
    }
    assert.doesNotMatch((await explain(key, { server_id: 'a' })).string('sentence'), /access group/);
    for (const question of [{ server_id: 'c' }, { agent_id: 'y' }])
      assert.equal((await explain(key, question)).at('allowed'), false);
  });

  it('end where the team ends, and count from the moment they change', async () => {
    const id = await make('shared', { access_mcp_server_ids: ['a'] });
    const team_id = 'narrow';
    await send('POST', '/team/new', { team_id, object_permission: { mcp_servers: ['b'] }, access_group_ids: [id] });
    const key = await api.give({ team_id });
    const wide = await api.give({
      team_id,
      access_group_ids: [await make('too much', { access_mcp_server_ids: ['c'] })],
    });
    assert.deepEqual([await usable(key), await usable(wide)], [['a', 'b'], []]);
    await send('PUT', `${path}/${id}`, { access_mcp_server_ids: ['c'] });
    assert.deepEqual([await usable(key), await usable(wide)], [['b', 'c'], ['c']]);
    await send('DELETE', `${path}/${id}`);
    assert.deepEqual([await usable(key), await usable(wide)], [['b'], []]);
  });

  it('are seen by those whose key or team names them, and by nobody else', async () => {
    const [mine, ours, other] = [await make('mine', {}), await make('ours', {}), await make('theirs', {})];
    await send('POST', '/team/new', { team_id: 'seeing', access_group_ids: [ours] });
    const key = await api.give({ team_id: 'seeing', access_group_ids: [mine] });
    const seen = (await send('GET', path, undefined, key)).list().map((it) => it['access_group_id']);
    assert.deepEqual(new Set(seen), new Set([mine, ours]));
    assert.equal((await send('GET', `${path}/${mine}`, undefined, key)).status, 200);
    for (const id of [other, 'nobody']) {
      const refused = await send('GET', `${path}/${id}`, undefined, key);
      assert.deepEqual([refused.status, refused.at('error.param')], [403, 'access_group_id']);
    }
    assert.equal((await send('PUT', `${path}/${mine}`, {}, key)).status, 403);
  });

  it('are given on by those alone who have them, and only where there are such', async () => {
    const [held, more] = [await make('held', {}), await make('more', { access_mcp_server_ids: ['a'] })];
    const ann = await api.give({ user_id: 'ann', access_group_ids: [held] });
    const generate = (key: string, access_group_ids: string[]) =>
      send('POST', '/key/generate', { access_group_ids }, key);
    assert.equal((await generate(ann, [held])).status, 200);
    assert.equal((await generate(ann, [held, more])).at('error.param'), 'access_group_ids');
    const raised = await send('POST', '/key/update', { key: hashKey(ann), access_group_ids: [more] }, ann);
    assert.deepEqual([raised.status, raised.at('error.param')], [403, 'access_group_ids']);
    assert.equal((await generate(api.admin, ['nobody'])).at('error.param'), 'access_group_ids');
    const update = await send('POST', '/key/update', { key: hashKey(ann), access_group_ids: ['nobody'] });
    assert.equal(update.at('error.param'), 'access_group_ids');
    const team = await send('POST', '/team/new', { access_group_ids: ['nobody'] });
    assert.equal(team.at('error.param'), 'access_group_ids');
    const listed = await send('GET', `/key/list?access_group_id=${held}`);
    assert.equal(listed.at('total_count'), 2);
  });
});
