import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { Attempts } from '../../../../../sidecar/gateway/auth/attempts.ts';
import { Directory } from '../../../../../sidecar/gateway/auth/directory.ts';
import type { Identity } from '../../../../../sidecar/gateway/auth/identity.ts';
import { hashKey } from '../../../../../sidecar/gateway/auth/keys.ts';
import { CallerResolver } from '../../../../../sidecar/gateway/auth/resolve.ts';
import { WrongKeys } from '../../../../../sidecar/gateway/auth/wrongKeys.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { KeyRecord } from '../../../../../sidecar/protocol/gateway/key.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../../../support/gateway/stores.ts';

const begin = '2026-03-04T10:00:00.000Z';
const stamps = { created_at: begin, updated_at: begin };
const nothing: Identity = { tags: [], debug: false };

/** `auth_required expired_key`, or the field that was refused. */
const inWords = (thrown: unknown): string => {
  assert.ok(thrown instanceof Fault, String(thrown));
  const { reason, field } = (thrown.data ?? {}) as { reason?: string; field?: string };
  return `${thrown.code} ${reason ?? field ?? ''}`;
};

describe('who sent a key', () => {
  let place: StorePlace;
  let store: GatewayStore;
  let clock: StandingClock;
  let callers: CallerResolver;
  let count = 0;

  before(async () => {
    place = await sqlitePlace();
    clock = new StandingClock(begin);
    store = await place.open(clock);
    await store.agent.insert({ agent_id: 'a', agent_name: 'writer', agent_card_params: {}, ...stamps });
    await store.agent.insert({ agent_id: 'b', agent_name: 'reader', agent_card_params: {}, ...stamps });
  });
  after(async () => {
    await store.close();
    place.remove();
  });
  beforeEach(() => {
    clock.setTo(begin);
    callers = new CallerResolver(new Directory(store), clock);
  });

  /** Puts a key into the store. @returns it in clear text */
  async function give(more: Partial<KeyRecord> = {}): Promise<string> {
    count += 1;
    const key = `sk-of-test-${String(count).padStart(16, '0')}`;
    const record = { token: hashKey(key), token_id: `id-${count}`, key_name: 'sk-...', rotation_count: 0, ...stamps };
    await store.key.insert({ ...record, ...more });
    return key;
  }
  const resolve = async (key: string | undefined, more: Partial<Identity> = {}, from = '192.0.2.1') =>
    callers.resolve(key === undefined ? undefined : { key, header: 'authorization' }, { ...nothing, ...more }, from);
  const refusal = (...args: Parameters<typeof resolve>) => resolve(...args).then(() => 'let in', inWords);

  it('is asked for where none is sent', async () => {
    assert.equal(await refusal(undefined), 'auth_required auth_error');
  });

  it('is nobody whom the gateway does not know, and that is asked anew each time', async () => {
    assert.equal(await refusal('sk-nobody'), 'auth_required token_not_found_in_db');
    const key = await give();
    await store.key.remove(hashKey(key));
    assert.equal(await refusal(key), 'auth_required token_not_found_in_db');
  });

  it('is let in until the key ends, and not in the moment in which it does', async () => {
    const key = await give({ expires: '2026-03-04T10:00:01.000Z' });
    clock.pass(999);
    assert.equal(await refusal(key), 'let in');
    clock.pass(1);
    assert.equal(await refusal(key), 'auth_required expired_key');
  });

  for (const kind of ['key', 'user', 'team', 'organization', 'end user'] as const) {
    it(`is refused while the ${kind} is blocked, from the next call on, and let in again afterwards`, async () => {
      const id = `blocked ${kind}`;
      await store.user.insert({ user_id: id, ...stamps });
      await store.team.insert({ team_id: id, ...stamps });
      await store.organization.insert({ organization_id: id, ...stamps });
      await store.end_user.insert({ user_id: id, ...stamps });
      const key = await give({ user_id: id, team_id: id, organization_id: id });
      const named = { endUserId: id };
      assert.equal(await refusal(key, named), 'let in');
      const block = async (blocked: boolean) => {
        if (kind === 'key') await store.key.update(hashKey(key), (it) => ({ ...it, blocked }));
        else if (kind === 'end user') await store.end_user.update(id, (it) => ({ ...it, blocked }));
        else if (kind === 'user') await store.user.update(id, (it) => ({ ...it, blocked }));
        else if (kind === 'team') await store.team.update(id, (it) => ({ ...it, blocked }));
        else await store.organization.update(id, (it) => ({ ...it, blocked }));
      };
      await block(true);
      assert.equal(await refusal(key, named), 'auth_required auth_error');
      if (kind === 'end user') assert.equal(await refusal(key), 'let in', 'others of the key go on');
      await block(false);
      assert.equal(await refusal(key, named), 'let in');
    });
  }

  for (const [what, more] of [
    ['team', { team_id: 'gone' }],
    ['organisation', { organization_id: 'gone' }],
    ['agent', { agent_id: 'gone' }],
  ] as const) {
    it(`is refused where the ${what} of the key is gone: its limits would be too`, async () => {
      assert.equal(await refusal(await give(more)), 'auth_required auth_error');
    });
  }
  it('is refused where the organisation of the team is gone', async () => {
    await store.team.insert({ team_id: 'of nobody', organization_id: 'gone', ...stamps });
    assert.equal(await refusal(await give({ team_id: 'of nobody' })), 'auth_required auth_error');
  });
  it('is let in where the user of the key was never registered', async () => {
    const caller = await resolve(await give({ user_id: 'never registered' }));
    assert.deepEqual([caller.key.user_id, caller.user], ['never registered', undefined]);
  });

  it('belongs to the organisation of the key, else to that of its team', async () => {
    await store.organization.insert({ organization_id: 'o1', ...stamps });
    await store.organization.insert({ organization_id: 'o2', ...stamps });
    await store.team.insert({ team_id: 'of o1', organization_id: 'o1', ...stamps });
    const organizationOf = async (more: Partial<KeyRecord>) =>
      (await resolve(await give(more))).organization?.organization_id;
    assert.equal(await organizationOf({ team_id: 'of o1' }), 'o1');
    assert.equal(await organizationOf({ team_id: 'of o1', organization_id: 'o2' }), 'o2');
    assert.equal(await organizationOf({}), undefined);
  });

  for (const [role, userRole, agent, expected] of [
    ['proxy_admin', undefined, undefined, true],
    ['internal_user', 'proxy_admin', undefined, false],
    ['proxy_admin_viewer', 'proxy_admin', undefined, false],
    [undefined, 'proxy_admin', undefined, true],
    [undefined, 'internal_user', undefined, false],
    [undefined, 'proxy_admin', 'a', false],
    ['proxy_admin', undefined, 'a', true],
    [undefined, undefined, undefined, false],
  ] as const) {
    const says = `${role ?? 'none'}, of the user ${userRole ?? 'none'}${agent ? ', a key of an agent' : ''}`;
    it(`is ${expected ? 'an' : 'no'} administrator by these roles: of the key ${says}`, async () => {
      const user_id = `user ${says}`;
      if (userRole) await store.user.insert({ user_id, user_role: userRole, ...stamps });
      const caller = await resolve(await give({ role, user_id, agent_id: agent }));
      assert.equal(caller.isAdmin, expected);
    });
  }

  it('gets debug headers only where the key may have them', async () => {
    const debugOf = async (more: Partial<KeyRecord>, debug: boolean) => {
      const caller = await resolve(await give(more), { debug });
      return [caller.debug, caller.isDebugRefused];
    };
    assert.deepEqual(await debugOf({}, true), [false, true]);
    assert.deepEqual(await debugOf({ allow_debug: true }, true), [true, false]);
    assert.deepEqual(await debugOf({ role: 'proxy_admin' }, true), [true, false]);
    assert.deepEqual(await debugOf({ allow_debug: true }, false), [false, false]);
    assert.deepEqual(await debugOf({}, false), [false, false]);
  });

  describe('on behalf of an agent', () => {
    const agentOf = async (more: Partial<KeyRecord>, agentId?: string) =>
      resolve(await give(more), agentId === undefined ? {} : { agentId }).then((it) => it.agent?.agent_id, inWords);
    const field = 'forbidden x-gateway-agent-id';
    for (const [says, more, agentId, expected] of [
      ['that nobody names', {}, undefined, undefined],
      ['that is named by its id', {}, 'a', 'a'],
      ['that is named by its name', {}, 'writer', 'a'],
      ['that nobody has', {}, 'nobody', field],
      ['that owns the key', { agent_id: 'a' }, undefined, 'a'],
      ['that owns the key, named by its id', { agent_id: 'a' }, 'a', 'a'],
      ['that owns the key, named by its name', { agent_id: 'a' }, 'writer', 'a'],
      ['other than the one that owns the key', { agent_id: 'a' }, 'b', field],
      ['that nobody has, with the key of one', { agent_id: 'a' }, 'nobody', field],
    ] as const) {
      it(`${says}: ${expected ?? 'none'}`, async () => assert.equal(await agentOf(more, agentId), expected));
    }
  });

  it('is the holder of the new key for as long as the grace of the old one lasts', async () => {
    const current = await give({ user_id: 'ada' });
    const old = 'sk-of-test-that-was-rotated';
    await store.key_grace.insert({
      token: hashKey(old),
      current: hashKey(current),
      expires: '2026-03-04T10:00:01.000Z',
    });
    assert.equal((await resolve(old)).key.user_id, 'ada');
    clock.pass(999);
    assert.equal((await resolve(old)).key.token, hashKey(current));
    clock.pass(1);
    assert.equal(await refusal(old), 'auth_required token_not_found_in_db', 'nothing was written meanwhile');
    assert.equal(await refusal(current), 'let in');
  });

  it('is known under the new rights as soon as the record changes', async () => {
    const key = await give({ allow_debug: true });
    assert.equal((await resolve(key, { debug: true })).debug, true);
    await store.key.update(hashKey(key), (it) => ({ ...it, allow_debug: false }));
    assert.equal((await resolve(key, { debug: true })).debug, false);
  });

  it('carries what the request said beside the key', async () => {
    const said = { traceId: 't', sessionId: 's', tags: ['x'], mcpServers: ['m'], mcpAccessGroups: ['g'] };
    const caller = await resolve(await give(), { ...said, endUserId: 'nobody yet' });
    assert.deepEqual(
      [caller.traceId, caller.sessionId, caller.tags, caller.mcpServers, caller.mcpAccessGroups],
      ['t', 's', ['x'], ['m'], ['g']],
    );
    assert.deepEqual([caller.endUserId, caller.endUser], ['nobody yet', undefined]);
  });

  describe('and tries many keys', () => {
    const open = (perMinute: number) => {
      callers = new CallerResolver(new Directory(store), clock, new WrongKeys(new Attempts(perMinute, clock)));
    };
    const unknown = 'auth_required token_not_found_in_db';

    it('is told to wait after so many unknown ones, whatever the next key is, and goes on in time', async () => {
      const fresh = await give();
      open(2);
      assert.deepEqual([await refusal('sk-1'), await refusal('sk-2')], [unknown, unknown]);
      assert.equal(await refusal(fresh), 'rate_limited ');
      assert.equal(await refusal(fresh, {}, '192.0.2.2'), 'let in', 'from another address');
      clock.pass(29_999);
      assert.equal(await refusal('sk-3'), 'rate_limited ');
      clock.pass(1);
      assert.equal(await refusal('sk-3'), unknown);
    });
    it('does not keep those from working whose key was good before, until it no longer is', async () => {
      const good = await give();
      open(1);
      assert.equal(await refusal(good), 'let in');
      assert.equal(await refusal('sk-1'), unknown);
      assert.equal(await refusal(good), 'let in');
      await store.key.remove(hashKey(good));
      assert.equal(await refusal(good), unknown);
      assert.equal(await refusal(good), 'rate_limited ');
    });
    it('is not slowed down by keys that are known and refused', async () => {
      const blocked = await give({ blocked: true });
      open(1);
      for (let n = 0; n < 3; n += 1) assert.equal(await refusal(blocked), 'auth_required auth_error');
      assert.equal(await refusal('sk-1'), unknown);
    });
  });
});
