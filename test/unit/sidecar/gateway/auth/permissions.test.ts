import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { only } from '../../../../../sidecar/gateway/access/statement.ts';
import type { Caller } from '../../../../../sidecar/gateway/auth/caller.ts';
import { Directory } from '../../../../../sidecar/gateway/auth/directory.ts';
import { levelsOf, Permissions, permissionOf } from '../../../../../sidecar/gateway/auth/permissions.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../../../support/gateway/stores.ts';

const begin = '2026-03-04T10:00:00.000Z';
const stamps = { created_at: begin, updated_at: begin };
/** Of a store without a record that holds any. */
const secrets = { names: async () => [] };
const list = (...mcp_servers: string[]) => ({ object_permission: { mcp_servers } });

describe('what a caller may use', () => {
  let place: StorePlace;
  let store: GatewayStore;
  let permissions: Permissions;
  let directory: Directory;

  before(async () => {
    place = await sqlitePlace();
    store = await place.open(new StandingClock(begin));
    for (const server_id of ['s1', 's2'])
      await store.mcp_server.insert({
        server_id,
        transport: 'http',
        url: 'https://example.com',
        approval_status: 'active',
        ...stamps,
      });
    await store.mcp_server.insert({
      server_id: 'pending',
      transport: 'http',
      approval_status: 'pending_review',
      ...stamps,
    });
    await store.agent.insert({ agent_id: 'x', agent_name: 'ex', agent_card_params: {}, ...stamps });
    await store.access_group.insert({
      access_group_id: 'g',
      access_group_name: 'G',
      access_mcp_server_ids: ['s2'],
      ...stamps,
    });
    directory = new Directory(store);
    permissions = new Permissions(directory, { defaultAccess: 'none', emptyListInherits: false });
  });
  after(async () => {
    await store.close();
    place.remove();
  });

  /** A caller with these records; the rest says nothing. */
  const caller = (more: object): Caller => ({ key: { token: 'k' }, isAdmin: false, ...more }) as unknown as Caller;
  const serversOf = async (more: object) => [...(await permissions.of(caller(more))).servers].sort().join(' ');

  it('is read from every level of the caller', async () => {
    const levels = levelsOf(
      caller({
        key: { token: 'k', user_id: 'u', ...list('1') },
        team: { ...list('2'), members_with_roles: [{ role: 'user', user_id: 'u', allowed_models: ['6'] }] },
        endUser: list('3'),
        agent: list('4'),
        organization: list('5'),
        isAdmin: true,
      }),
    );
    const named = Object.entries(levels).map(([level, it]) => `${level} ${it.mcp_servers ?? it.model_names ?? it}`);
    assert.deepEqual(named, ['key 1', 'team 2', 'endUser 3', 'agent 4', 'organization 5', 'member 6', 'isAdmin true']);
  });

  it('counts the access groups of keys and teams with the rest of what they say', async () => {
    assert.equal(await serversOf({ key: { token: '1', access_group_ids: ['g'] } }), 's2');
    assert.equal(await serversOf({ key: { token: '2', access_group_ids: ['g'], ...list('s1') } }), 's1 s2');
    assert.equal(await serversOf({ key: { token: '3' }, team: { access_group_ids: ['g'] } }), 's2');
    assert.equal(await serversOf({ key: { token: '4', object_permission: null, access_group_ids: null } }), '');
    const record = { access_group_ids: ['g'] };
    assert.equal(permissionOf(record), permissionOf(record), 'read once');
    assert.equal(permissionOf(undefined), undefined);
  });

  it('is told apart by key, end user and agent', async () => {
    const key = { token: 'apart', ...list('s1', 's2') };
    const endUser = (user_id: string, ...servers: string[]) => ({ endUser: { user_id, ...list(...servers) } });
    const agent = (agent_id: string, ...servers: string[]) => ({ agent: { agent_id, ...list(...servers) } });
    assert.equal(await serversOf({ key }), 's1 s2');
    assert.equal(await serversOf({ key, ...endUser('e', 's1') }), 's1');
    assert.equal(await serversOf({ key, ...endUser('f', 's2') }), 's2');
    assert.equal(await serversOf({ key, ...agent('e', 's2') }), 's2');
    assert.equal(await serversOf({ key, ...endUser('e', 's1'), ...agent('f') }), '');
    assert.equal(await serversOf({ key: { ...key, token: 'another', ...list('s2') } }), 's2');
    assert.equal(await serversOf({ key }), 's1 s2');
  });

  it('is resolved once for as long as no record changes, and anew afterwards', async () => {
    const key = { token: 'kept', ...list('s1', 'late') };
    const first = await permissions.of(caller({ key }));
    assert.equal(await permissions.of(caller({ key })), first);
    await store.mcp_server.insert({ server_id: 'late', transport: 'http', approval_status: 'active', ...stamps });
    assert.equal(await serversOf({ key }), 'late s1');
    assert.equal(await permissions.of(caller({ key })), await permissions.of(caller({ key })));
    await store.key.insert({ token: 'f'.repeat(64), token_id: 'f', key_name: 'sk-...', rotation_count: 0, ...stamps });
    assert.equal(await serversOf({ key: { ...key, ...list('s1') } }), 's1');
    await store.mcp_server.remove('late');
  });

  it('is what the records say now, even after a call that still has an earlier record', async () => {
    const before = caller({ key: { token: '9', ...list('s1', 's2') } });
    const serversFor = async (it: Caller) => [...(await permissions.of(it)).servers].sort().join(' ');
    assert.equal(await serversFor(before), 's1 s2');
    await store.team.insert({ team_id: 'another', ...stamps });
    assert.equal(await serversFor(before), 's1 s2', 'the call that has begun');
    const now = caller({ key: { token: '9', ...list('s1') } });
    assert.equal(await serversFor(now), 's1', 'a call that begins now');
    assert.equal(await permissions.of(now), await permissions.of(now), 'read once');
  });

  it('is what the team allows the email address that the user has now', async () => {
    const key = { token: '8', user_id: 'u', models: ['all-proxy-models'] };
    const team = {
      models: ['m', 'n'],
      members_with_roles: [{ role: 'user', user_email: 'a@x.org', allowed_models: ['m'] }],
    };
    const statementFor = async (user_email: string) =>
      (await permissions.of(caller({ key, team, user: { user_email } }))).modelStatement;
    assert.deepEqual(await statementFor('a@x.org'), only(['m']));
    assert.deepEqual(await statementFor('b@x.org'), only(['m', 'n']));
  });

  describe('as the gateway remembers it', () => {
    it('has servers that were approved, and no others', async () => {
      const { servers, catalogue } = await directory.registered();
      assert.deepEqual(servers.map((it) => it.server_id).sort(), ['s1', 's2']);
      assert.deepEqual([...catalogue.serverOrder].sort(), ['s1', 's2']);
    });
    it('is one picture until something registered changes, and is there without waiting', async () => {
      const picture = await directory.registered();
      assert.equal(directory.registered(), picture);
      await store.user.insert({ user_id: 'somebody', ...stamps });
      assert.equal(directory.registered(), picture, 'a user is not registered');
      await store.agent.update('x', (it) => ({ ...it, agent_name: 'other' }));
      assert.equal((await directory.registered()).agents[0]?.agent_name, 'other');
      await store.agent.update('x', (it) => ({ ...it, agent_name: 'ex' }));
      assert.equal((await directory.registered()).agents[0]?.agent_name, 'ex');
    });
    it('is read once by several who ask at the same time', async () => {
      directory.forget();
      const [one, two] = [directory.registered(), directory.registered()];
      assert.equal(one, two);
      assert.ok(one instanceof Promise);
      await one;
    });
    it('tells its listeners each write', async () => {
      const heard: string[] = [];
      directory.listen((kind, id) => heard.push(`${kind} ${id}`));
      const before = directory.version;
      await store.team.insert({ team_id: 't', ...stamps });
      await store.team.remove('t');
      assert.deepEqual(heard, ['team t', 'team t']);
      assert.equal(directory.version, before + 2);
    });
    it('reads everything anew after it was told to forget', async () => {
      const before = [await directory.registered(), await directory.get('user', 'somebody')];
      const version = directory.version;
      directory.forget();
      assert.ok(directory.version > version);
      const after = [await directory.registered(), await directory.get('user', 'somebody')];
      assert.notEqual(before[0], after[0]);
      assert.notEqual(before[1], after[1]);
      assert.deepEqual(before[1], after[1]);
    });
    it('remembers that there is no user, and not that there is no key', async () => {
      const asked: string[] = [];
      const counting = new Directory({
        changes: { listen: () => undefined },
        key: { get: async (id: string) => void asked.push(`key ${id}`) },
        user: { get: async (id: string) => void asked.push(`user ${id}`) },
      } as unknown as GatewayStore);
      for (let n = 0; n < 2; n += 1) {
        await counting.get('key', 'k');
        await counting.get('user', 'u');
      }
      assert.deepEqual(asked, ['key k', 'user u', 'key k']);
    });
    it('tries again after the database did not answer', async () => {
      let isAway = true;
      const all = async () => {
        if (isAway) throw new Error('away');
        return [];
      };
      const kinds = ['mcp_server', 'agent', 'toolset', 'model', 'access_group', 'budget'];
      const tables = Object.fromEntries(kinds.map((it) => [it, { all }]));
      const away = new Directory({
        changes: { listen: () => undefined },
        kindsAmong: async (names: readonly string[]) => new Set(names),
        secrets,
        ...tables,
      } as unknown as GatewayStore);
      await assert.rejects(async () => away.registered(), /away/);
      isAway = false;
      assert.deepEqual((await away.registered()).servers, []);
    });
    it('does not keep what was read while it changed', async () => {
      let changed = (_kind: string, _id: string): void => undefined;
      const late = Promise.withResolvers<never[]>();
      let reads = 0;
      const all = async () => [];
      const store = {
        changes: { listen: (it: typeof changed) => void (changed = it) },
        kindsAmong: async (names: readonly string[]) => new Set(names),
        secrets,
        mcp_server: { all: () => ((reads += 1) === 1 ? late.promise : all()) },
        agent: { all },
        toolset: { all },
        model: { all },
        access_group: { all },
        budget: { all },
      } as unknown as GatewayStore;
      const here = new Directory(store);
      const first = here.registered();
      changed('mcp_server', 's');
      late.resolve([]);
      await first;
      await here.registered();
      assert.equal(reads, 2);
    });
    for (const [says, agent, expected] of [
      ['its id', { agent_id: 'all-cloud-agents', agent_name: 'y' }, false],
      ['its name', { agent_id: 'y', agent_name: 'all-cloud-agents' }, false],
      ['neither', { agent_id: 'y', agent_name: 'why' }, true],
    ] as const) {
      it(`has the cloud-agents service unless an agent has its name: ${says}`, async () => {
        await store.agent.insert({ ...agent, agent_card_params: {}, ...stamps });
        assert.equal((await directory.registered()).catalogue.hasCloudAgents, expected);
        await store.agent.remove(agent.agent_id);
        assert.equal((await directory.registered()).catalogue.hasCloudAgents, true);
      });
    }
  });
});
