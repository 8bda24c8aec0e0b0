import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import type { KeyRecord } from '../../../../sidecar/protocol/gateway/key.ts';
import { type Managed, openManaged, start } from '../../../support/gateway/managed.ts';

const stamps = { created_at: start, updated_at: start };
const day = (n: number) => `2026-03-0${n}T10:00:00.000Z`;

/** By their aliases; made one day after the other. */
const keys: Readonly<Record<string, Partial<KeyRecord>>> = {
  ann: { user_id: 'ann', max_budget: 3, expires: day(5) },
  'ann-team': { user_id: 'ann', team_id: 'red', max_budget: 1, access_group_ids: ['g1', 'g2'] },
  'bob-by-ann': { user_id: 'bob', created_by: 'ann', expires: day(6), access_group_ids: ['g1'] },
  program: { team_id: 'red', max_budget: 2 },
  nobody: { created_by: null },
  other: { team_id: 'blue', user_id: 'cy' },
};

describe('lists of keys', () => {
  let api: Managed;
  const made: Record<string, string> = {};
  before(async () => {
    api = await openManaged();
    const member = (user_id: string, role: 'admin' | 'user' = 'user') => ({ role, user_id });
    await api.store.team.insert({
      team_id: 'red',
      members_with_roles: [member('ann'), member('lena', 'admin')],
      ...stamps,
    });
    const shown = { team_member_permissions: ['/key/list' as const], ...stamps };
    await api.store.team.insert({ team_id: 'blue', members_with_roles: [member('bob')], ...shown });
    for (const it of ['ann', 'bob', 'cy', 'lena'])
      await api.store.user.insert({ user_id: it, user_alias: `${it}!`, ...stamps });
    for (const [at, [key_alias, more]] of Object.entries(keys).entries())
      made[key_alias] = await api.give({ key_alias, ...more, created_at: day(at + 1) });
    made['lena'] = await api.give({ user_id: 'lena' });
    made['viewer'] = await api.give({ role: 'proxy_admin_viewer' });
    made['second nobody'] = await api.give({});
  });
  after(() => api.close());

  const list = async (who: string, query: string) => {
    const reply = await api.send(made[who] ?? api.admin, 'GET', `/key/list?return_full_object=true&${query}`);
    assert.equal(reply.status, 200, reply.text);
    return reply;
  };
  const names = async (who: string, query = '') =>
    (await list(who, query))
      .list('keys')
      .flatMap((it) => (typeof it['key_alias'] === 'string' ? [it['key_alias']] : []));

  const seen: readonly (readonly [who: string, query: string, names: readonly string[]])[] = [
    ['ann', '', ['ann', 'ann-team']],
    ['ann', 'include_created_by_keys=true', ['ann', 'ann-team', 'bob-by-ann']],
    ['bob-by-ann', '', ['bob-by-ann', 'other']],
    ['bob-by-ann', 'include_team_keys=false', ['bob-by-ann']],
    ['lena', '', ['ann-team', 'program']],
    ['lena', 'include_team_keys=false', []],
    ['nobody', '', ['nobody']],
    ['nobody', 'include_created_by_keys=true', ['nobody']],
    ['program', '', ['program']],
    ['viewer', '', Object.keys(keys)],
    ['ann', 'team_id=blue', []],
    ['ann', 'key_alias=program', []],
  ];
  for (const [who, query, expected] of seen)
    it(`show to the holder of '${who}' who asks for '${query}': ${expected.join(', ') || 'none'}`, async () =>
      assert.deepEqual((await names(who, `size=100&${query}`)).toSorted(), expected.toSorted()));

  const filtered: readonly (readonly [query: string, names: readonly string[]])[] = [
    ['key_alias=program', ['program']],
    ['access_group_id=g1', ['bob-by-ann', 'ann-team']],
    ['access_group_id=g2', ['ann-team']],
    [`expires=${day(5)}`, ['ann']],
    [`expires=${day(6)}`, ['bob-by-ann', 'ann']],
    [`expires=${encodeURIComponent('2026-03-05T12:00:00+02:00')}`, ['ann']],
    [`expires=${day(4)}`, []],
    ['user_id=ann', ['ann-team', 'ann']],
    ['team_id=red', ['program', 'ann-team']],
    ['team_id=red&sort_by=max_budget&sort_order=asc', ['ann-team', 'program']],
    ['team_id=red&sort_by=max_budget', ['program', 'ann-team']],
    ['team_id=red&sort_by=key_alias&sort_order=asc', ['ann-team', 'program']],
    ['team_id=red&sort_order=asc', ['ann-team', 'program']],
    ['search=ann-', ['ann-team']],
  ];
  for (const [query, expected] of filtered)
    it(`are for an administrator by '${query}': ${expected.join(', ') || 'none'}`, async () =>
      assert.deepEqual(await names('', query), expected));

  it('find a key by itself and by its hash', async () => {
    const key = made['program'] ?? '';
    for (const it of [key, hashKey(key)]) assert.deepEqual(await names('', `key_hash=${it}`), ['program']);
  });

  for (const more of ['', '&sort_by=key_alias']) {
    it(`come page by page, with how many there are${more}`, async () => {
      const pages = [1, 2, 3].map((it) => list('', `page=${it}&size=5${more}`));
      const found = await Promise.all(pages);
      assert.deepEqual(
        found.map((it) => [it.at('total_count'), it.at('current_page'), it.at('total_pages'), it.list('keys').length]),
        [
          [10, 1, 2, 5],
          [10, 2, 2, 5],
          [10, 3, 2, 0],
        ],
      );
      const all = found.flatMap((it) => it.list('keys').map((key) => key['token']));
      assert.equal(new Set(all).size, 10);
    });
  }

  it('name the person of each key where that is asked for', async () => {
    const { body } = await api.send(api.admin, 'GET', '/key/list?expand=user&size=100');
    const of = new Map(
      (body as { keys: { key_alias: string; user: { user_alias: string } | null }[] }).keys.map((it) => [
        it.key_alias,
        it.user?.user_alias,
      ]),
    );
    assert.deepEqual([of.get('ann'), of.get('bob-by-ann'), of.get('program')], ['ann!', 'bob!', undefined]);
    const plain = await api.send(api.admin, 'GET', '/key/list?key_alias=ann');
    assert.deepEqual(plain.at('keys'), [hashKey(made['ann'] ?? '')]);
  });

  it('are of those that were deleted, where that is asked for', async () => {
    const gone = await api.give({ key_alias: 'gone', user_id: 'ann' });
    assert.equal((await api.send(api.admin, 'POST', '/key/delete', { keys: [gone] })).status, 200);
    assert.deepEqual(await names('', 'status=deleted'), ['gone']);
    assert.deepEqual(await names('ann', 'status=deleted'), ['gone']);
    assert.deepEqual(await names('lena', 'status=deleted'), []);
  });

  it('of names are of the keys that one may see', async () => {
    const aliases = async (who: string, query = '') =>
      (await api.send(made[who] ?? api.admin, 'GET', `/key/aliases?${query}`)).at('aliases');
    assert.deepEqual(await aliases('ann'), ['ann', 'ann-team']);
    assert.deepEqual(await aliases('lena'), ['ann-team', 'program']);
    assert.deepEqual(await aliases('', 'team_id=red'), ['ann-team', 'program']);
    assert.deepEqual(await aliases('', 'size=2&page=2'), ['bob-by-ann', 'nobody']);
  });

  it('and facts of one: anybody sees what is theirs, also in a team; a viewer sees all and changes nothing', async () => {
    const status = async (who: string, of: string) =>
      (await api.send(made[who] ?? '', 'GET', `/key/info?key=${hashKey(made[of] ?? '')}`)).status;
    assert.deepEqual(
      [
        await status('ann', 'ann-team'),
        await status('ann-team', 'ann'),
        await status('viewer', 'other'),
        await status('lena', 'program'),
        await status('nobody', 'nobody'),
      ],
      [200, 200, 200, 200, 200],
    );
    assert.deepEqual(
      [
        await status('ann', 'program'),
        await status('ann', 'bob-by-ann'),
        await status('nobody', 'second nobody'),
        await status('bob-by-ann', 'other'),
      ],
      [404, 404, 404, 404],
    );
    const key = hashKey(made['ann-team'] ?? '');
    for (const [path, body] of [
      ['/key/update', { key, metadata: {} }],
      ['/key/regenerate', { key }],
      ['/key/delete', { keys: [key] }],
      ['/key/block', { key }],
    ] as const) {
      assert.equal((await api.send(made['ann'] ?? '', 'POST', path, body)).status, 404, path);
      assert.ok((await api.send(made['viewer'] ?? '', 'POST', path, body)).status >= 403, path);
    }
    const second = hashKey(made['second nobody'] ?? '');
    assert.equal((await api.send(made['nobody'] ?? '', 'POST', '/key/delete', { keys: [second] })).status, 404);
  });
});
