import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { type Managed, openManaged, start } from '../../../support/gateway/managed.ts';

const team_id = 't';
const path = '/team/permissions_update';

/** `team_member_permissions`: routes for keys that a team opens to members who do not lead it. */
describe('what a team lets its members do', () => {
  let api: Managed;
  let lead: string;
  let member: string;
  let own: string;
  let program: string;
  let another: string;
  const post = (key: string, at: string, body: object) => api.send(key, 'POST', at, body);
  const allow = async (...team_member_permissions: string[]) => {
    const reply = await post(lead, path, { team_id, team_member_permissions });
    assert.equal(reply.status, 200, reply.text);
    return reply.at('team_member_permissions');
  };

  beforeEach(async () => {
    api = await openManaged({}, 'all');
    await api.store.team.insert({
      team_id,
      members_with_roles: [
        { role: 'admin', user_id: 'lena' },
        { role: 'user', user_id: 'mo' },
        { role: 'user', user_id: 'nina' },
      ],
      created_at: start,
      updated_at: start,
    });
    lead = await api.give({ user_id: 'lena' });
    member = await api.give({ user_id: 'mo' });
    own = hashKey(await api.give({ team_id, user_id: 'mo' }));
    program = hashKey(await api.give({ team_id }));
    another = hashKey(await api.give({ team_id, user_id: 'nina' }));
  });
  afterEach(() => api.close());

  it('is said by who leads it, once for each thing, and by nobody else', async () => {
    assert.deepEqual(await allow('/key/update', '/key/update', '/key/info'), ['/key/update', '/key/info']);
    assert.equal((await post(member, path, { team_id, team_member_permissions: ['/key/info'] })).status, 404);
    const wrong = await post(lead, path, { team_id, team_member_permissions: ['/key/unblock'] });
    assert.deepEqual([wrong.status, wrong.at('error.param')], [400, 'team_member_permissions.0']);
    const info = await api.send(lead, 'GET', `/team/info?team_id=${team_id}`);
    assert.deepEqual(info.at('team_info.team_member_permissions'), ['/key/update', '/key/info']);
    const { body } = await api.send(api.admin, 'GET', '/audit?table_name=team');
    assert.match(JSON.stringify(body), /team_member_permissions/);
  });

  for (const [right, at, body] of [
    ['/key/update', '/key/update', { metadata: { by: 'mo' } }],
    ['/key/regenerate', '/key/regenerate', {}],
    ['/key/block', '/key/block', {}],
  ] as const) {
    it(`${right}: keys of their own and of programs, until it is taken back`, async () => {
      for (const key of [own, program]) assert.equal((await post(member, at, { key, ...body })).status, 404);
      await allow(right);
      assert.equal((await post(member, at, { key: another, ...body })).status, 404, 'not of other people');
      for (const key of [own, program]) {
        const reply = await post(member, at, { key, ...body });
        assert.equal(reply.status, 200, reply.text);
      }
      await allow();
      const kept = (await api.store.key.list({ team_id })).items.find((it) => it.user_id === 'mo')!;
      assert.equal((await post(member, at, { key: kept.token, ...body })).status, 404);
    });
  }

  it('/key/delete: the same', async () => {
    assert.equal((await post(member, '/key/delete', { keys: [own] })).status, 404);
    await allow('/key/delete');
    assert.equal((await post(member, '/key/delete', { keys: [own, another] })).status, 404);
    assert.deepEqual((await post(member, '/key/delete', { keys: [own, program] })).at('deleted_keys'), [own, program]);
  });

  it('/key/generate: for themselves; /key/service-account/generate: for programs', async () => {
    const make = (body: object, at = '/key/generate') => post(member, at, { team_id, ...body });
    assert.equal((await make({ user_id: 'mo' })).at('error.param'), 'team_id');
    await allow('/key/generate');
    assert.equal((await make({ user_id: 'mo' })).status, 200);
    for (const body of [{ user_id: 'nina' }, {}]) assert.equal((await make(body)).status, 403);
    assert.equal((await make({}, '/key/service-account/generate')).status, 403);
    await allow('/key/service-account/generate');
    assert.equal((await make({}, '/key/service-account/generate')).status, 200);
    assert.equal((await make({ user_id: 'mo' })).status, 403);
  });

  it('gives nobody more than they have themselves', async () => {
    await allow('/key/update', '/key/generate');
    const narrow = await api.give({ user_id: 'mo', max_budget: 1 });
    const wide = await post(narrow, '/key/generate', { team_id, user_id: 'mo', max_budget: 2 });
    assert.deepEqual([wide.status, wide.at('error.param')], [403, 'max_budget']);
    const raised = await post(narrow, '/key/update', { key: own, allow_debug: true });
    assert.deepEqual([raised.status, raised.at('error.param')], [403, 'allow_debug']);
  });

  it('/key/info and /key/list: what keys there are in the team', async () => {
    const seen = async () => (await api.send(member, 'GET', '/key/list')).list('keys') as unknown as string[];
    assert.ok(!(await seen()).includes(another));
    assert.equal((await api.send(member, 'GET', `/key/info?key=${another}`)).status, 404);
    await allow('/key/list', '/key/info');
    for (const it of [own, program, another]) assert.ok((await seen()).includes(it));
    assert.equal((await api.send(member, 'GET', `/key/info?key=${another}`)).at('info.user_id'), 'nina');
    const stranger = await api.give({ user_id: 'stranger' });
    assert.equal((await api.send(stranger, 'GET', `/key/info?key=${another}`)).status, 404);
  });
});
