import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { newKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { SetClock } from '../../../support/backends/setClock.ts';
import { bearer } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
const group = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const patch = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const limit = 5;

describe('the SCIM routes under attack', () => {
  let stand: Stand;
  let token: string;
  before(async () => {
    stand = await openStand({
      clock: new SetClock(),
      throttle: { wrongKeysPerMinute: limit, registrationsPerMinute: 0 },
      trustedProxies: ['127.0.0.1'],
    });
    const { store } = stand.gateway;
    await store.user.insert({ user_id: 'root', user_email: 'root@example.com', user_role: 'proxy_admin', ...stamps });
    await store.user.insert({
      user_id: 'look',
      user_email: 'look@example.com',
      user_role: 'proxy_admin_viewer',
      ...stamps,
    });
    await store.user.insert({ user_id: 'hand', user_email: 'hand@example.com', ...stamps });
    await store.team.insert({ team_id: 'secret', team_alias: 'Secret', members_with_roles: [], ...stamps });
    token = String((await stand.manage('POST', '/scim/token/new', { name: 'idp' }))['token']);
    const made = await send('POST', 'Users', { schemas: [user], userName: 'ada@example.com', externalId: 'ada' });
    assert.equal(made.status, 201, made.text);
    assert.equal(
      (await send('POST', 'Groups', { schemas: [group], displayName: 'Team', externalId: 'team' })).status,
      201,
    );
  });
  after(() => stand.close());

  async function send(method: string, path: string, body?: object | string, credential = token, from = '192.0.2.1') {
    const response = await fetch(`${stand.base}/scim/v2/${path}`, {
      method,
      headers: { ...bearer(credential), 'content-type': 'application/scim+json', 'x-forwarded-for': from },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (text === '' ? {} : JSON.parse(text)) as {
      schemas?: string[];
      status?: string;
      scimType?: string;
      totalResults?: number;
    };
    return { status: response.status, headers: response.headers, text, json };
  }
  const change = (path: string, ...Operations: object[]) => send('PATCH', path, { schemas: [patch], Operations });
  const roleOf = async (id: string) => (await stand.gateway.store.user.get(id))?.user_role;

  it('are closed without a token, and to every other credential, which are told nothing', async () => {
    verifies('gateway.scim.token');
    const none = await fetch(`${stand.base}/scim/v2/Users`);
    assert.deepEqual([none.status, none.headers.get('www-authenticate')], [401, 'Bearer']);
    await none.arrayBuffer();
    const others = [
      stand.adminKey,
      await stand.addKey(),
      'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.',
      `scim-${'A'.repeat(43)}`,
    ];
    for (const [at, credential] of others.entries()) {
      for (const path of ['Users', 'Users/ada', 'Users/none', 'ServiceProviderConfig']) {
        const { status, json } = await send('GET', path, undefined, credential, `198.51.100.${at}`);
        assert.deepEqual([status, json.status], [401, '401'], `${credential.slice(0, 5)} ${path}`);
      }
    }
    const inQuery = await fetch(`${stand.base}/scim/v2/Users?access_token=${token}`);
    assert.equal(inQuery.status, 401);
  });

  it('guessed keys: whoever tries tokens has to wait, and the provider goes on', async () => {
    verifies('security.guessed-keys');
    const from = '203.0.113.1';
    assert.equal((await send('GET', 'Users', undefined, token, from)).status, 200);
    for (let n = 0; n < limit; n += 1)
      assert.equal((await send('GET', 'Users', undefined, `scim-guess-${n}`, from)).status, 401);
    const waits = await send('GET', 'Users', undefined, 'scim-guess-9', from);
    assert.deepEqual([waits.status, waits.json.schemas], [429, ['urn:ietf:params:scim:api:messages:2.0:Error']]);
    assert.ok(Number(waits.headers.get('retry-after')) >= 1);
    assert.equal((await send('GET', 'Users', undefined, token, from)).status, 200);
  });

  it('give their token no other route', async () => {
    verifies('gateway.scim.token');
    for (const path of ['/key/list', '/scim/token/list', '/mcp-rest/tools/list', '/v1/models'])
      assert.equal((await stand.ask(path, { ...bearer(token), 'x-forwarded-for': '198.51.100.77' })).status, 401, path);
  });

  it('let only administrators make and delete tokens', async () => {
    verifies('gateway.scim.token');
    const key = await stand.addKey({ user_id: 'hand' });
    for (const [path, body] of [
      ['/scim/token/new', { name: 'x' }],
      ['/scim/token/delete', { token_id: 'x' }],
    ] as const)
      assert.equal((await stand.as(key, path, { method: 'POST', body: JSON.stringify(body) })).status, 403, path);
    assert.equal((await stand.as(key, '/scim/token/list')).status, 403);
  });

  it('cannot be used for privilege escalation: no attribute makes an administrator', async () => {
    verifies('security.privilege-escalation');
    verifies('gateway.scim.limits');
    const powers = {
      roles: [{ value: 'proxy_admin', primary: true }],
      entitlements: [{ value: 'proxy_admin' }],
      user_role: 'proxy_admin',
      role: 'proxy_admin',
      object_permission: { mcp_servers: ['echo'] },
      teams: ['secret'],
      groups: [{ value: 'secret' }],
    };
    const body = { schemas: [user], userName: 'eve@example.com', externalId: 'eve', ...powers };
    assert.equal((await send('POST', 'Users', body)).status, 201);
    assert.equal((await send('PUT', 'Users/eve', body)).status, 200);
    for (const [name, value] of Object.entries(powers)) {
      assert.equal((await change('Users/eve', { op: 'replace', path: name, value })).status, 200, name);
      assert.equal((await change('Users/eve', { op: 'add', value: { [name]: value } })).status, 200, name);
    }
    const record = await stand.gateway.store.user.get('eve');
    assert.deepEqual(
      [record?.user_role, record?.object_permission, record?.teams],
      ['internal_user', undefined, undefined],
    );
    assert.deepEqual((await stand.gateway.store.team.get('secret'))?.members_with_roles, []);
    const owner = { op: 'add', path: 'members', value: [{ value: 'eve', role: 'admin', type: 'Owner' }] };
    assert.equal((await change('Groups/team', owner)).status, 200);
    const team = await stand.gateway.store.team.get('team');
    assert.deepEqual(team?.members_with_roles, [{ role: 'user', user_id: 'eve' }]);
  });

  it('take over no administrator, by ID, name or address', async () => {
    verifies('gateway.scim.limits');
    for (const who of ['root', 'look']) {
      const bodies = [
        { userName: `${who}@example.com` },
        { userName: 'new@example.com', externalId: who },
        { userName: 'new@example.com', emails: [{ value: `${who.toUpperCase()}@example.com` }] },
      ];
      for (const body of bodies) {
        const { status, json } = await send('POST', 'Users', { schemas: [user], ...body });
        assert.deepEqual([status, json.scimType], [409, 'uniqueness'], JSON.stringify(body));
      }
      const email = { op: 'replace', path: 'emails', value: [{ value: `${who}@example.com` }] };
      assert.equal((await change('Users/ada', email)).status, 409);
    }
    assert.deepEqual([await roleOf('root'), await roleOf('look')], ['proxy_admin', 'proxy_admin_viewer']);
  });

  it('cannot be used for privilege escalation: the address by which an administrator will first sign in stays', async () => {
    verifies('security.privilege-escalation');
    verifies('gateway.scim.limits');
    const body = { schemas: [user], userName: 'ida', externalId: 'ida', emails: [{ value: 'ida@example.com' }] };
    assert.equal((await send('POST', 'Users', body)).status, 201);
    await stand.manage('POST', '/user/update', { user_id: 'ida', user_role: 'proxy_admin' });
    const wanted = { ...body, emails: [{ value: 'eve@example.org' }], active: false };
    assert.equal((await send('PUT', 'Users/ida', wanted)).status, 200);
    assert.equal((await change('Users/ida', { op: 'remove', path: 'emails' })).status, 200);
    const record = await stand.gateway.store.user.get('ida');
    assert.deepEqual([record?.user_email, record?.blocked], ['ida@example.com', true]);
  });

  it('show and change nothing that the provider does not manage', async () => {
    verifies('gateway.scim.limits');
    for (const path of ['Users/root', 'Users/hand', 'Groups/secret', 'Users/none']) {
      assert.equal((await send('GET', path)).status, 404, path);
      assert.equal((await send('DELETE', path)).status, 404, path);
      assert.equal((await change(path, { op: 'replace', value: { active: false } })).status, 404, path);
    }
    assert.equal((await send('PUT', 'Groups/secret', { schemas: [group], displayName: 'x' })).status, 404);
    assert.equal((await send('POST', 'Groups', { schemas: [group], displayName: 'Secret' })).status, 409);
    assert.equal(
      (await send('POST', 'Groups', { schemas: [group], displayName: 'y', externalId: 'secret' })).status,
      409,
    );
    for (const value of ['root', 'hand', 'none']) {
      const { status, json } = await change('Groups/team', { op: 'add', path: 'members', value: [{ value }] });
      assert.deepEqual([status, json.scimType], [400, 'invalidValue'], value);
    }
    assert.doesNotMatch((await send('GET', 'Users')).text, /root|hand@/);
  });

  it('read a filter as what it is: nothing in a value becomes a condition', async () => {
    verifies('gateway.scim.limits');
    const count = async (filter: string) => (await send('GET', `Users?filter=${encodeURIComponent(filter)}`)).json;
    for (const value of ["x' or '1'='1", 'x\\" or active eq true or userName eq \\"y', '*', '%', '.*'])
      assert.equal((await count(`userName eq "${value}"`)).totalResults, 0, value);
    for (const filter of [
      'userName eq "x" or userName pr',
      'userName co ""',
      'user_role eq "proxy_admin"',
      'active eq true',
      '1 eq 1',
    ])
      assert.equal((await count(filter)).scimType, 'invalidFilter', filter);
    const twice = `Users?filter=${encodeURIComponent('userName eq "x"')}&filter=${encodeURIComponent('userName eq "ada@example.com"')}`;
    assert.equal((await send('GET', twice)).json.scimType, 'invalidFilter');
  });

  it('refuse what cannot be read, in the format of SCIM', async () => {
    const rows: readonly (readonly [method: string, path: string, body: object | string, status: number])[] = [
      ['POST', 'Users', 'no json', 400],
      ['POST', 'Users', '[]', 400],
      ['POST', 'Users', { schemas: [user] }, 400],
      ['POST', 'Users', { schemas: [user], userName: { $ne: null } }, 400],
      ['POST', 'Users', { schemas: [user], userName: 'x', active: 'maybe' }, 400],
      ['POST', 'Users', `{"userName":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
      ['PATCH', 'Users/ada', { Operations: [{ op: 'add', value: {} }] }, 400],
      ['PATCH', 'Users/ada', { schemas: [patch], Operations: [{ op: 'move', path: 'active' }] }, 400],
      ['PATCH', 'Users/ada', { schemas: [patch], Operations: [{ op: 'replace', path: 'id', value: 'root' }] }, 400],
      ['PATCH', 'Users/ada', { schemas: [patch], Operations: [{ op: 'remove', path: 'userName' }] }, 400],
    ];
    for (const [method, path, body, status] of rows) {
      const answer = await send(method, path, body);
      assert.equal(answer.status, status, `${JSON.stringify(body).slice(0, 80)} ${answer.text}`);
      assert.deepEqual(answer.json.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error']);
      assert.equal(answer.headers.get('content-type'), 'application/scim+json');
    }
    for (const path of ['Users', 'Bulk', 'Users/a/b']) assert.equal((await send('PUT', path, {})).status, 404, path);
    assert.equal((await send('PUT', 'Users', {}, 'sk-any', '203.0.113.9')).status, 401);
  });

  it('keep the token as its hash alone', async () => {
    const { readFileSync, readdirSync } = await import('node:fs');
    const files = readdirSync(stand.folder)
      .map((it) => readFileSync(`${stand.folder}/${it}`, 'latin1'))
      .join('');
    assert.ok(!files.includes(token) && !stand.logLines.join('').includes(token));
    assert.notEqual(newKey(() => new Uint8Array(32)).slice(0, 5), token.slice(0, 5), 'no virtual key looks like one');
  });
});
