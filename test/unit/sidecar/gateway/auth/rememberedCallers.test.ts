import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { Directory } from '../../../../../sidecar/gateway/auth/directory.ts';
import type { Identity } from '../../../../../sidecar/gateway/auth/identity.ts';
import { hashKey } from '../../../../../sidecar/gateway/auth/keys.ts';
import { CallerResolver } from '../../../../../sidecar/gateway/auth/resolve.ts';
import type { GatewayStore } from '../../../../../sidecar/gateway/storage/store.ts';
import type { KeyRecord } from '../../../../../sidecar/protocol/gateway/key.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../../../support/gateway/stores.ts';
import { later } from '../../../../support/later.ts';

const begin = '2026-03-04T10:00:00.000Z';
const stamps = { created_at: begin, updated_at: begin };

describe('a caller whom a connection named before', () => {
  let place: StorePlace;
  let store: GatewayStore;
  const clock = new StandingClock(begin);
  let callers: CallerResolver;
  /** Of the connection. */
  let identity: Identity;
  /** Reads of teams end when it settles. */
  let gate: Promise<void>;

  before(async () => {
    place = await sqlitePlace();
    store = await place.open(clock);
  });
  after(async () => {
    await store.close();
    place.remove();
  });
  beforeEach(() => {
    clock.setTo(begin);
    identity = { tags: [], debug: false };
    gate = Promise.resolve();
    const team = {
      async get(id: string) {
        const found = await store.team.get(id);
        await gate;
        return found;
      },
    };
    callers = new CallerResolver(new Directory({ ...store, team } as unknown as GatewayStore), clock);
  });
  let count = 0;
  async function give(more: Partial<KeyRecord> = {}): Promise<string> {
    count += 1;
    const key = `sk-of-a-connection-${count}`;
    const token = hashKey(key);
    await store.key.insert({ token, token_id: `c${count}`, key_name: 'sk-...', rotation_count: 0, ...stamps, ...more });
    return key;
  }
  const resolve = async (key: string, of: Identity = identity) =>
    callers.resolve({ key, header: 'authorization' }, of, '192.0.2.1');

  it('is the same one as long as nothing is written, for its own key alone', async () => {
    const [one, other] = [await give({ user_id: 'ann' }), await give({ user_id: 'bob' })];
    const first = await resolve(one);
    assert.equal(await resolve(one), first);
    assert.equal((await resolve(other)).key.user_id, 'bob');
    assert.equal((await resolve(one)).key.user_id, 'ann');
    await store.key.update(hashKey(one), (it) => ({ ...it, user_id: 'eve' }));
    assert.equal((await resolve(one)).key.user_id, 'eve');
  });

  it('is refused from the moment in which the key ends, though nothing is written then', async () => {
    const key = await give({ expires: '2026-03-04T10:00:01.000Z' });
    await resolve(key);
    clock.pass(999);
    await resolve(key);
    clock.pass(1);
    await assert.rejects(resolve(key), { code: 'auth_required', data: { reason: 'expired_key' } });
  });

  it('is refused from the moment in which the grace of a rotated key ends', async () => {
    const [current, old] = [await give(), 'sk-of-a-connection-that-was-rotated'];
    const expires = '2026-03-04T10:00:01.000Z';
    await store.key_grace.insert({ token: hashKey(old), current: hashKey(current), expires });
    await resolve(old);
    clock.pass(999);
    await resolve(old);
    clock.pass(1);
    await assert.rejects(resolve(old), { code: 'auth_required', data: { reason: 'token_not_found_in_db' } });
  });

  it('is refused where the team was blocked while it was read, with another caller in the middle of that', async () => {
    await store.team.insert({ team_id: 'crew', ...stamps });
    const [theirs, others] = [await give({ team_id: 'crew' }), await give()];
    const held = later<void>();
    const read = later<void>();
    gate = held.promise;
    const { get } = store.team;
    store.team.get = async (id) => {
      const found = await get.call(store.team, id);
      read.resolve();
      return found;
    };
    const early = resolve(theirs);
    await read.promise;
    store.team.get = get;
    await store.team.update('crew', (it) => ({ ...it, blocked: true }));
    await resolve(others, { tags: [], debug: false });
    held.resolve();
    await early;
    await assert.rejects(resolve(theirs), { code: 'auth_required', data: { reason: 'auth_error' } });
  });
});
