import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { type Managed, openManaged, start } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

describe('key routes', () => {
  verifies('gateway.manage.keys');
  let api: Managed;
  const post = (path: string, body: unknown, key = api.admin) => api.send(key, 'POST', path, body);
  const get = (path: string, key = api.admin) => api.send(key, 'GET', path);
  before(async () => {
    api = await openManaged();
  });
  after(() => api.close());

  it('generate shows a key once: it opens the door, and only its hash is kept', async () => {
    const made = await post('/key/generate', { key_alias: 'first', max_budget: 3, duration: '30d' });
    assert.equal(made.status, 200);
    const key = made.string('key');
    assert.match(key, /^sk-[\w-]{43}$/);
    assert.equal(made.at('token'), hashKey(key));
    assert.equal(made.at('expires'), '2026-04-03T10:00:00.000Z');
    assert.equal(made.at('spend'), 0);
    const info = await get('/key/info', key);
    assert.equal(info.at('key'), hashKey(key));
    assert.equal(info.at('info.key_alias'), 'first');
    assert.ok(!info.text.includes(key));
  });

  it('a month ends on the same day of the next, or on its last', async () => {
    api.clock.setTo('2026-01-31T08:00:00.000Z');
    const made = await post('/key/generate', { duration: '1mo' });
    api.clock.setTo(start);
    assert.equal(made.at('expires'), '2026-02-28T08:00:00.000Z');
  });

  for (const { says, body, field } of [
    { says: 'a chosen key that is short', body: { key: 'sk-short' }, field: 'key' },
    { says: 'a field that nobody knows', body: { colour: 'red' }, field: 'colour' },
    { says: 'a duration without a unit', body: { duration: '30' }, field: 'duration' },
    { says: 'a team that is not there', body: { team_id: 'nobody' }, field: 'team_id' },
    { says: 'a budget below zero', body: { max_budget: -1 }, field: 'max_budget' },
    { says: 'a body that is no object', body: '[]', field: 'body' },
    { says: 'a body that is no JSON', body: '{', field: 'body' },
    { says: 'a body that nests without an end', body: '['.repeat(100_000), field: 'body' },
  ]) {
    it(`generate refuses ${says} and names ${field}`, async () => {
      const refused = await post('/key/generate', body);
      assert.equal(refused.status, 400);
      assert.equal(refused.at('error.param'), field);
    });
  }

  it('a refusal never repeats a key', async () => {
    const taken = 'sk-a-key-that-somebody-chose';
    await post('/key/generate', { key: taken });
    for (const refused of [
      await post('/key/generate', { key: taken }),
      await post('/key/update', { key: `${taken}x`, max_budget: 1 }),
      await post('/key/delete', { keys: [`${taken}x`] }),
      await get(`/key/info?key=${taken}x`),
    ]) {
      assert.ok(refused.status >= 400);
      assert.ok(!refused.text.includes(taken), refused.text);
    }
  });

  it('an alias is one key only', async () => {
    await post('/key/generate', { key_alias: 'twice' });
    assert.equal((await post('/key/generate', { key_alias: 'twice' })).status, 409);
  });

  it('key_type stands for routes, and a service account belongs to a team and no person', async () => {
    const made = await post('/key/generate', { key_type: 'read_only' });
    assert.deepEqual(made.at('allowed_routes'), ['info_routes']);
    assert.equal((await post('/key/generate', {}, made.string('key'))).status, 403);
    assert.equal((await get('/key/info', made.string('key'))).status, 200);
    assert.equal((await post('/key/service-account/generate', {})).at('error.param'), 'team_id');
  });

  it('update changes what is named, and null takes away', async () => {
    const made = await post('/key/generate', { max_budget: 3, rpm_limit: 5 });
    const next = await post('/key/update', { key: made.at('token'), max_budget: null, tpm_limit: 9 });
    assert.equal(next.status, 200);
    assert.deepEqual([next.at('max_budget'), next.at('rpm_limit'), next.at('tpm_limit')], [null, 5, 9]);
    assert.equal((await post('/key/update', { key: 'sk-nobody-has-this-one', rpm_limit: 1 })).status, 404);
  });

  it('bulk_update tells of each key whether it was changed', async () => {
    const key = (await post('/key/generate', {})).string('key');
    const keys = [
      { key, rpm_limit: 7 },
      { key: 'sk-nobody-has-this-one', rpm_limit: 7 },
    ];
    const answer = await post('/key/bulk_update', { keys });
    assert.equal(answer.at('total_requested'), 2);
    assert.equal(answer.at('successful_updates.0.key_info.rpm_limit'), 7);
    assert.equal(answer.list('failed_updates').length, 1);
    assert.ok(!answer.text.includes('sk-nobody') && !answer.text.includes(key));
  });

  it('regenerate keeps scope and token_id (privilege escalation), and the old key is dead at once', async () => {
    verifies('security.privilege-escalation');
    const scope = { key_alias: 'rotated', object_permission: { mcp_servers: ['a'] }, allowed_routes: ['/key/*'] };
    const old = await post('/key/generate', scope);
    const next = await post('/key/regenerate', { key: old.at('key') });
    assert.equal(next.status, 200);
    assert.notEqual(next.at('key'), old.at('key'));
    for (const name of ['token_id', 'key_alias', 'allowed_routes', 'object_permission', 'created_at'])
      assert.deepEqual(next.at(name), old.at(name), name);
    assert.equal(next.at('rotation_count'), 1);
    assert.equal((await get('/key/info', old.string('key'))).status, 401);
    assert.equal((await get('/key/info', next.string('key'))).status, 200);
  });

  it('regenerate with a time of grace lets the old key in until it ends, over two rotations', async () => {
    const old = await post('/key/generate', {});
    const rotation = { grace_period: '1h', new_key: 'sk-the-second-of-three' };
    const next = await post(`/key/${old.string('token')}/regenerate`, rotation);
    assert.equal(next.at('key'), 'sk-the-second-of-three');
    const third = await post(`/key/${next.string('token')}/regenerate`, {});
    assert.equal((await get('/key/info', old.string('key'))).at('key'), third.at('token'));
    api.clock.pass(3_600_000);
    assert.equal((await get('/key/info', old.string('key'))).status, 401);
    api.clock.setTo(start);
  });

  it('a blocked key is refused until it is unblocked', async () => {
    const made = await post('/key/generate', {});
    assert.equal((await post('/key/block', { key: made.at('token') })).at('blocked'), true);
    assert.equal((await get('/key/info', made.string('key'))).status, 401);
    await post('/key/unblock', { key: made.at('token') });
    assert.equal((await get('/key/info', made.string('key'))).status, 200);
  });

  it('delete ends keys by themselves and by alias, and keeps them for the log', async () => {
    const one = await post('/key/generate', {});
    const other = await post('/key/generate', { key_alias: 'doomed' });
    const answer = await post('/key/delete', { keys: [one.at('key')], key_aliases: ['doomed'] });
    assert.deepEqual(answer.body, { deleted_keys: [one.at('token'), 'doomed'] });
    assert.equal((await get('/key/info', one.string('key'))).status, 401);
    const kept = await get('/key/list?status=deleted&size=100');
    assert.deepEqual(new Set(kept.list('keys')), new Set([one.at('token'), other.at('token')]));
    assert.equal((await post('/key/delete', {})).at('error.param'), 'keys');
    assert.equal((await post('/key/delete', { key_aliases: ['doomed'] })).status, 404);
  });

  it('reset_spend answers what it was and counts from the new value', async () => {
    const made = await post('/key/generate', { max_budget: 5 });
    api.spent.set(made.string('token_id'), 4);
    const token = made.string('token');
    const answer = await post(`/key/${token}/reset_spend`, { reset_to: 1 });
    const numbers = { spend: 1, previous_spend: 4, max_budget: 5, budget_reset_at: null };
    assert.deepEqual(answer.body, { key_hash: token, ...numbers });
    assert.equal((await get(`/key/info?key=${token}`)).at('info.spend'), 1);
  });

  it('list pages, filters and sorts, and shows hashes unless whole keys are asked for', async () => {
    await api.store.team.insert({ team_id: 'lists', created_at: start, updated_at: start });
    for (const n of [1, 2, 3])
      await post('/key/generate', { team_id: 'lists', key_alias: `listed-${n}`, max_budget: 4 - n });
    const page = await get('/key/list?team_id=lists&page=2&size=2');
    assert.deepEqual([page.at('total_count'), page.at('total_pages'), page.at('current_page')], [3, 2, 2]);
    assert.match(page.string('keys.0'), /^[0-9a-f]{64}$/);
    const names = async (query: string) =>
      (await get(`/key/list?return_full_object=true&team_id=lists&${query}`))
        .list('keys')
        .map((key) => key['key_alias']);
    assert.deepEqual(await names('sort_by=max_budget&sort_order=asc'), ['listed-3', 'listed-2', 'listed-1']);
    assert.deepEqual(await names('search=ed-2'), ['listed-2']);
    assert.deepEqual(await names('key_alias=listed-3'), ['listed-3']);
    assert.equal((await get('/key/list?size=101')).at('error.param'), 'size');
    assert.deepEqual((await get('/key/aliases?search=listed')).at('aliases'), ['listed-1', 'listed-2', 'listed-3']);
  });

  it('every write is in the audit with who did it, and on whose behalf', async () => {
    const made = await api.send(api.admin, 'POST', '/key/generate', {}, { 'x-gateway-changed-by': 'alice' });
    await post('/key/update', { key: made.at('token'), rpm_limit: 2 });
    const found = await get(`/audit?object_id=${made.string('token')}`);
    const rows = found.list('audit_logs').map((row) => [row['action'], row['changed_by'], row['on_behalf_of']]);
    assert.deepEqual(new Set(rows.map(String)), new Set(['created,root,alice', 'updated,root,']));
    assert.equal(found.at('total'), 2);
  });

  it('the audit is asked for by days, the last one included', async () => {
    const made = await post('/key/generate', {});
    const audit = `/audit?object_id=${made.string('token')}`;
    const [row] = (await get(audit)).list('audit_logs');
    const day = String(row?.['updated_at']).slice(0, 10);
    const total = async (query: string) => (await get(`${audit}&${query}`)).at('total');
    assert.equal(await total(`start_date=${day}&end_date=${day}`), 1);
    assert.equal(await total('end_date=2000-01-01'), 0);
    assert.equal(await total('start_date=2999-01-01'), 0);
    assert.equal((await get('/audit?start_date=yesterday')).at('error.param'), 'start_date');
  });

  it('the audit is exported as CSV and as JSON Lines, by days and to those who may read it', async () => {
    verifies('gateway.export.audit');
    const made = await post('/key/generate', { key_alias: 'exported' });
    const audit = `/audit?object_id=${made.string('token')}`;
    const [row] = (await get(audit)).list('audit_logs');
    const lines = await get(`${audit}&format=jsonl`);
    assert.match(lines.headers.get('content-type') ?? '', /application\/jsonl/);
    assert.deepEqual(JSON.parse(lines.text), row);
    const csv = await get(`${audit}&format=csv`);
    assert.match(csv.headers.get('content-disposition') ?? '', /filename="audit\.csv"/);
    const [head, line, end] = csv.text.split('\r\n');
    assert.equal(
      head,
      'id,updated_at,changed_by,on_behalf_of,action,table_name,object_id,before_value,updated_values,user_email,signed_in_by',
    );
    assert.ok(
      line?.startsWith([row?.['id'], row?.['updated_at'], 'root,,created,key', made.string('token'), ','].join()),
      line,
    );
    assert.equal(end, '');
    assert.equal((await get(`${audit}&format=jsonl&end_date=2000-01-01`)).text, '');
    const own = await api.send(made.string('key'), 'GET', `${audit}&format=csv`);
    assert.equal(own.status, 403);
  });
});
