import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { after, before, describe, it } from 'mocha';
import { Replicas } from '../../../../sidecar/gateway/cluster/replicas.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { systemTimers } from '../../../../sidecar/platform/timers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { keepingLog } from '../../../support/testLog.ts';
import { until } from '../../../support/until.ts';

const at = '2026-03-04T10:00:00.000Z';

/** What replicas on one database owe each other. */
export function replicaContract(open: () => Promise<StorePlace>): void {
  describe('two stores on one PostgreSQL', () => {
    const clock = new StandingClock(at);
    let place: StorePlace;
    let one: GatewayStore;
    let other: GatewayStore;
    before(async function start() {
      place = await open();
      [one, other] = await Promise.all([place.open(clock, 'one'), place.open(clock, 'other')]);
    });
    after(async () => {
      await Promise.all([one.close(), other.close()]);
      place.remove();
    });

    it('see what the other wrote when they look', async () => {
      const told: string[] = [];
      other.changes.listen((kind, id) => told.push(`${kind} ${id}`));
      await one.team.insert({ team_id: 't1', created_at: at, updated_at: at });
      assert.deepEqual(told, []);
      await other.changes.poll();
      assert.deepEqual(told, ['team t1']);
      assert.equal((await other.team.get('t1'))?.team_id, 't1');
      await one.team.remove('t1');
      await other.changes.poll();
      assert.deepEqual(told, ['team t1', 'team t1']);
    });

    it('see that a record has another id than before, under both of them', async () => {
      await one.team.insert({ team_id: 'before', created_at: at, updated_at: at });
      await other.changes.poll();
      const told: string[] = [];
      const stop = other.changes.listen((_kind, id) => told.push(id));
      await one.team.update('before', (it) => ({ ...it, team_id: 'after' }));
      await other.changes.poll();
      stop();
      assert.deepEqual(told, ['before', 'after']);
      await one.team.remove('after');
      await other.changes.poll();
    });

    it('forget changes that all have read long ago, and no others', async () => {
      const count = async () => (await one.database.db.selectFrom('changes').select('seq').execute()).length;
      await one.team.insert({ team_id: 'kept', created_at: at, updated_at: at });
      const before = await count();
      await one.changes.tidy();
      clock.pass(60_000);
      await one.changes.tidy();
      assert.equal(await count(), before);
      clock.pass(24 * 60 * 60_000);
      await one.team.remove('kept');
      await one.changes.tidy();
      assert.equal(await count(), 1);
      await other.changes.poll();
    });

    it('miss no change that is written while they look', async () => {
      const told = new Set<string>();
      const stop = other.changes.listen((_kind, id) => told.add(id));
      const ids = Array.from({ length: 40 }, (_, n) => `c${n}`);
      const writing = Promise.all(ids.map((it) => one.team.insert({ team_id: it, created_at: at, updated_at: at })));
      for (let n = 0; n < 5; n += 1) await other.changes.poll();
      await writing;
      await other.changes.poll();
      stop();
      assert.deepEqual([...told].toSorted(), ids.toSorted());
    });

    it('exchange messages that are delivered once, in order, and are sealed in the database', async () => {
      const ask = (id: string) => ({ kind: 'ask', id, from: 'one', body: { word: 'secret-word' } }) as const;
      assert.equal(await one.replicaMessages.send('other', ask('1')), false);
      await Promise.all([one.replicaMessages.serve(), other.replicaMessages.serve()]);
      assert.deepEqual(await one.replicaMessages.others(), ['other']);
      for (const id of ['1', '2', '3']) assert.equal(await one.replicaMessages.send('other', ask(id)), true);
      const kept = await one.database.db.selectFrom('replica_messages').selectAll().execute();
      assert.equal(kept.length, 3);
      assert.ok(!JSON.stringify(kept).includes('secret-word'));
      assert.deepEqual(await one.replicaMessages.take(), []);
      assert.deepEqual(await other.replicaMessages.take(), ['1', '2', '3'].map(ask));
      assert.deepEqual(await other.replicaMessages.take(), []);
    });

    it('are notified of messages with the ID of the recipient', async () => {
      const heard: (string | undefined)[] = [];
      const follower = await other.database.follow((it) => heard.push(it), systemTimers);
      await until('it listens', () => heard.length === 1);
      await one.replicaMessages.send('other', { kind: 'answer', id: '1', body: {} });
      await until('it was told', () => heard.length === 2);
      assert.deepEqual(heard, [undefined, 'other']);
      await follower?.close();
      await other.replicaMessages.take();
    });

    it('send nothing to a replica that left or whose lease expired, and delete messages that nobody took', async () => {
      const answer = { kind: 'answer', id: '1', body: {} } as const;
      await one.replicaMessages.serve();
      await other.replicaMessages.serve();
      assert.equal(await one.replicaMessages.send('other', answer), true);
      await other.replicaMessages.leave();
      assert.equal(await one.replicaMessages.send('other', answer), false);
      assert.equal(await other.replicaMessages.send('one', answer), true);
      clock.pass(31_000);
      assert.equal(await other.replicaMessages.send('one', answer), false);
      assert.deepEqual(await other.replicaMessages.others(), []);
      clock.pass(10 * 60_000);
      await one.replicaMessages.tidy();
      const count = async (table: 'replica_messages' | 'leases') =>
        (await one.database.db.selectFrom(table).selectAll().execute()).length;
      assert.deepEqual([await count('replica_messages'), await count('leases')], [0, 0]);
    });

    it('wait at most six seconds for a replica that was killed, even if they asked it before', async () => {
      const runtime = { timers: systemTimers, newId: () => 'ask-1', log: keepingLog().log };
      const replicas = new Replicas({ messages: one.replicaMessages, ...runtime });
      await other.replicaMessages.serve();
      const asked = replicas.ask('other', {});
      await until('it is asked', async () => (await other.replicaMessages.take()).length === 1);
      assert.equal(await one.replicaMessages.serves('other'), true);
      clock.pass(5_001); // its lease has expired
      assert.equal(await asked, undefined);
      assert.equal(await replicas.ask('other', {}), undefined);
    });

    it('are told by the database that the other wrote, and of MCP sessions that ended', async () => {
      let heard = 0;
      const follower = await other.database.follow(() => (heard += 1), systemTimers);
      await until('it listens', () => heard === 1);
      const told: string[] = [];
      const stop = other.changes.listen((kind, id) => told.push(`${kind} ${id}`));
      other.endedSessions.listen((id) => told.push(`ended ${id}`));
      await one.team.insert({ team_id: 'told', created_at: at, updated_at: at });
      await until('it was told', () => heard === 2);
      await one.endedSessions.add('s1', clock.nowMs() + 1_000);
      await until('it was told again', () => heard === 3);
      await other.changes.poll();
      assert.deepEqual(told, ['team told', 'ended s1']);
      stop();
      await follower?.close();
    });

    it('are told again after the connection broke', async () => {
      let heard = 0;
      const follower = await other.database.follow(() => (heard += 1), systemTimers);
      await until('it listens', () => heard === 1);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %'`.execute(
        one.database.db,
      );
      await until('it listens again', () => heard === 2);
      await one.team.remove('told');
      await until('it was told', () => heard === 3);
      await follower?.close();
    });

    it('lose no change of one record that both change', async () => {
      await one.team.insert({ team_id: 'busy', metadata: { count: 0 }, created_at: at, updated_at: at });
      const add = (store: GatewayStore) =>
        store.team.update('busy', (it) => ({ ...it, metadata: { count: Number(it.metadata?.['count']) + 1 } }));
      await Promise.all(Array.from({ length: 30 }, (_, n) => add(n % 2 ? one : other)));
      assert.equal((await one.team.get('busy'))?.metadata?.['count'], 30);
    });

    it('let one of them claim a word', async () => {
      const claims = [one, other, one, other].map((it) => it.leases.claim('word', clock.nowMs() + 1_000));
      assert.equal((await Promise.all(claims)).filter(Boolean).length, 1);
    });

    it('know what another one claimed, until it is forgotten', async () => {
      const known = () => Promise.all([one, other].map((it) => it.leases.isClaimed('said')));
      assert.deepEqual(await known(), [false, false]);
      await one.leases.claim('said', clock.nowMs() + 1_000);
      assert.deepEqual(await known(), [true, true]);
      clock.pass(1_001);
      assert.deepEqual(await known(), [false, false]);
    });

    it('hold a lease one at a time, and take over when it ends or is given back', async () => {
      const taken = await Promise.all([one, other].map((it) => it.leases.take('work', 1_000)));
      assert.equal(taken.filter(Boolean).length, 1);
      const [holder, waiting] = taken[0] ? [one, other] : [other, one];
      assert.equal(await holder.leases.take('work', 1_000), true);
      assert.equal(await waiting.leases.take('work', 1_000), false);
      clock.pass(1_001);
      assert.equal(await waiting.leases.take('work', 1_000), true);
      await holder.leases.release('work');
      assert.equal(await holder.leases.take('work', 1_000), false);
      await waiting.leases.release('work');
      assert.equal(await holder.leases.take('work', 1_000), true);
    });
  });
}
