import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'mocha';
import { hashKey } from '../../../../../sidecar/gateway/auth/keys.ts';
import {
  ENDED_KEPT,
  type KeyHolder,
  openSessionKeys,
  type SessionKeysDeps,
} from '../../../../../sidecar/gateway/editions/sessionKeys.ts';
import type { KeyRecord } from '../../../../../sidecar/protocol/gateway/key.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

const DAY_MS = 24 * 60 * 60_000;

describe('the key of a session', () => {
  let clock: StandingClock;
  let records: Map<string, KeyRecord>;
  let isAway: boolean;
  beforeEach(() => {
    clock = new StandingClock('2026-01-01T00:00:00Z');
    records = new Map();
    isAway = false;
  });
  const answers = () => {
    if (isAway) throw new Error('the database is away');
  };
  /** As much of the table of keys as is used. */
  const keys = {
    all: async () => [...records.values()],
    async get(token: string) {
      answers();
      return records.get(token);
    },
    async insert(record: KeyRecord) {
      answers();
      records.set(record.token, record);
    },
    async update(token: string, change: (record: KeyRecord) => KeyRecord) {
      const record = records.get(token);
      if (record) records.set(token, change(record));
    },
    remove: async (token: string) => records.delete(token),
  } as unknown as SessionKeysDeps['keys'];
  const open = () => openSessionKeys({ keys, clock, newId: randomUUID, random: randomBytes });

  it('that could not be made is made when it is asked for again', async () => {
    const own = await open();
    isAway = true;
    await assert.rejects(own.keyOf({ session: 's' }), /the database is away/);
    isAway = false;
    assert.ok(records.has(hashKey(await own.keyOf({ session: 's' }))));
  });
  it('that one of several could not have is one for all who still ask, and ends with its session', async () => {
    const own = await open();
    isAway = true;
    const [first, second] = [own.keyOf({ session: 's' }), own.keyOf({ session: 's' })];
    const again = first.catch(() => {
      isAway = false;
      return own.keyOf({ session: 's' });
    });
    assert.equal(await second, await again);
    assert.ok(records.has(hashKey(await again)));
    await own.end('s');
    assert.deepEqual([...records.keys()], []);
  });
  it('is the same for all who ask, and lives for a week after each of them', async () => {
    const own = await open();
    const [one, other] = await Promise.all([own.keyOf({ session: 's' }), own.keyOf({ session: 's' })]);
    assert.equal(one, other);
    clock.pass(3 * DAY_MS);
    assert.equal(await own.keyOf({ session: 's' }), one);
    assert.equal(records.get(hashKey(one))?.expires, '2026-01-11T00:00:00.000Z');
  });
  it('that a person revoked is another one the next time', async () => {
    const own = await open();
    const revoked = await own.keyOf({ session: 's' });
    records.clear();
    const next = await own.keyOf({ session: 's' });
    assert.notEqual(next, revoked);
    assert.deepEqual([...records.keys()], [hashKey(next)]);
  });
  it('goes with its session, and those of earlier processes when the next one begins', async () => {
    const own = await open();
    await own.keyOf({ session: 'ended' });
    const kept = hashKey(await own.keyOf({ session: 'kept' }));
    await own.end('ended');
    assert.deepEqual([...records.keys()], [kept]);
    const named = { ...records.get(kept)!, token: 'named', key_alias: 'mine' };
    records.set('named', named);
    await open();
    assert.deepEqual([...records.keys()], ['named']);
  });
  const kinds: readonly (readonly [says: string, holder: KeyHolder, routes: readonly string[]])[] = [
    ['only the MCP routes if it is for the tools of all agents', { session: 's' }, ['mcp_routes']],
    ['only the model routes if it is for the agent of a chat', { session: 's', chat: 'c' }, ['model_routes']],
  ];
  for (const [says, holder, routes] of kinds)
    it(`opens ${says}`, async () => {
      const record = records.get(hashKey(await (await open()).keyOf(holder)));
      assert.deepEqual([record?.allowed_routes, record?.metadata], [routes, holder]);
    });
  it('differs for each chat, ends with the session, and can still be found by its hash after that', async () => {
    const own = await open();
    const holders: readonly KeyHolder[] = [
      { session: 's' },
      { session: 's', chat: 'one' },
      { session: 's', chat: 'two' },
      { session: 't', chat: 'one' },
    ];
    const keys = await Promise.all(holders.map((it) => own.keyOf(it)));
    assert.equal(new Set(keys).size, 4);
    assert.deepEqual(await Promise.all(holders.map((it) => own.keyOf(it))), keys);
    await own.end('s');
    assert.deepEqual([...records.keys()], [hashKey(keys[3]!)]);
    assert.deepEqual(
      keys.map((it) => own.holderOf(hashKey(it))),
      holders,
    );
    assert.equal(own.holderOf('elsewhere'), undefined);
    await open();
    assert.deepEqual([...records.keys()], [], 'the keys of an earlier process end');
  });
  it('is forgotten when enough other sessions have ended, so that the memory of the host does not grow with each session', async () => {
    const own = await open();
    const open1 = hashKey(await own.keyOf({ session: 'open', chat: 'c' }));
    const revoked = hashKey(await own.keyOf({ session: 's0', chat: 'c' }));
    records.delete(revoked);
    const tokens = [revoked];
    for (let n = 0; n < ENDED_KEPT; n += 1) {
      tokens.push(hashKey(await own.keyOf({ session: `s${n}`, chat: 'c' })));
      await own.end(`s${n}`);
    }
    const isKnown = (token: string | undefined) => own.holderOf(token ?? '') !== undefined;
    assert.deepEqual(
      [isKnown(open1), isKnown(tokens[0]), isKnown(tokens[1]), isKnown(tokens.at(-1))],
      [true, false, true, true],
    );
  });
});
