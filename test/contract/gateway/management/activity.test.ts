import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { type Managed, managementRows, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const range = 'start_date=2026-03-01&end_date=2026-03-04';

describe('activity routes', () => {
  let api: Managed;
  let ann: string;
  let other: string;
  const get = (path: string, key = api.admin) => api.send(key, 'GET', path);
  /** What the last question to the reads was. */
  const last = () => api.asked.at(-1) as readonly [string, Readonly<Record<string, unknown>>];
  before(async () => {
    api = await openManaged();
    const stamps = { created_at: 'x', updated_at: 'x' };
    const led = { team_id: 'led', members_with_roles: [{ role: 'admin' as const, user_id: 'ann' }] };
    await api.store.team.insert({ ...led, ...stamps });
    await api.store.team.insert({
      team_id: 'joined',
      members_with_roles: [{ role: 'user', user_id: 'ann' }],
      ...stamps,
    });
    ann = await api.give({ user_id: 'ann' });
    other = await api.give({ user_id: 'bob' });
  });
  after(() => api.close());

  it('a record is asked for by its kind, and the records that name it are told', async () => {
    verifies('gateway.activity.record-use');
    const server = { server_id: 's1', alias: 'my files', transport: 'http', url: 'https://example.com/mcp' } as const;
    const stamps = { created_at: 'x', updated_at: 'x' };
    await api.store.mcp_server.insert({ ...server, approval_status: 'active', guardrails: ['pii'], ...stamps });
    const tools = [{ server_id: 's1', tool_name: 'read' }];
    await api.store.toolset.insert({ toolset_id: 'ts', toolset_name: 'few', tools, ...stamps });
    const budgeted = { team_id: 'rich', team_alias: 'Rich', budget_id: 'big', ...stamps };
    await api.store.team.insert({ ...budgeted, object_permission: { mcp_tool_permissions: { s1: ['read'] } } });
    // Says the server's name somewhere else.
    await api.store.team.insert({ team_id: 's1', metadata: { 'my files': 's1' }, ...stamps });
    const use = async (kind: string, id: string) => (await get(`/activity/record?${range}&kind=${kind}&id=${id}`)).body;
    const calls = (await use('team', 'rich')) as { calls: object; named_by: unknown };
    assert.deepEqual(last(), ['record', { column: 'team_id', value: 'rich' }, '2026-03-01', '2026-03-04']);
    assert.deepEqual(calls.named_by, []);
    const named = ((await use('mcp_server', 's1')) as { named_by: unknown }).named_by;
    assert.deepEqual(last()[1], { servers: ['s1', 'my_files'] });
    assert.deepEqual(named, [
      { kind: 'team', total: 1, has_more: false, records: [{ id: 'rich', name: 'Rich' }] },
      { kind: 'toolset', total: 1, has_more: false, records: [{ id: 'ts', name: 'few' }] },
    ]);
    await use('toolset', 'ts');
    assert.deepEqual(last()[1], { tools: ['my_files/read'] });
    const budget = { kind: 'team', total: 1, has_more: false, records: [{ id: 'rich', name: 'Rich' }] };
    assert.deepEqual(await use('budget', 'big'), { calls: null, named_by: [budget] });
    const guarded = { kind: 'mcp_server', total: 1, has_more: false, records: [{ id: 's1', name: 'my files' }] };
    assert.deepEqual(await use('guardrail', 'pii'), { calls: null, named_by: [guarded] });
  });

  it('others ask for their own keys, their own user, and teams that they administer', async () => {
    verifies('gateway.activity.record-use');
    const ask = async (kind: string, id: string) =>
      (await get(`/activity/record?${range}&kind=${kind}&id=${id}`, ann)).status;
    assert.deepEqual(
      [await ask('key', hashKey(ann)), await ask('key', ann), await ask('user', 'ann'), await ask('team', 'led')],
      [200, 200, 200, 200],
    );
    const refused = [
      await ask('key', hashKey(other)),
      await ask('user', 'bob'),
      await ask('team', 'joined'),
      await ask('team', 'rich'),
      await ask('organization', 'o1'),
      await ask('mcp_server', 's1'),
      await ask('budget', 'big'),
    ];
    assert.deepEqual(
      refused,
      refused.map(() => 403),
    );
    const own = await get(`/activity/record?${range}&kind=team&id=led`, ann);
    assert.deepEqual(own.list('named_by'), []);
  });

  it('administrators see the sums of everybody, and of whom they name', async () => {
    assert.equal((await get(`/user/daily/activity?${range}&page_size=7`)).status, 200);
    assert.deepEqual([last()[0], last()[1]['entity_ids'], last()[1]['page_size']], ['user', undefined, 7]);
    await get(`/tag/daily/activity?${range}&tags=a,b&api_key=sk-some-key-of-somebody`);
    assert.deepEqual([last()[0], last()[1]['entity_ids'], last()[1]['page_size']], ['tag', ['a', 'b'], 10]);
    assert.deepEqual(last()[1]['api_key'], [hashKey('sk-some-key-of-somebody')]);
    await get(`/user/daily/activity/aggregated?${range}`);
    assert.equal(last()[0], 'whole user');
  });

  it('agents can be left out', async () => {
    const stamps = { created_at: 'x', updated_at: 'x', agent_card_params: {} };
    for (const agent_id of ['a1', 'a2']) await api.store.agent.insert({ agent_id, agent_name: agent_id, ...stamps });
    await get(`/agent/daily/activity?${range}&exclude_agent_ids=a1`);
    assert.deepEqual(last()[1]['entity_ids'], ['a2']);
  });

  for (const { path, field } of [
    { path: '/user/daily/activity', field: 'start_date' },
    { path: '/user/daily/activity?start_date=yesterday&end_date=2026-03-04', field: 'start_date' },
    { path: '/gateway/daily/activity?start_date=2026-03-04&end_date=2026-03-01', field: 'end_date' },
    { path: '/spend/logs/v2?page_size=1001', field: 'page_size' },
    { path: `/activity/endpoints?${range}&format=xml`, field: 'format' },
  ]) {
    it(`${path} is refused and names ${field}`, async () => {
      const refused = await get(path);
      assert.deepEqual([refused.status, refused.at('error.param')], [400, field]);
    });
  }

  it('no list ignores a parameter that it does not know, and the answer names it', async () => {
    verifies('gateway.lists.parameters-known');
    const lists = (await managementRows()).filter((it) => it.method === 'GET');
    assert.ok(lists.length > 30);
    for (const { path } of lists) {
      const refused = await get(`${path.replaceAll(/\{\w+\}/g, 'any')}?trase_id=t1`);
      assert.deepEqual([refused.status, refused.at('error.param')], [400, 'trase_id'], path);
      assert.match(
        refused.string('error.message'),
        /^'trase_id' is unknown: this route (accepts|does not accept) /,
        path,
      );
    }
  });

  it('the log is asked for the calls of a trace', async () => {
    verifies('gateway.log.trace-filter');
    assert.equal((await get('/spend/logs/v2?trace_id=t1')).status, 200);
    assert.equal(last()[1]['trace_id'], 't1');
  });

  it('others must name themselves, and see nobody else', async () => {
    assert.equal((await get(`/user/daily/activity?${range}&user_id=ann`, ann)).status, 200);
    for (const path of ['', '&user_id=bob', '&user_id=ann,bob'])
      assert.equal((await get(`/user/daily/activity?${range}${path}`, ann)).status, 403, path);
    for (const entity of ['agent', 'customer', 'tag', 'gateway', 'organization'])
      assert.equal((await get(`/${entity}/daily/activity?${range}`, ann)).status, 403, entity);
  });

  it('who leads a team sees all of its calls, a member those of their own keys, others none', async () => {
    await get(`/team/daily/activity?${range}&team_ids=led`, ann);
    assert.deepEqual([last()[1]['entity_ids'], last()[1]['api_key']], [['led'], undefined]);
    await get(`/team/daily/activity?${range}&team_ids=joined`, ann);
    assert.deepEqual([last()[1]['entity_ids'], last()[1]['api_key']], [['joined'], [hashKey(ann)]]);
    assert.equal((await get(`/team/daily/activity?${range}&team_ids=led`, other)).status, 403);
  });

  it('a member sees none but their own keys of a team, whatever keys they name', async () => {
    const strange = hashKey(other);
    await get(`/team/daily/activity?${range}&team_ids=joined&api_key=${strange},${hashKey(ann)}`, ann);
    assert.deepEqual(last()[1]['api_key'], [hashKey(ann)]);
    await get(`/team/daily/activity?${range}&team_ids=joined&api_key=${strange}`, ann);
    assert.deepEqual(last()[1]['api_key'], []);
    await get(`/team/daily/activity?${range}&team_ids=led,joined`, ann);
    assert.deepEqual([last()[1]['entity_ids'], last()[1]['api_key']], [['led', 'joined'], [hashKey(ann)]]);
    await get(`/team/daily/activity?${range}&team_ids=led&api_key=${strange}`, ann);
    assert.deepEqual(last()[1]['api_key'], [strange]);
  });

  it('nobody sees the sums of a team or an organization beside their own, and who has none sees none', async () => {
    const stamps = { created_at: 'x', updated_at: 'x' };
    await api.store.team.insert({ team_id: 'foreign', members_with_roles: [], ...stamps });
    const led = { members: [{ user_id: 'lea', user_role: 'org_admin' as const }] };
    for (const [organization_id, more] of [
      ['own', led],
      ['theirs', {}],
    ] as const)
      await api.store.organization.insert({ organization_id, ...more, ...stamps });
    const lea = await api.give({ user_id: 'lea' });
    await get(`/organization/daily/activity?${range}`, lea);
    assert.deepEqual([last()[0], last()[1]['entity_ids']], ['organization', ['own']]);
    const before = api.asked.length;
    for (const [path, key] of [
      ['team?team_ids=led,foreign', ann],
      ['team?team_ids=joined,foreign', ann],
      ['team', other],
      ['organization', other],
      ['organization?organization_ids=own,theirs', lea],
      ['organization?organization_ids=theirs', lea],
    ] as const) {
      const [entity, query] = path.split('?');
      const refused = await get(`/${entity}/daily/activity?${range}${query ? `&${query}` : ''}`, key);
      assert.equal(refused.status, 403, path);
    }
    assert.equal(api.asked.length, before);
  });

  it('a key that is named in full is looked for by its hash everywhere', async () => {
    for (const path of ['/user/daily/activity', '/spend/logs/v2', '/activity/endpoints', '/spend/logs']) {
      await get(`${path}?${range}&user_id=ann&api_key=${ann}`.replace(/(?<=endpoints.*)&user_id=ann/, ''), ann);
      assert.deepEqual(last()[1]['api_key'], [hashKey(ann)], path);
    }
  });

  it('sums of one user are asked for that user alone', async () => {
    await get('/spend/logs?user_id=bob');
    assert.deepEqual([last()[0], last()[1]['entity_ids']], ['whole user', ['bob']]);
  });

  it('who leads one team sees the log of no other that they name beside it', async () => {
    assert.equal((await get('/spend/logs/v2?team_id=led,joined', ann)).status, 403);
    assert.equal((await get('/spend/logs/v2?team_id=led', other)).status, 403);
  });

  it('the log is limited to your own keys, or to a team that you lead', async () => {
    await get('/spend/logs/v2?search=x', ann);
    assert.deepEqual(last()[1]['api_key'], [hashKey(ann)]);
    assert.equal((await get(`/spend/logs/v2?api_key=${hashKey(other)}`, ann)).status, 403);
    assert.equal((await get('/spend/logs/v2?user_id=bob', ann)).status, 403);
    await get('/spend/logs/v2?team_id=led&user_id=bob', ann);
    assert.deepEqual([last()[1]['team_id'], last()[1]['api_key']], [['led'], undefined]);
    assert.equal((await get('/spend/logs/v2?team_id=joined', ann)).status, 403);
    await get('/spend/logs?summarize=false', ann);
    assert.deepEqual([last()[0], last()[1]['api_key']], ['logs', [hashKey(ann)]]);
    await get('/spend/logs');
    assert.deepEqual(
      [last()[0], last()[1]['start_date'], last()[1]['end_date']],
      ['whole user', '2026-02-02', '2026-03-04'],
    );
    await get(`/activity/endpoints?${range}`, ann);
    assert.deepEqual(last()[1]['api_key'], [hashKey(ann)]);
  });

  it('tables come as CSV where that is asked for', async () => {
    const table = await get(`/activity/endpoints?${range}&format=csv`);
    assert.match(table.headers.get('content-type') ?? '', /text\/csv/);
    assert.match(table.text, /^endpoint,successful_requests,.*\r\n\/mcp,3,1,4,75,0,1\r\n$/);
    assert.equal((await get('/spend/logs/v2?format=csv')).text, 'request_id\r\nr1\r\n');
    const lines = await get('/spend/logs/v2?format=jsonl');
    assert.match(lines.headers.get('content-type') ?? '', /application\/jsonl/);
    assert.match(lines.headers.get('content-disposition') ?? '', /filename="spend-logs\.jsonl"/);
    assert.equal(lines.text, '{"request_id":"r1"}\n');
  });
});
