import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import type { TeamRecord } from '../../../../sidecar/protocol/gateway/people.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';

const at = '2026-03-04T10:00:00.000Z';
const team = (team_id: string, more: Partial<TeamRecord> = {}): TeamRecord => ({
  team_id,
  created_at: at,
  updated_at: at,
  ...more,
});

/** What the gateway's store owes everybody, on either database. */
export function storeContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`the gateway's store on ${name}`, () => {
    const clock = new StandingClock(at);
    let place: StorePlace;
    let store: GatewayStore;
    before(async function start() {
      place = await open();
      store = await place.open(clock);
    });
    after(async () => {
      await store.close();
      place.remove();
    });

    it('answers when it is asked whether it is there', async () => assert.equal(await store.ping(), true));

    it('gives back what was written, by id and by alias', async () => {
      const record = team('t1', { team_alias: 'Blue', max_budget: 2.5, tags: ['x'] });
      await store.team.insert(record);
      assert.deepEqual(await store.team.get('t1'), record);
      assert.deepEqual(await store.team.byAlias('Blue'), record);
      assert.equal(await store.team.get('nobody'), undefined);
    });

    it('refuses a second record with the same id or alias', async () => {
      await store.team.insert(team('t2', { team_alias: 'Red' }));
      for (const it of [team('t2'), team('t3', { team_alias: 'Red' })])
        await assert.rejects(store.team.insert(it), { code: 'already_exists' });
      assert.equal(await store.team.get('t3'), undefined);
    });

    it('lets several records be without an alias', async () => {
      await store.team.insert(team('n1'));
      await store.team.insert(team('n2', { team_alias: null }));
      assert.ok((await store.team.get('n1')) && (await store.team.get('n2')));
    });

    it('loses none of many changes of one record at once', async () => {
      await store.team.insert(team('busy', { metadata: { count: 0 } }));
      const add = (it: TeamRecord): TeamRecord => ({ ...it, metadata: { count: Number(it.metadata?.['count']) + 1 } });
      await Promise.all(Array.from({ length: 20 }, () => store.team.update('busy', add)));
      assert.equal((await store.team.get('busy'))?.metadata?.['count'], 20);
    });

    it('writes nothing when a change throws, and says which record is not there', async () => {
      const stop = () => {
        throw new TypeError('no');
      };
      await store.team.insert(team('whole', { team_alias: 'Whole' }));
      await assert.rejects(store.team.update('whole', stop));
      assert.equal((await store.team.get('whole'))?.team_alias, 'Whole');
      await assert.rejects(
        store.team.update('nobody', (it) => it),
        { code: 'not_found' },
      );
    });

    it('moves a record to the id that a change gives it, unless somebody has that', async () => {
      await store.team.insert(team('old', { team_alias: 'Mover' }));
      const told: string[] = [];
      const stop = store.changes.listen((_kind, id) => told.push(id));
      await store.team.update('old', (it) => ({ ...it, team_id: 'new' }));
      stop();
      assert.deepEqual(told, ['old', 'new']);
      assert.equal(await store.team.get('old'), undefined);
      assert.equal((await store.team.get('new'))?.team_alias, 'Mover');
      await assert.rejects(
        store.team.update('new', (it) => ({ ...it, team_id: 't1' })),
        { code: 'already_exists' },
      );
    });

    it('answers the same objects for records that did not change, and new ones for those that did', async () => {
      for (const id of ['kept', 'changed', 'removed']) await store.team.insert(team(`all-${id}`));
      const all = async () =>
        new Map((await store.team.all()).flatMap((it) => (it.team_id.startsWith('all-') ? [[it.team_id, it]] : [])));
      const before = await all();
      await store.team.update('all-changed', (it) => ({ ...it, max_budget: 2 }));
      await store.team.remove('all-removed');
      await store.team.insert(team('all-new'));
      const after = await all();
      assert.deepEqual([...after.keys()].sort(), ['all-changed', 'all-kept', 'all-new']);
      assert.equal(after.get('all-kept'), before.get('all-kept'));
      assert.deepEqual(
        [before, after].map((it) => it.get('all-changed')?.max_budget),
        [undefined, 2],
      );
    });

    it('says of which kinds there are records', async () => {
      await store.team.insert(team('of a kind'));
      assert.deepEqual([...(await store.kindsAmong(['team', 'tool_pin']))], ['team']);
      assert.deepEqual([...(await store.kindsAmong(['tool_pin']))], []);
    });

    it('answers a removed record once', async () => {
      await store.team.insert(team('gone'));
      assert.equal((await store.team.remove('gone'))?.team_id, 'gone');
      assert.equal(await store.team.remove('gone'), undefined);
    });

    it('lists by page, filter and search, with the total', async () => {
      for (let n = 0; n < 5; n += 1)
        await store.user.insert({ user_id: `u${n}`, user_alias: `Ann ${n}`, created_at: `${at}${n}`, updated_at: at });
      const page = await store.user.list({ limit: 2, offset: 2, descending: true });
      assert.deepEqual([page.items.map((it) => it.user_id), page.total], [['u2', 'u1'], 5]);
      assert.equal((await store.user.list({ search: 'u3' })).total, 1);
      assert.equal((await store.user.list({ search: '100%' })).total, 0);
      await store.team.insert(team('Sought', { team_alias: 'Prod_Ärger 100%!' }));
      await store.team.insert(team('other', { team_alias: 'ProdXÄrger 1000' }));
      for (const search of ['d_Ä', 'D_Ä', '100%', '%!', 'sought', 'SOUGHT'])
        assert.deepEqual(
          (await store.team.list({ search })).items.map((it) => it.team_id),
          ['Sought'],
          search,
        );
      for (const search of ['_', '%']) assert.equal((await store.team.list({ search })).total, 1, search);
      await store.team.insert(team('in-o', { organization_id: 'o1' }));
      assert.deepEqual(
        (await store.team.list({ organization_id: 'o1' })).items.map((it) => it.team_id),
        ['in-o'],
      );
    });

    it('orders keys by what they have, those without it first, and narrows them down', async () => {
      const key = (name: string, more: object = {}) => ({
        ...{ token: name.repeat(64), token_id: name, key_name: 'sk-...', key_alias: `name ${name}`, rotation_count: 0 },
        ...{ created_at: `${at}${name}`, updated_at: at, ...more },
      });
      await store.key.insert(key('a', { key_alias: null, max_budget: 10, team_id: 't1' }));
      await store.key.insert(key('b', { expires: '2027-01-01T00:00:00.000Z', user_id: 'u1', created_by: 'u2' }));
      await store.key.insert(key('c', { key_alias: 'Name c', max_budget: 9.5, team_id: 't1', user_id: 'u2' }));
      await store.key.insert(key('d', { expires: '2026-12-01T00:00:00.000Z', team_id: 't2', updated_at: `${at}0` }));
      const rows = [
        [{ sort_by: 'created_at' }, 'abcd'],
        [{ sort_by: 'updated_at' }, 'abcd'],
        [{ sort_by: 'alias' }, 'acbd'],
        [{ sort_by: 'max_budget' }, 'bdca'],
        [{ sort_by: 'expires' }, 'acdb'],
        [{ alias: 'name b' }, 'b'],
        [{ id: 'd'.repeat(64) }, 'd'],
        [{ isOfTeamAlone: true }, 'ad'],
        [{ isOfTeamAlone: false }, 'bc'],
        [{ among: {} }, ''],
        [{ among: { id: 'a'.repeat(64), user_ids: ['u2'] } }, 'ac'],
        [{ among: { team_ids: ['t1', 't2'], user_ids: [] } }, 'acd'],
        [{ among: { created_by: 'u2' } }, 'b'],
      ] as const;
      const found = async (query: object) => (await store.key.list(query)).items.map((it) => it.token[0]).join('');
      for (const [query, expected] of rows) {
        const name = JSON.stringify(query);
        assert.equal(await found(query), expected, name);
        assert.equal(await found({ ...query, descending: true }), expected.split('').toReversed().join(''), name);
        for (const descending of [false, true]) {
          const all = await found({ ...query, descending });
          const pages = [0, 2].map((offset) => found({ ...query, descending, limit: 2, offset }));
          assert.equal((await Promise.all(pages)).join(''), all, `${name} page by page`);
          assert.equal((await store.key.list({ ...query, limit: 1 })).total, expected.length, name);
        }
      }
      const names = await store.key.aliases({ limit: 2, offset: 1 });
      assert.deepEqual([names.items, names.total], [['name b', 'name d'], 3]);
    });

    it('keeps and orders keys that hold NUL or half a surrogate pair', async () => {
      const metadata = { zero: 'a\0b', half: '\ud800 and \udfff', pair: '\u{1F600}', words: '\\u0000 \\ud800 \n' };
      await store.key.insert({
        ...{ token: 'e'.repeat(64), token_id: 'e', key_name: 'sk-...', rotation_count: 0, created_by: 'u9' },
        ...{ created_at: at, updated_at: at, expires: '2027-01-01T00:00:00.000Z', max_budget: 1, metadata },
      });
      for (const sort_by of ['max_budget', 'expires', 'updated_at'] as const) {
        const { items } = await store.key.list({ sort_by, among: { created_by: 'u9' }, limit: 1 });
        assert.deepEqual(items[0]?.metadata, metadata);
      }
      const [from, until] = ['2026-12-31T00:00:00.000Z', '2027-01-02T00:00:00.000Z'];
      const expiring = await store.alertReads.expiringKeys(from, until, 9);
      assert.ok(expiring.some((it) => it.token_id === 'e'));
      await store.key.remove('e'.repeat(64));
    });

    it('tells its own listeners of every write', async () => {
      const told: string[] = [];
      const stop = store.changes.listen((kind, id) => told.push(`${kind} ${id}`));
      await store.team.insert(team('told'));
      await store.team.update('told', (it) => it);
      await store.team.remove('told');
      stop();
      await store.team.insert(team('untold'));
      assert.deepEqual(told, ['team told', 'team told', 'team told']);
    });

    it('lets only the first claim a word, until it is forgotten', async () => {
      const claims = Array.from({ length: 8 }, () => store.leases.claim('once', clock.nowMs() + 1_000));
      assert.equal((await Promise.all(claims)).filter(Boolean).length, 1);
      clock.pass(1_001);
      assert.equal(await store.leases.claim('once', clock.nowMs() + 1_000), true);
    });

    it('remembers an MCP session that was ended, after a restart too', async () => {
      await store.endedSessions.add('session-1', clock.nowMs() + 1_000);
      await store.endedSessions.add('session-1', clock.nowMs() + 1_000);
      const other = await place.open(clock, 'b');
      assert.deepEqual(await Promise.all(['session-1', 'session-2'].map((it) => other.endedSessions.has(it))), [
        true,
        false,
      ]);
      await other.close();
    });

    it('keeps how servers were when they were asked last, as long as they are registered', async () => {
      const server_id = 's1';
      const asked = { server_id, last_health_check: at, health_check_error: 'HTTP 502' };
      await store.serverHealth.put([{ ...asked, status: 'unhealthy' }]);
      await store.serverHealth.put([{ ...asked, status: 'healthy', health_check_error: null }]);
      assert.deepEqual(await store.serverHealth.of([server_id, 's2']), [
        { ...asked, status: 'healthy', health_check_error: null },
      ]);
      const stamps = { created_at: at, updated_at: at };
      await store.mcp_server.insert({ server_id, transport: 'http', approval_status: 'active', ...stamps });
      await store.serverHealth.tidy();
      assert.equal((await store.serverHealth.of([server_id])).length, 1);
      await store.mcp_server.remove(server_id);
      await store.serverHealth.tidy();
      assert.deepEqual(await store.serverHealth.of([server_id]), []);
    });

    it('keeps the audit in order, newest first', async () => {
      const entry = { actor: 'me', action: 'created', kind: 'team', object_id: 't1' } as const;
      await store.audit.add({ id: '1', at: '2026-01-01T00:00:00Z', ...entry });
      await store.audit.add({ id: '2', at: '2026-01-02T00:00:00Z', ...entry, after: '{}' });
      const found = await store.audit.list({ kind: 'team', object_id: 't1', limit: 10 });
      assert.deepEqual(
        found.map((it) => [it.id, it.after]),
        [
          ['2', '{}'],
          ['1', null],
        ],
      );
    });

    it('gives back a secret, and keeps it sealed', async () => {
      await store.secrets.put('mcp_server', 's1', 'token', 'canary-value');
      await store.secrets.put('mcp_server', 's1', 'token', 'canary-two');
      assert.equal(await store.secrets.get('mcp_server', 's1', 'token'), 'canary-two');
      const rows = await store.database.db.selectFrom('secrets').selectAll().execute();
      assert.ok(rows.length === 1 && !JSON.stringify(rows).includes('canary'));
    });

    it('opens no sealed secret in another row', async () => {
      await store.secrets.put('mcp_server', 'from', 'token', 'one');
      await store.secrets.put('mcp_server', 'to', 'token', 'other');
      const { db } = store.database;
      const row = await db.selectFrom('secrets').select('sealed').where('id', '=', 'from').executeTakeFirstOrThrow();
      await db.updateTable('secrets').set({ sealed: row.sealed }).where('id', '=', 'to').execute();
      await assert.rejects(store.secrets.get('mcp_server', 'to', 'token'), { code: 'internal' });
      await store.secrets.remove('mcp_server', 'from');
      assert.equal(await store.secrets.get('mcp_server', 'from', 'token'), undefined);
    });

    it('reads its own file again after it was closed', async () => {
      await store.team.insert(team('stays'));
      const other = await place.open(clock, 'b');
      assert.equal((await other.team.get('stays'))?.team_id, 'stays');
      await other.close();
    });
  });
}
