import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { type Managed, openManaged, start } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

describe('POST /access/explain', () => {
  verifies('gateway.manage.oversight');
  let api: Managed;
  let key: string;
  const ask = (body: object, by = api.admin) => api.send(by, 'POST', '/access/explain', body);
  before(async () => {
    api = await openManaged();
    const stamps = { created_at: start, updated_at: start };
    const server = { transport: 'http' as const, url: 'https://example.com', approval_status: 'active' as const };
    await api.store.mcp_server.insert({ server_id: 's', server_name: 'files', ...server, ...stamps });
    await api.store.agent.insert({ agent_id: 'a', agent_name: 'writer', agent_card_params: {}, ...stamps });
    await api.store.team.insert({ team_id: 't', object_permission: { mcp_servers: ['files'] }, ...stamps });
    await api.store.end_user.insert({ user_id: 'e', object_permission: { mcp_servers: [] }, ...stamps });
    key = await api.give({ team_id: 't', object_permission: { mcp_tool_permissions: { files: ['read'] } } });
  });
  after(() => api.close());

  for (const { says, body, allowed, level } of [
    { says: 'a server that the team names', body: { server_id: 'files' }, allowed: true, level: 'team' },
    { says: 'a tool that the key names', body: { server_id: 's', tool: 'read' }, allowed: true, level: 'key' },
    {
      says: 'a tool that the key does not name',
      body: { server_id: 's', tool: 'write' },
      allowed: false,
      level: 'key',
    },
    {
      says: 'an end user who may use nothing',
      body: { server_id: 's', end_user: 'e' },
      allowed: false,
      level: 'endUser',
    },
    { says: 'an agent that nobody names', body: { agent_id: 'writer' }, allowed: false, level: 'default' },
  ]) {
    it(`${says}: ${allowed ? 'allowed' : 'not allowed'}, by the level '${level}'`, async () => {
      const answer = await ask({ token: hashKey(key), ...body });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.at('allowed'), allowed);
      const effect = allowed ? 'allows' : 'forbids';
      assert.ok(
        answer.list('steps').some((it) => it['level'] === level && it['effect'] === effect),
        answer.text,
      );
      assert.match(
        answer.string('sentence'),
        allowed ? /^The key is allowed to use / : /^The key is not allowed to use /,
      );
    });
  }

  it('everybody may ask about their own key, and about no other', async () => {
    assert.equal((await ask({ server_id: 's' }, key)).at('allowed'), true);
    assert.equal((await ask({ server_id: 's', token: hashKey(api.admin) }, key)).status, 404);
  });

  it('names what is wrong with a question', async () => {
    assert.equal((await ask({})).at('error.param'), 'server_id');
    assert.equal((await ask({ server_id: 's', agent_id: 'a' })).at('error.param'), 'server_id');
    const unknown = await ask({ server_id: 'nobody' });
    assert.deepEqual([unknown.status, unknown.at('error.param')], [404, 'server_id']);
  });
});
