import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { FORGOTTEN_ENTRIES_AT_ONCE } from '../../../../sidecar/gateway/storage/audit.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { verifies } from '../../../support/verifies.ts';

const at = '2026-03-04T10:00:00.000Z';
const stamps = { created_at: at, updated_at: at };

/** Which rows a read or a write of the store concerns, to the last one, and until which moment. */
export function conditionsContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`rows and times of the store on ${name}`, () => {
    const clock = new StandingClock(at);
    let place: StorePlace;
    let store: GatewayStore;
    let other: GatewayStore;
    before(async function start() {
      place = await open();
      store = await place.open(clock, 'a');
      other = await place.open(clock, 'b');
    });
    after(async () => {
      await Promise.all([store.close(), other.close()]);
      place.remove();
    });

    it('a claim holds to its last millisecond, and is free after it', async () => {
      assert.equal(await store.leases.claim('word', clock.nowMs() + 1_000), true);
      const look = async () => [await other.leases.isClaimed('word'), await other.leases.claim('word', 9e15)];
      clock.pass(1_000);
      assert.deepEqual(await look(), [true, false]);
      clock.pass(1);
      assert.deepEqual(await look(), [false, true]);
    });

    it('a lease is its holder’s to its last millisecond, and nobody else gives it back', async () => {
      assert.equal(await store.leases.take('work', 1_000), true);
      clock.pass(1_000);
      assert.equal(await other.leases.take('work', 1_000), false);
      await other.leases.release('work');
      assert.equal(await other.leases.take('work', 1_000), false);
      clock.pass(1);
      assert.equal(await other.leases.take('work', 1_000), true);
      await store.leases.release('work');
      assert.deepEqual([await store.leases.take('work', 1), await other.leases.take('work', 1_000)], [false, true]);
    });

    it('a record is changed, moved and removed without one of another kind that has its id', async () => {
      await store.user.insert({ user_id: 'same', user_alias: 'Person', ...stamps });
      await store.team.insert({ team_id: 'same', team_alias: 'Team', ...stamps });
      await store.team.update('same', (it) => ({ ...it, team_alias: 'Crew' }));
      await store.team.update('same', (it) => ({ ...it, team_id: 'moved' }));
      assert.equal(await store.team.remove('same'), undefined);
      assert.equal((await store.team.remove('moved'))?.team_alias, 'Crew');
      assert.equal((await store.user.get('same'))?.user_alias, 'Person');
      assert.equal(await store.team.byAlias('Person'), undefined);
    });

    it('records of one moment are listed by their ids, in either direction', async () => {
      for (const it of ['c', 'a', 'd', 'b']) await store.organization.insert({ organization_id: it, ...stamps });
      const ids = async (descending: boolean) =>
        (await store.organization.list({ descending })).items.map((it) => it.organization_id).join('');
      assert.deepEqual([await ids(false), await ids(true)], ['abcd', 'dcba']);
    });

    it('secrets are named and removed by kind, id and name', async () => {
      for (const kind of ['mcp_server', 'agent'])
        for (const id of ['two', 'one']) for (const it of ['y', 'x']) await store.secrets.put(kind, id, it, it);
      const names = async (...of: [string, string?]) =>
        (await store.secrets.names(...of)).map((it) => `${it.id}.${it.name}`).join(' ');
      assert.equal(await names('mcp_server'), 'one.x one.y two.x two.y');
      assert.equal(await names('mcp_server', 'two'), 'two.x two.y');
      await store.secrets.remove('mcp_server', 'two', 'x');
      assert.equal(await names('mcp_server'), 'one.x one.y two.y');
      await store.secrets.remove('mcp_server', 'one');
      assert.deepEqual([await names('mcp_server'), await names('agent')], ['two.y', 'one.x one.y two.x two.y']);
    });

    it('the audit is read by each of its columns and from one day up to another, the later id first', async () => {
      const lines = [
        ['1', '2026-01-01T00:00:00Z', 'me', 'team', 't1', 'created'],
        ['2', '2026-01-02T00:00:00Z', 'me', 'team', 't1', 'updated'],
        ['4', '2026-01-02T00:00:00Z', 'you', 'team', 't2', 'created'],
        ['3', '2026-01-02T00:00:00Z', 'you', 'key', 't1', 'created'],
        ['5', '2026-01-03T00:00:00Z', 'you', 'key', 't3', 'deleted'],
      ] as const;
      for (const [id, day, actor, kind, object_id, action] of lines)
        await store.audit.add({ id, at: day, actor, kind, object_id, action });
      for (const [query, found] of [
        [{}, '54321'],
        [{ actor: 'you' }, '543'],
        [{ kind: 'team', object_id: 't1' }, '21'],
        [{ action: 'created' }, '431'],
        [{ from: '2026-01-02T00:00:00Z' }, '5432'],
        [{ before: '2026-01-02T00:00:00Z' }, '1'],
        [{ from: '2026-01-02T00:00:00Z', before: '2026-01-03T00:00:00Z', kind: 'key' }, '3'],
      ] as const) {
        const page = await store.audit.list({ ...query, limit: 10 });
        assert.equal(page.map((it) => it.id).join(''), found, JSON.stringify(query));
        assert.equal(await store.audit.count(query), found.length, JSON.stringify(query));
      }
      for (const pieceSize of [1, 2, 3, 100]) {
        const pieces: Awaited<ReturnType<typeof store.audit.list>>[] = [];
        for await (const piece of store.audit.all({}, pieceSize)) pieces.push(piece);
        assert.deepEqual(pieces.flat(), await store.audit.list({ limit: 100 }), `pieces of ${pieceSize}`);
        assert.ok(pieces.every((it) => it.length <= pieceSize && it.length > 0));
      }
      const second = await store.audit.list({ limit: 2, offset: 1 });
      assert.deepEqual(
        second.map((it) => it.id),
        ['4', '3'],
      );
    });

    it('entries of the audit are let go once they are too old, however many they are, and younger ones stay', async () => {
      verifies('gateway.retention.audit');
      const entry = { actor: 'old', kind: 'team', object_id: 't', action: 'created' } as const;
      const before = '2025-02-01T00:00:00.000Z';
      const rows = Array.from({ length: FORGOTTEN_ENTRIES_AT_ONCE + 1 }, (_, n) => ({
        ...{ ...entry, id: `old-${n}`, at: '2025-01-31T23:59:59.999Z', changed_by: null, before: null, after: null },
      }));
      await store.database.db.insertInto('audit').values(rows).execute();
      await store.audit.add({ ...entry, id: 'young', at: before });
      assert.equal(await store.audit.forget(before), rows.length);
      const left = await store.audit.list({ actor: 'old', limit: 10 });
      assert.deepEqual(
        left.map((it) => it.id),
        ['young'],
      );
      assert.equal(await store.audit.forget(before), 0);
    });

    it('how a server was is forgotten with it, also where something else has its id', async () => {
      const health = { status: 'unhealthy', last_health_check: at, health_check_error: 'HTTP 502' } as const;
      await store.serverHealth.put(['gone', 'stays'].map((server_id) => ({ server_id, ...health })));
      await store.mcp_server.insert({ server_id: 'stays', transport: 'http', approval_status: 'active', ...stamps });
      await store.toolset.insert({ toolset_id: 'gone', toolset_name: 'gone', tools: [], ...stamps });
      await store.serverHealth.put([{ server_id: 'stays', ...health, health_check_error: 'HTTP 503' }]);
      await store.serverHealth.tidy();
      assert.deepEqual(await store.serverHealth.of(['gone', 'stays']), [
        { server_id: 'stays', ...health, health_check_error: 'HTTP 503' },
      ]);
    });
  });
}
