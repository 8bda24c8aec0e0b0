import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { DatabaseAddress } from '../../../../sidecar/gateway/storage/database/database.ts';
import { callOn, registerBad, type SurfaceName } from '../../../support/gateway/callSurfaces.ts';
import { type CutForwarder, cutForwarder } from '../../../support/gateway/cutForwarder.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { postgresDatabase } from '../../../support/network/postgres.ts';
import { type PostgresServer, startPostgres } from '../../../support/network/postgresServer.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const down = {
  error: {
    message: 'The gateway database is not responding. Try again in a moment.',
    type: 'no_db_connection',
    param: null,
    code: '503',
  },
};
const surfaces: readonly SurfaceName[] = ['mcp', 'a2a', 'a2aStream', 'cloud'];

async function send(stand: Stand, path: string, key: string, method = 'GET', body?: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${stand.base}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as unknown };
}

/** Issue C, done when 3: store down and disk full. */
describe('a store that fails, as a caller of the whole gateway sees it', () => {
  describe('that is gone (SQLite)', () => {
    let stand: Stand;
    let known: string;
    let unknown: string;

    beforeEach(async () => {
      stand = await openStand();
      await registerBad(stand);
      [known, unknown] = [await stand.addKey(), await stand.addKey()];
      for (const surface of surfaces) assert.equal((await callOn(stand, surface, known)).status, 200);
      await stand.records(surfaces.length);
      assert.equal((await send(stand, '/key/list', stand.adminKey)).status, 200);
      stand.backend.heard.splice(0);
      await stand.gateway.store.database.close();
    });
    afterEach(async () => {
      // What could not be written is told when it closes: there is no store to write it to.
      await stand.gateway.close(0).catch(() => undefined);
      await stand.backend.close();
    });

    for (const surface of surfaces) {
      it(`refuses a key that it has to look up with 503 on ${surface}, and nothing reaches the backend`, async () => {
        const { status, body } = await callOn(stand, surface, unknown);
        assert.deepEqual([status, body], [503, down]);
        assert.deepEqual(stand.backend.heard, []);
      });

      it(`serves a key that it knows on ${surface}, by what it remembers, and never more than before`, async () => {
        assert.equal((await callOn(stand, surface, known)).status, 200);
      });
    }

    it('says so to whoever asks for its health, and answers management routes with 503', async () => {
      verifies('gateway.service.alive');
      for (const path of ['/healthz', '/readyz'])
        assert.deepEqual(await send(stand, path, known), {
          status: 503,
          json: { status: 'no_db_connection', version: '1' },
        });
      assert.deepEqual(await send(stand, '/livez', known), { status: 200, json: { status: 'ok', version: '1' } });
      for (const [method, path] of [
        ['POST', '/key/generate'],
        ['GET', '/key/list'],
        ['GET', '/v1/mcp/server'],
        ['GET', '/spend/logs/v2'],
      ] as const)
        assert.deepEqual(
          await send(stand, path, stand.adminKey, method, method === 'POST' ? {} : undefined),
          { status: 503, json: down },
          path,
        );
    });

    it('widens nothing: a server that a known key may not use stays hidden', async () => {
      assert.equal((await stand.mcp('/nobody/mcp', known).request('tools/list')).status, 404);
    });
  });

  describe('whose disk is full (SQLite)', () => {
    let stand: Stand;
    let key: string;
    const pages = async (max: number) => {
      await sql.raw(`pragma max_page_count = ${max}`).execute(stand.gateway.store.database.db);
    };

    beforeEach(async () => {
      stand = await openStand();
      await registerBad(stand);
      key = await stand.addKey();
      assert.equal((await callOn(stand, 'mcp', key)).status, 200);
      await stand.records(1);
      await pages(1); // SQLite takes the number of pages that it has: no page can be added
    });
    afterEach(() => stand.close());

    it('goes on with calls, and writes one record of each when there is room again', async () => {
      const padding = 'x'.repeat(400);
      for (let at = 0; at < 60; at += 1) {
        const headers = { 'x-gateway-session-id': `${padding}${at}` };
        assert.equal((await stand.mcp('/bad/mcp', key, headers).call('echo')).status, 200);
      }
      for (const surface of surfaces) assert.equal((await callOn(stand, surface, key)).status, 200, surface);
      await until('the log says that records wait', () =>
        stand.logLines.join('').includes('Call records cannot be written'),
      );
      await pages(1_000_000);
      const records = await stand.records(61 + surfaces.length);
      assert.equal(new Set(records.map((it) => it.request_id)).size, records.length);
      assert.ok(records.every((it) => it.status === 'success'));
    });

    it('answers a write that does not fit with 503, and keeps nothing of it', async () => {
      const metadata = { note: randomBytes(20_000).toString('hex') };
      const refused = await send(stand, '/key/generate', stand.adminKey, 'POST', {
        key_alias: 'large',
        metadata,
      });
      assert.deepEqual(refused, { status: 503, json: down });
      await pages(1_000_000);
      const { status } = await send(stand, '/key/generate', stand.adminKey, 'POST', {
        key_alias: 'large',
        metadata,
      });
      assert.equal(status, 200, 'its name is still free');
    });
  });

  describe('that is away for a while (PostgreSQL)', () => {
    let forwarder: CutForwarder;
    let stand: Stand;
    let known: string;
    let unknown: string;

    beforeEach(async () => {
      const url = new URL(await postgresDatabase());
      forwarder = await cutForwarder(Number(url.port));
      url.port = String(forwarder.port);
      stand = await openStand({ database: { kind: 'postgres', url: url.href, stallMs: 300 } });
      await registerBad(stand);
      [known, unknown] = [await stand.addKey(), await stand.addKey()];
      await stand.gateway.store.changes.poll(); // what is told of later is forgotten then
      for (const surface of surfaces) assert.equal((await callOn(stand, surface, known)).status, 200);
      await stand.records(surfaces.length);
    });
    afterEach(async () => {
      await stand.close();
      await forwarder.close();
    });

    for (const [says, leave, comeBack] of [
      ['refuses its connections', () => forwarder.cut(), () => forwarder.restore()],
      ['takes connections and never answers', () => forwarder.hold(), () => forwarder.release()],
    ] as const) {
      it(`and ${says}: strangers hear 503, the known are served, and each call has one record when it is back`, async () => {
        leave();
        const calls: (readonly [string | null, string])[] = [];
        for (const surface of surfaces) {
          const stranger = await callOn(stand, surface, unknown);
          assert.deepEqual([surface, stranger.status, stranger.body], [surface, 503, down]);
          const { status, call } = await callOn(stand, surface, known);
          assert.equal(status, 200, surface);
          calls.push([call, 'success']);
        }
        assert.deepEqual(await send(stand, '/key/list', stand.adminKey), { status: 503, json: down });
        assert.equal((await send(stand, '/healthz', known)).status, 503);
        comeBack();
        await until('it is well', async () => (await send(stand, '/healthz', known)).status === 200);
        const records = await stand.records(2 * surfaces.length);
        const late = records.filter((it) => calls.some(([id]) => id === it.request_id));
        assert.deepEqual([late.length, new Map(late.map((it) => [it.request_id, it.status]))], [4, new Map(calls)]);
        assert.equal((await callOn(stand, 'mcp', unknown)).status, 200);
      });
    }
  });

  describe('that is gone (PostgreSQL)', () => {
    let server: PostgresServer;
    let database: DatabaseAddress;

    before(async () => {
      server = await startPostgres();
      database = { kind: 'postgres', url: await server.database() };
    });
    after(() => server.stop());

    it('refuses with 503 whom it has to look up, serves whom it knows, and names no address or password', async () => {
      const stand = await openStand({ database });
      await registerBad(stand);
      const [known, unknown] = [await stand.addKey(), await stand.addKey()];
      await stand.gateway.store.changes.poll();
      for (const surface of surfaces) assert.equal((await callOn(stand, surface, known)).status, 200);
      await stand.records(surfaces.length);
      await server.stop();
      for (const surface of surfaces) {
        const { status, body } = await callOn(stand, surface, unknown);
        assert.deepEqual([surface, status, body], [surface, 503, down]);
        assert.equal((await callOn(stand, surface, known)).status, 200, surface);
      }
      assert.equal((await send(stand, '/healthz', known)).status, 503);
      const password = new URL(database.kind === 'postgres' ? database.url : '').password;
      await stand.gateway.close(0).catch(() => undefined);
      await stand.backend.close();
      assert.ok(!stand.logLines.join('\n').includes(password), 'the password of the database is in the log');
    });
  });
});
