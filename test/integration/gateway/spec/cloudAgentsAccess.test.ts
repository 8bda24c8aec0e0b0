import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { ObjectPermission } from '../../../../sidecar/protocol/gateway/objectPermission.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

type Levels = Partial<Record<'key' | 'team' | 'endUser' | 'agent' | 'org', ObjectPermission>>;
const at = '2026-01-01T00:00:00.000Z';
const stamps = { created_at: at, updated_at: at };
const cloud = { agents: ['all-cloud-agents'] };
const launch = { prompt: { text: 'Fix it' }, source: { repository: 'https://git.example/o/r' } };
const routes: readonly [method: string, path: string, body?: object][] = [
  ['GET', '/v0/agents'],
  ['POST', '/v0/agents', launch],
  ['DELETE', '/v0/agents/bc_1'],
  ['GET', '/v0/agents/bc_1/conversation'],
  ['POST', '/v0/agents/bc_1/followup', { prompt: { text: 'And the docs' } }],
  ['POST', '/v0/agents/bc_1/stop'],
  ['GET', '/v0/me'],
  ['POST', '/v1/agents/bc_1/runs', {}],
  ['PATCH', '/v9/unknown', {}],
];

for (const defaultAccess of ['none', 'all'] as const) {
  describe(`the cloud agents, where the default is ${defaultAccess}`, () => {
    verifies('gateway.access.cloud-agents');
    let stand: Stand;
    let count = 0;

    before(async () => {
      stand = await openStand({ tools: twoTools, defaultAccess });
      await stand.registerAgent('x');
      const bundle = { access_group_name: 'cloud', access_agent_ids: cloud.agents };
      await stand.gateway.store.access_group.insert({ access_group_id: 'g-cloud', ...bundle, ...stamps });
    });
    after(() => stand.close());
    beforeEach(() => void stand.backend.heard.splice(0));

    async function callerWith({ key, team, endUser, agent, org }: Levels, more: object = {}) {
      const { store } = stand.gateway;
      const id = `${defaultAccess}-${(count += 1)}`;
      if (org) await store.organization.insert({ organization_id: id, object_permission: org, ...stamps });
      if (team) await store.team.insert({ team_id: id, object_permission: team, ...stamps });
      if (endUser) await store.end_user.insert({ user_id: id, object_permission: endUser, ...stamps });
      if (agent) await stand.addAgent({ agent_id: id, agent_name: id, object_permission: agent });
      const own = await stand.addKey({
        ...(key && { object_permission: key }),
        ...(team && { team_id: id }),
        ...(org && { organization_id: id }),
        ...more,
      });
      return {
        ...bearer(own),
        ...(endUser && { 'x-gateway-end-user-id': id }),
        ...(agent && { 'x-gateway-agent-id': id }),
      };
    }
    async function statuses(headers: Record<string, string>): Promise<readonly number[]> {
      const found: number[] = [];
      for (const [method, path, body] of routes) {
        const json = body && { body: JSON.stringify(body) };
        const init = { method, headers: { ...headers, 'content-type': 'application/json' }, ...json };
        const answer = await fetch(`${stand.base}/cloudagents${path}`, init);
        await answer.text();
        found.push(answer.status);
      }
      return found;
    }

    const isOpen = defaultAccess === 'all';
    const rows: readonly [says: string, Levels, opens: boolean, more?: object][] = [
      ['nobody says anything', {}, isOpen],
      ['the key names them', { key: cloud }, true],
      ['the team names them', { team: cloud }, true],
      ['an access group of the key names them', {}, true, { access_group_ids: ['g-cloud'] }],
      ['the key names another agent', { key: { agents: ['x'] } }, false],
      ['the key has an empty list', { key: { agents: [] } }, false],
      ['the key names servers alone', { key: { mcp_servers: ['a'] } }, isOpen],
      ['the key names them, the team another agent', { key: cloud, team: { agents: ['x'] } }, false],
      ['the end user names another agent', { key: cloud, endUser: { agents: ['x'] } }, false],
      ['the calling agent names another agent', { key: cloud, agent: { agents: ['x'] } }, false],
      ['the organisation names another agent', { key: cloud, org: { agents: ['x'] } }, false],
      ['only the organisation names them', { org: cloud }, isOpen],
      ['only the end user names them', { endUser: cloud }, isOpen],
      ['the key is an administrator’s and says nothing', {}, true, { role: 'proxy_admin' }],
      [
        'the key is an administrator’s and names a server and another agent',
        { key: { mcp_servers: ['a'], agents: ['x'] } },
        false,
        { role: 'proxy_admin' },
      ],
    ];
    for (const [says, levels, opens, more] of rows) {
      it(`are ${opens ? 'reached' : 'refused on every route, and hear nothing'} where ${says}`, async () => {
        const expected = routes.map(() => (opens ? 200 : 403));
        assert.deepEqual(await statuses(await callerWith(levels, more)), expected);
        assert.equal(stand.backend.heard.length, opens ? routes.length : 0);
      });
    }

    it('are refused in words that name the field, and the refusal is on record as a failed call', async () => {
      const caller = await callerWith({ key: { agents: ['x'] } });
      const answer = await stand.ask('/cloudagents/v0/agents', caller, launch);
      const { error } = answer.json as { error: { message: string; param: string } };
      assert.deepEqual([answer.status, error.param], [403, 'object_permission.agents']);
      assert.match(error.message, /all-cloud-agents/);
      const record = await stand.recordOf(answer);
      assert.deepEqual([record.status, record.error_code], ['failure', 'forbidden']);
      assert.equal(record.call_type, 'cloudagents:agent:create');
    });

    it('are refused with the next call when the grant is taken away', async () => {
      const made = await stand.manage('POST', '/key/generate', { object_permission: cloud });
      const caller = bearer(String(made['key']));
      const before = await stand.ask('/cloudagents/v0/me', caller);
      await stand.manage('POST', '/key/update', { key: made['key'], object_permission: { agents: [] } });
      const later = await stand.ask('/cloudagents/v0/me', caller);
      assert.deepEqual([before.status, later.status, stand.backend.heard.length], [200, 403, 1]);
    });

    it('are explained like an agent', async () => {
      const made = await stand.manage('POST', '/key/generate', { object_permission: { agents: ['x'] } });
      const asked = { key: made['key'], agent_id: 'all-cloud-agents' };
      const said = await stand.as(stand.adminKey, '/access/explain', {
        method: 'POST',
        body: JSON.stringify(asked),
      });
      assert.equal(((await said.json()) as { allowed?: boolean }).allowed, false);
    });

    it('are no agent of A2A: no list has them, and no address reaches them', async () => {
      const caller = await callerWith({ key: cloud });
      const list = await stand.ask('/v1/agents', caller);
      assert.doesNotMatch(list.text, /all-cloud-agents/);
      const called = await stand.ask('/a2a/all-cloud-agents', caller, {
        jsonrpc: '2.0',
        id: 1,
        method: 'message/send',
      });
      assert.notEqual(called.status, 200);
    });

    it('stay closed to a key that was granted a registered agent of the same name', async () => {
      const caller = await callerWith({ key: cloud });
      await stand.addAgent({ agent_id: 'impostor', agent_name: 'all-cloud-agents' });
      try {
        assert.equal((await stand.ask('/cloudagents/v0/me', caller)).status, 403);
        assert.equal(stand.backend.heard.length, 0);
      } finally {
        await stand.gateway.store.agent.remove('impostor');
      }
    });
  });
}
