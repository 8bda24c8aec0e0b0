import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { PageSession } from '../../../../sidecar/gateway/storage/pageSessions.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { SetClock } from '../../../support/backends/setClock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { verifies } from '../../../support/verifies.ts';

/** Sessions of people in the pages, kept the same way by each database. */
export function pageSessionsContract(kind: string, open: () => Promise<StorePlace>): void {
  describe(`sessions of people on ${kind}`, function database() {
    let place: StorePlace;
    let one: GatewayStore;
    let two: GatewayStore;
    const nowMs = 1_795_000_000_000;
    const session = (id: string, more: Partial<PageSession> = {}): PageSession => ({
      id,
      user_id: 'ada',
      issuer: 'https://id.example.com',
      subject: '1',
      provider_session: `sid-${id}`,
      until_ms: nowMs + 10_000,
      checked_ms: nowMs,
      confirmed_ms: nowMs,
      rights: '{}',
      tokens: { refresh_token: 'canary-refresh-token' },
      ...more,
    });
    const left = async (ids: readonly string[]) => {
      const found = await Promise.all(ids.map((id) => two.pageSessions.get(id)));
      return ids.filter((_, at) => found[at] !== undefined);
    };

    beforeEach(async () => {
      place = await open();
      one = await place.open(new SetClock(), 'one');
      two = await place.open(new SetClock(), 'two');
    });
    afterEach(async () => {
      await one.close();
      await two.close();
      place.remove();
    });

    it('are the same for each replica, with tokens that nobody reads in the database', async () => {
      verifies('gateway.ui.sign-in.ends');
      await one.pageSessions.add(session('a'));
      assert.deepEqual(await two.pageSessions.get('a'), session('a'));
      const rows = await one.database.db.selectFrom('page_sessions').selectAll().execute();
      assert.ok(!JSON.stringify(rows).includes('canary-refresh-token'));
      await one.database.db.updateTable('page_sessions').set({ id: 'b' }).execute();
      assert.equal(await two.pageSessions.get('b'), undefined, 'tokens opened for another session');
    });

    it('are checked by one of those who want to at the same time', async () => {
      verifies('gateway.ui.sign-in.ends');
      await one.pageSessions.add(session('a'));
      const wanted = [one, two, one, two].map((it) => it.pageSessions.takeCheck('a', nowMs, nowMs + 5_000));
      assert.equal((await Promise.all(wanted)).filter(Boolean).length, 1);
      await one.pageSessions.confirm('a', nowMs + 5_000, '{"teams":{}}', { refresh_token: 'next' });
      const { checked_ms, confirmed_ms, rights, tokens } = (await two.pageSessions.get('a'))!;
      assert.deepEqual(
        { checked_ms, confirmed_ms, rights, tokens },
        {
          checked_ms: nowMs + 5_000,
          confirmed_ms: nowMs + 5_000,
          rights: '{"teams":{}}',
          tokens: { refresh_token: 'next' },
        },
      );
    });

    it('are not there again when they are confirmed after they ended', async () => {
      verifies('gateway.ui.sign-in.ends');
      await one.pageSessions.add(session('a'));
      await two.pageSessions.remove('a');
      await one.pageSessions.confirm('a', nowMs, '{}', {});
      assert.deepEqual(await left(['a']), []);
    });

    it('end by the person, by the session at the provider, and by their time, and others go on', async () => {
      verifies('gateway.ui.sign-in.ends');
      const others = { subject: '2', issuer: 'https://other.example.com' };
      const all = ['a', 'b', 'c', 'd', 'e'];
      await one.pageSessions.add(session('a'));
      await one.pageSessions.add(session('b'));
      await one.pageSessions.add(session('c', { subject: '2' }));
      await one.pageSessions.add(session('d', { ...others, subject: '1' }));
      await one.pageSessions.add(session('e', { ...others, until_ms: nowMs - 1 }));
      const { issuer } = session('a');
      assert.equal(await one.pageSessions.removeOf({ issuer, provider_session: 'sid-b' }), 1);
      assert.deepEqual(await left(all), ['a', 'c', 'd', 'e']);
      assert.equal(await one.pageSessions.removeOf({ issuer, subject: '1' }), 1);
      assert.deepEqual(await left(all), ['c', 'd', 'e']);
      await one.pageSessions.tidy(nowMs);
      assert.deepEqual(await left(all), ['c', 'd']);
    });
  });
}
