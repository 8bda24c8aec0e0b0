import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: 'x', updated_at: 'x' };

describe('requests for access to MCP servers', () => {
  let api: Managed;
  before(async () => {
    api = await openManaged({ listedTools: (id) => (id === 'mine' ? ['a', 'b'] : ['secret']) });
    const server = {
      transport: 'http',
      url: 'https://inside.example/mcp',
      approval_status: 'active',
      ...stamps,
    } as const;
    await api.store.mcp_server.insert({ ...server, server_id: 'mine', alias: 'mine' });
    const owned = { description: 'Tickets', owners: ['ops@example.com'], listed_in_catalog: true };
    await api.store.mcp_server.insert({ ...server, ...owned, server_id: 'tickets', alias: 'tickets' });
    await api.store.mcp_server.insert({ ...server, server_id: 'hidden', alias: 'hidden' });
    const waiting = { ...server, approval_status: 'pending_review', listed_in_catalog: true } as const;
    await api.store.mcp_server.insert({ ...waiting, server_id: 'proposed', alias: 'proposed' });
    await api.store.team.insert({
      team_id: 'open',
      object_permission: { mcp_servers: ['mine', 'tickets'] },
      ...stamps,
    });
    await api.store.team.insert({ team_id: 'narrow', object_permission: { mcp_servers: ['mine'] }, ...stamps });
  });
  after(() => api.close());

  const catalogOf = async (key: string) => (await api.send(key, 'GET', '/v1/mcp/catalog')).list('servers');
  const ask = (key: string, server_id: string) =>
    api.send(key, 'POST', '/v1/mcp/access-request', { server_id, reason: 'Work' });
  const decide = (id: string, verb: string, body = {}, by = api.admin) =>
    api.send(by, 'POST', `/v1/mcp/access-request/${id}/${verb}`, body);
  const serversOf = async (key: string) => (await api.store.key.get(hashKey(key)))?.object_permission?.mcp_servers;

  it('the catalog has what a key may use and what is listed, and tells nothing of how it is reached', async () => {
    verifies('gateway.catalog');
    const key = await api.give({ object_permission: { mcp_servers: ['mine'] } });
    const found = await catalogOf(key);
    assert.deepEqual(
      found.map((it) => [it['name'], it['may_use'], it['tools'], it['owners']]),
      [
        ['mine', true, 2, []],
        ['tickets', false, null, ['ops@example.com']],
      ],
    );
    assert.equal(JSON.stringify(found).includes('inside.example'), false);
  });

  it('a request waits once for each key and server, and only for what is listed and not allowed yet', async () => {
    verifies('gateway.catalog.requests');
    const key = await api.give({ object_permission: { mcp_servers: ['mine'] } });
    assert.deepEqual(
      [
        (await ask(key, 'mine')).status,
        (await ask(key, 'hidden')).status,
        (await ask(key, 'proposed')).status,
        (await ask(key, 'tickets')).status,
        (await ask(key, 'tickets')).status,
      ],
      [409, 404, 404, 201, 409],
    );
    const listed = await api.send(api.admin, 'GET', '/v1/mcp/access-request');
    assert.equal(listed.at('pending'), 1);
    assert.deepEqual([listed.at('requests.0.server_name'), listed.at('requests.0.reason')], ['tickets', 'Work']);
    const id = listed.string('requests.0.request_id');
    assert.equal((await api.send(key, 'GET', '/v1/mcp/access-request')).status, 403);
    assert.equal((await decide(id, 'grant', {}, key)).status, 403);
    assert.equal((await decide(id, 'refuse', { decision_notes: 'Ask your lead' })).status, 200);
    assert.equal((await decide(id, 'grant')).status, 409);
    const [, tickets] = await catalogOf(key);
    assert.deepEqual(tickets?.['request'], {
      status: 'refused',
      created_at: api.clock.now(),
      decision_notes: 'Ask your lead',
    });
    assert.deepEqual(await serversOf(key), ['mine']);
    assert.equal((await ask(key, 'tickets')).status, 201, 'what was refused can be asked for again');
    assert.equal((await decide(id, 'grant')).status, 200);
    assert.deepEqual(await serversOf(key), ['mine', 'tickets']);
    const entries = (await api.send(api.admin, 'GET', `/audit?object_id=${id}`)).list('audit_logs');
    assert.deepEqual(entries.map((it) => String(it['action'])).toSorted(), [
      'approved',
      'created',
      'rejected',
      'updated',
    ]);
  });

  it('a request that two administrators decide at the same time is decided once, and the key has what was decided', async () => {
    verifies('gateway.catalog.requests');
    const key = await api.give({ object_permission: { mcp_servers: ['mine'] } });
    for (let times = 0; times < 5; times += 1) {
      const id = (await ask(key, 'tickets')).string('request_id');
      const order = times % 2 === 0 ? ['grant', 'refuse'] : ['refuse', 'grant'];
      const replies = await Promise.all(order.map((verb) => decide(id, verb)));
      const codes = replies.map((it) => it.status);
      assert.deepEqual(
        codes.toSorted((a, b) => a - b),
        [200, 409],
      );
      const isGranted = order[codes.indexOf(200)] === 'grant';
      assert.equal((await api.store.access_request.get(id))?.status, isGranted ? 'granted' : 'refused');
      assert.deepEqual(await serversOf(key), isGranted ? ['mine', 'tickets'] : ['mine']);
      await api.store.key.update(hashKey(key), (it) => ({ ...it, object_permission: { mcp_servers: ['mine'] } }));
    }
  });

  it('a granted request takes nothing from a key that inherits, widens no single tools, and passes no ceiling', async () => {
    verifies('gateway.catalog.requests');
    await api.store.toolset.insert({
      toolset_id: 'ts',
      toolset_name: 'few',
      tools: [{ server_id: 'hidden', tool_name: 'read' }],
      ...stamps,
    });
    const lone = await api.give({ object_permission: { mcp_toolsets: ['few'] } });
    const narrow = await api.give({ team_id: 'narrow' });
    const idOf = async (key: string) => (await ask(key, 'tickets')).string('request_id');
    assert.equal((await decide(await idOf(lone), 'grant')).status, 200);
    assert.deepEqual(await serversOf(lone), ['tickets']);
    const id = await idOf(narrow);
    const refused = await decide(id, 'grant');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /Allow it there first/);
    assert.equal(await serversOf(narrow), undefined);
    assert.equal((await api.store.access_request.get(id))?.status, 'pending');
    await api.store.team.update('narrow', (it) => ({ ...it, object_permission: { mcp_servers: ['mine', 'tickets'] } }));
    assert.equal((await decide(id, 'grant')).status, 200);
    assert.deepEqual((await serversOf(narrow))?.toSorted(), ['mine', 'tickets']);
  });
});
