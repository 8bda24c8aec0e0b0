import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { TeamMember } from '../../../../sidecar/protocol/gateway/people.ts';
import type { Answer } from '../../../support/gateway/requests.ts';
import { bearer } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
const group = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patch = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
type Json = Readonly<Record<string, unknown>>;

describe('an identity provider that manages users and groups by SCIM', () => {
  let stand: Stand;
  let token: string;
  before(async () => {
    stand = await openStand();
    await stand.addServer({ alias: 'echo', url: `${stand.backend.url}/mcp/echo` });
    token = String((await stand.manage('POST', '/scim/token/new', { name: 'idp' }))['token']);
  });
  after(() => stand.close());

  async function send(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${stand.base}/scim/v2/${path}`, {
      method,
      headers: { ...bearer(token), 'content-type': 'application/scim+json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    };
  }
  async function ok(method: string, path: string, body?: object): Promise<Json> {
    const { status, json, text } = await send(method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
    return (json ?? {}) as Json;
  }
  const operations = (...Operations: object[]) => ({ schemas: [patch], Operations });
  const works = async (key: string) => (await stand.ask('/mcp-rest/tools/list', bearer(key))).status === 200;
  const members = async (id: string) =>
    ((await stand.gateway.store.team.get(id))?.members_with_roles ?? []).map((it: TeamMember) => it.user_id);

  it('says what it supports', async () => {
    verifies('gateway.scim.served');
    const config = await ok('GET', 'ServiceProviderConfig');
    assert.deepEqual(
      [config['patch'], config['bulk']],
      [{ supported: true }, { supported: false, maxOperations: 0, maxPayloadSize: 0 }],
    );
    assert.equal((await ok('GET', 'ResourceTypes'))['totalResults'], 2);
    assert.equal((await ok('GET', `Schemas/${encodeURIComponent(user)}`))['name'], 'User');
    assert.equal((await send('GET', 'Schemas/none')).status, 404);
  });

  it('creates, finds, changes, disables and deletes a user as Okta does', async () => {
    verifies('gateway.scim.served');
    verifies('gateway.scim.ends');
    const filter = `Users?filter=${encodeURIComponent('userName eq "ada@example.com"')}&startIndex=1&count=100`;
    assert.equal((await ok('GET', filter))['totalResults'], 0);
    const body = {
      schemas: [user],
      userName: 'ada@example.com',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ primary: true, value: 'ada@example.com', type: 'work' }],
      displayName: 'Ada Lovelace',
      locale: 'en-US',
      externalId: '00u1',
      groups: [],
      password: 'canary-password-1',
      active: true,
    };
    const made = await send('POST', 'Users', body);
    assert.equal(made.status, 201, made.text);
    assert.equal(made.headers.get('content-type'), 'application/scim+json');
    const shown = made.json as Json;
    assert.equal(made.headers.get('location'), `${stand.base}/scim/v2/Users/00u1`);
    assert.deepEqual(
      [shown['id'], shown['externalId'], shown['name']],
      ['00u1', '00u1', { givenName: 'Ada', familyName: 'Lovelace' }],
    );
    assert.doesNotMatch(made.text, /canary/);
    assert.equal((await ok('GET', filter))['totalResults'], 1);
    const again = await send('POST', 'Users', body);
    assert.deepEqual([again.status, (again.json as Json)['scimType']], [409, 'uniqueness']);

    const key = await stand.addKey({ user_id: '00u1' });
    assert.equal(await works(key), true);
    await ok('PATCH', 'Users/00u1', operations({ op: 'replace', value: { active: false } }));
    assert.equal(await works(key), false);
    assert.equal((await ok('GET', 'Users/00u1'))['active'], false);
    await ok('PUT', 'Users/00u1', {
      ...body,
      id: '00u1',
      name: { givenName: 'Ada', familyName: 'King' },
      active: true,
    });
    assert.equal(await works(key), true);
    const record = await stand.gateway.store.user.get('00u1');
    assert.deepEqual(
      [record?.user_email, record?.scim?.['family_name'], record?.user_role],
      ['ada@example.com', 'King', 'internal_user'],
    );
    assert.equal((await send('DELETE', 'Users/00u1')).status, 204);
    assert.equal(await works(key), false);
    assert.equal((await send('GET', 'Users/00u1')).status, 404);
  });

  it('gives a user whose ID was that of a deleted one nothing of what the deleted one had', async () => {
    verifies('gateway.scim.ends');
    const body = { schemas: [user], userName: 'kim@example.com', externalId: 'Kim 金' };
    const made = await send('POST', 'Users', body);
    assert.equal(made.headers.get('location'), `${stand.base}/scim/v2/Users/${encodeURIComponent(body.externalId)}`);
    const member = { user_role: 'org_admin', user_id: body.externalId };
    await stand.manage('POST', '/organization/new', { organization_id: 'works', organization_alias: 'works' });
    await stand.manage('POST', '/organization/member_add', { organization_id: 'works', member });
    assert.equal((await send('DELETE', `Users/${encodeURIComponent(body.externalId)}`)).status, 204);
    await ok('POST', 'Users', body);
    assert.deepEqual((await stand.gateway.store.organization.get('works'))?.members, []);
  });

  it('creates and changes a user as Entra ID does', async () => {
    verifies('gateway.scim.served');
    const { id } = await ok('POST', 'Users', {
      schemas: [user, enterprise],
      externalId: 'a1b2',
      userName: 'Bob@example.com',
      active: true,
      displayName: 'Bob',
      emails: [{ primary: true, type: 'work', value: 'bob@example.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Bob B', familyName: 'B', givenName: 'Bob' },
      roles: [],
      [enterprise]: { employeeNumber: '7', manager: { value: 'x' } },
    });
    const path = `Users/${String(id)}`;
    await ok(
      'PATCH',
      path,
      operations(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'robert@example.com' },
        { op: 'Replace', path: 'name.familyName', value: 'Builder' },
        { op: 'Add', path: `${enterprise}:department`, value: 'Works' },
      ),
    );
    const key = await stand.addKey({ user_id: String(id) });
    const shown = await ok('PATCH', path, operations({ op: 'Replace', path: 'active', value: 'False' }));
    assert.deepEqual(
      [shown['active'], shown['emails']],
      [false, [{ value: 'robert@example.com', type: 'work', primary: true }]],
    );
    assert.equal(await works(key), false);
    await ok('PATCH', path, operations({ op: 'Replace', path: 'active', value: 'True' }));
    assert.equal(await works(key), true);
    for (const filter of ['externalId eq "a1b2"', 'userName eq "bob@EXAMPLE.com"'])
      assert.equal((await ok('GET', `Users?filter=${encodeURIComponent(filter)}`))['totalResults'], 1, filter);
  });

  it('makes groups teams, whose members follow, and leaves those whom people put there', async () => {
    verifies('gateway.scim.served');
    const ids: string[] = [];
    for (const name of ['cy', 'di', 'em'])
      ids.push(String((await ok('POST', 'Users', { schemas: [user], userName: `${name}@example.com` }))['id']));
    const [cy = '', di = '', em = ''] = ids;
    const { id } = await ok('POST', 'Groups', {
      schemas: [group],
      displayName: 'Engineers',
      externalId: 'g-1',
      members: [{ value: cy, display: 'Cy' }],
    });
    assert.equal(id, 'g-1');
    assert.deepEqual(await members('g-1'), [cy]);
    await stand.manage('POST', '/team/member_add', { team_id: 'g-1', member: { role: 'admin', user_id: 'by-hand' } });
    await ok('PATCH', 'Groups/g-1', operations({ op: 'Add', path: 'members', value: [{ value: di }, { value: em }] }));
    await ok('PATCH', 'Groups/g-1', operations({ op: 'Remove', path: 'members', value: [{ value: cy }] }));
    await ok('PATCH', 'Groups/g-1', operations({ op: 'remove', path: `members[value eq "${em}"]` }));
    assert.deepEqual(new Set(await members('g-1')), new Set(['by-hand', di]));
    await ok('PATCH', 'Groups/g-1', operations({ op: 'replace', value: { id: 'g-1', displayName: 'Builders' } }));
    const found = await ok(
      'GET',
      `Groups?filter=${encodeURIComponent('displayName eq "builders"')}&excludedAttributes=members`,
    );
    assert.deepEqual(
      (found['Resources'] as Json[]).map((it) => [it['displayName'], it['members']]),
      [['Builders', undefined]],
    );
    await ok('PUT', 'Groups/g-1', {
      schemas: [group],
      displayName: 'Builders',
      externalId: 'g-1',
      members: [{ value: cy }],
    });
    assert.deepEqual(new Set(await members('g-1')), new Set(['by-hand', cy]));
    await ok('DELETE', `Users/${cy}`);
    assert.deepEqual(await members('g-1'), ['by-hand']);
    assert.deepEqual((await ok('GET', 'Groups/g-1'))['members'], []);
    assert.equal((await send('DELETE', 'Groups/g-1')).status, 204);
    assert.equal(await stand.gateway.store.team.get('g-1'), undefined);
  });

  it('turns pages, and changes only the version that it has seen', async () => {
    verifies('gateway.scim.served');
    const page = await ok('GET', 'Users?startIndex=2&count=1');
    const { totalResults } = page;
    assert.ok(Number(totalResults) >= 3);
    assert.deepEqual([page['startIndex'], page['itemsPerPage']], [2, 1]);
    assert.deepEqual(
      [(await ok('GET', 'Users?count=0'))['itemsPerPage'], (await ok('GET', 'Users?startIndex=-4'))['startIndex']],
      [0, 1],
    );
    const { id, meta } = (page['Resources'] as { id: string; meta: { version: string } }[])[0]!;
    const change = operations({ op: 'replace', path: 'displayName', value: 'New' });
    assert.equal((await send('PATCH', `Users/${id}`, change, { 'if-match': 'W/"1"' })).status, 412);
    assert.equal((await send('PATCH', `Users/${id}`, change, { 'if-match': meta.version })).status, 200);
  });

  it('takes over a user who came before it, with their keys', async () => {
    await stand.manage('POST', '/user/new', { user_id: 'early', user_email: 'early@example.com' });
    const key = await stand.addKey({ user_id: 'early' });
    const { id } = await ok('POST', 'Users', { schemas: [user], userName: 'EARLY@example.com' });
    assert.equal(id, 'early');
    await ok('PATCH', 'Users/early', operations({ op: 'replace', value: { active: false } }));
    assert.equal(await works(key), false);
  });

  it('does not let in a user whom an administrator has blocked', async () => {
    const { id } = await ok('POST', 'Users', { schemas: [user], userName: 'held@example.com' });
    const key = await stand.addKey({ user_id: String(id) });
    await stand.manage('POST', '/user/update', { user_id: String(id), blocked: true });
    await ok('PUT', `Users/${String(id)}`, { schemas: [user], userName: 'held@example.com', active: true });
    assert.equal(await works(key), false);
  });

  it('is named in the audit, and its token is good until it is deleted', async () => {
    verifies('gateway.scim.token');
    verifies('gateway.audit.people');
    const { tokens } = (await stand.manage('GET', '/scim/token/list')) as {
      tokens: { token_id: string; name: string }[];
    };
    assert.deepEqual(
      tokens.map((it) => it.name),
      ['idp'],
    );
    assert.doesNotMatch(JSON.stringify(tokens), /hash|scim-/);
    const rows = await stand.gateway.store.audit.list({ actor: 'scim:idp', limit: 1_000, offset: 0 });
    assert.ok(rows.some((it) => it.kind === 'user' && it.object_id === '00u1' && it.action === 'deleted'));
    assert.deepEqual(new Set(rows.map((it) => it.signed_in_by)), new Set(['scim']));
    assert.doesNotMatch(JSON.stringify(rows), /canary/);
    await stand.manage('POST', '/scim/token/delete', { token_id: tokens[0]!.token_id });
    assert.equal((await send('GET', 'Users')).status, 401);
  });
});
