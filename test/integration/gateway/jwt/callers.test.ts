import assert from 'node:assert/strict';
import type { JWTPayload } from 'jose';
import { after, before, beforeEach, describe, it } from 'mocha';
import { ConfigJwtIssuer } from '../../../../sidecar/protocol/gateway/config/jwt.ts';
import type { TeamRecord } from '../../../../sidecar/protocol/gateway/people.ts';
import {
  type AuthorizationServer,
  confidential,
  startAuthorizationServer,
} from '../../../support/backends/authorizationServer.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../support/backends/identityProvider.ts';
import { SetClock } from '../../../support/backends/setClock.ts';
import { bearer, messageBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { addModel } from '../../../support/models/provider.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
const audience = 'https://gateway.example.com/';
const routes = {
  mcp: ['/echo/mcp', toolCall('echo', { text: 'hello' })],
  rest: ['/mcp-rest/tools/list', undefined],
  a2a: ['/a2a/agent', messageBody()],
  models: ['/v1/chat/completions', { model: 'small', messages: [] }],
  cloud: ['/cloudagents/v0/me', undefined],
} as const;
type Surface = keyof typeof routes;
const all = Object.keys(routes) as Surface[];

describe('a caller with a signed token', () => {
  let stand: Stand;
  let clock: SetClock;
  let provider: IdentityProvider;
  let server: AuthorizationServer;

  before(async () => {
    provider = await startIdentityProvider();
    server = await startAuthorizationServer({
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({
            scope: 'read',
            audience,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
      extraTokenClaims: () => ({ groups: ['Everybody', 'Wide Team'] }),
    });
    clock = new SetClock();
    const own = { issuer: provider.url, audience: 'gateway', allow_private_network: true };
    stand = await openStand({
      clock,
      defaultAccess: 'none',
      jwt: [
        ConfigJwtIssuer.parse({
          ...own,
          claims: { user_id: 'uid', team_id: 'team', organization_id: 'org', end_user: 'customer', roles: 'roles' },
          roles: {
            admins: { role: 'proxy_admin' },
            auditors: { role: 'proxy_admin_viewer' },
            tools: { allowed_routes: ['mcp_routes'] },
            agents: { allowed_routes: ['agent_routes'] },
          },
          unknown_users: 'create',
          unknown_teams: 'create',
        }),
        ConfigJwtIssuer.parse({
          ...own,
          issuer: server.url,
          audience,
          claims: { user_id: null, team_id: 'groups' },
        }),
      ],
    });
    await stand.addServer({ alias: 'echo', url: `${stand.backend.url}/mcp/echo` });
    await stand.addAgent({ agent_name: 'agent' });
    await addModel(stand, 'small', 'chat');
    const { store } = stand.gateway;
    const wide = { mcp_servers: ['echo'], agents: ['agent', 'all-cloud-agents'], models: ['small'] };
    const team = (team_id: string, more: Partial<TeamRecord>) =>
      store.team.insert({
        team_id,
        members_with_roles: [{ role: 'user', user_email: 'ada@example.com' }],
        ...more,
        ...stamps,
      });
    await store.organization.insert({ organization_id: 'org', organization_alias: 'Org', ...stamps });
    await store.organization.insert({ organization_id: 'other', ...stamps });
    await team('wide', { team_alias: 'Wide Team', object_permission: wide, organization_id: 'org' });
    await team('tools', {
      object_permission: { mcp_servers: ['echo'] },
      members_with_roles: [{ role: 'user', user_id: 'ada' }],
    });
    await team('limited', { object_permission: wide, rpm_limit: 1 });
    await store.user.insert({ user_id: 'ada', user_email: 'ada@example.com', ...stamps });
  });
  after(async () => {
    await stand.close();
    await Promise.all([provider.close(), server.close()]);
  });
  beforeEach(() => void stand.backend.heard.splice(0));

  const token = (claims: JWTPayload = {}) => provider.token(clock.nowMs(), { sub: 'a-1', uid: 'ada', ...claims });
  async function statusOf(surface: Surface, key: string): Promise<number> {
    const [path, body] = routes[surface];
    return (await stand.ask(path, bearer(key), body)).status;
  }
  /** The backend has nothing at that address of the cloud agents, and says so. */
  const isOpen = (surface: Surface, status: number) =>
    ![401, 403, ...(surface === 'cloud' ? [] : [404])].includes(status);
  async function openWith(key: string): Promise<readonly Surface[]> {
    const open: Surface[] = [];
    for (const it of all) if (isOpen(it, await statusOf(it, key))) open.push(it);
    return open;
  }

  it('calls MCP, A2A, models and cloud agents, and no backend gets the token', async () => {
    verifies('gateway.jwt.caller');
    const key = await token({ team: 'wide' });
    assert.deepEqual(await openWith(key), all);
    assert.ok(stand.calls().length >= 4);
    for (const { headers, body } of stand.calls()) assert.ok(!JSON.stringify([headers, body]).includes(key.slice(-40)));
  });

  it('can do what a key of the same user and team can, and no more', async () => {
    verifies('gateway.jwt.records');
    for (const team_id of ['wide', 'tools']) {
      const key = await stand.addKey({ team_id, user_id: 'ada' });
      assert.deepEqual(await openWith(await token({ team: team_id })), await openWith(key), team_id);
    }
    assert.deepEqual(await openWith(await token()), await openWith(await stand.addKey({ user_id: 'ada' })), 'no team');
  });

  it('is the user and the team in the log', async () => {
    const answer = await stand.ask(...call('mcp', await token({ team: 'Wide Team', customer: 'customer-1' })));
    const { user, team_id, organization_id, end_user } = await stand.recordOf(answer);
    assert.deepEqual(
      { user, team_id, organization_id, end_user },
      { user: 'ada', team_id: 'wide', organization_id: 'org', end_user: 'customer-1' },
    );
  });

  it('keeps the limits of the team, together with its keys and with their other tokens', async () => {
    verifies('gateway.jwt.records');
    const statuses: number[] = [];
    for (const key of [
      await token({ team: 'limited' }),
      await token({ team: 'limited', jti: 'next' }),
      await stand.addKey({ team_id: 'limited' }),
    ])
      statuses.push(await statusOf('rest', key), await statusOf('mcp', key));
    assert.ok(statuses.filter((it) => it === 429).length >= 2, statuses.join());
  });

  it('gets the first team of a list of which the user is a member, by ID or verified address', async () => {
    const found = async (claims: JWTPayload) =>
      (await stand.recordOf(await stand.ask(...call('mcp', await token(claims))))).team_id;
    assert.equal(await found({ team: ['nowhere', 'tools', 'wide'] }), 'tools');
    assert.equal(await found({ team: ['nowhere', 'Wide Team', 'tools'] }), 'wide');
  });

  it('belongs to the organization of the team, and to no other that the token names', async () => {
    verifies('gateway.jwt.records');
    assert.equal(await statusOf('mcp', await token({ team: 'wide', org: 'Org' })), 200);
    for (const org of ['other', 'nowhere'])
      assert.equal(await statusOf('mcp', await token({ team: 'wide', org })), 403, org);
    assert.equal(await statusOf('mcp', await token({ org: 'other' })), 403, 'of which the user is no member');
  });

  it('cannot say that another end user calls', async () => {
    verifies('gateway.jwt.end-user');
    const headers = bearer(await token({ team: 'wide', customer: 'one' }));
    const ask = (who: string) => stand.ask('/mcp-rest/tools/list', { ...headers, 'x-gateway-end-user-id': who });
    assert.equal((await ask('two')).status, 400);
    assert.equal((await ask('one')).status, 200);
  });

  it('uses the routes of all mapped scopes, and the management API as far as a mapped role lets them', async () => {
    verifies('gateway.jwt.roles');
    const open = async (roles: readonly string[]) => openWith(await token({ team: 'wide', roles: [...roles] }));
    assert.deepEqual(await open(['tools']), ['mcp', 'rest']);
    assert.deepEqual(await open(['tools', 'unknown', 'agents']), ['mcp', 'rest', 'a2a']);
    const viewer = bearer(await token({ roles: ['auditors'] }));
    assert.equal((await stand.ask('/key/list', viewer)).status, 200);
    assert.equal((await stand.ask('/key/generate', viewer, {})).status, 403);
  });

  it('is made a user and given a new team, once, and only where the configuration says so', async () => {
    verifies('gateway.jwt.created');
    const key = await token({ sub: 'b-1', uid: 'bob', team: 'fresh', email: 'bob@example.com', email_verified: true });
    await Promise.all(all.map((it) => statusOf(it, key)));
    const { store } = stand.gateway;
    const [bob, fresh] = [await store.user.get('bob'), await store.team.get('fresh')];
    assert.deepEqual(
      [bob?.user_email, bob?.identity, bob?.user_role],
      ['bob@example.com', { issuer: provider.url, subject: 'b-1' }, 'internal_user'],
    );
    assert.deepEqual(fresh?.members_with_roles, [{ role: 'user', user_id: 'bob' }]);
    assert.deepEqual(await openWith(key), ['rest'], 'a list that is empty');
    const thief = await token({ sub: 'x-1', uid: 'bob', team: 'fresh' });
    assert.equal(await statusOf('rest', thief), 401, 'the record belongs to another subject');
  });

  it('is named in the audit with the issuer and the subject, as are those whom it made', async () => {
    verifies('gateway.audit.people');
    const admin = await token({ sub: 'a subject', roles: ['admins'] });
    assert.equal((await stand.ask('/team/new', bearer(admin), { team_id: 'by-token' })).status, 200);
    const fresh = await token({ sub: 'c-1', uid: 'carol', team: 'carols' });
    await statusOf('rest', fresh);
    const { store } = stand.gateway;
    const saidOf = async (object_id: string) =>
      (await store.audit.list({ object_id, limit: 10, offset: 0 })).map((it) => [it.actor, it.signed_in_by]);
    assert.deepEqual(await saidOf('by-token'), [['ada', `jwt ${provider.url} a subject`]]);
    for (const made of ['carol', 'carols'])
      assert.deepEqual(await saidOf(made), [['jwt', `jwt ${provider.url} c-1`]], made);
  });

  it('is a program of a team where the provider has no users, with a token of a real server', async () => {
    verifies('gateway.jwt.caller');
    const form = {
      grant_type: 'client_credentials',
      client_id: confidential.id,
      client_secret: confidential.secret,
      resource: audience,
    };
    const issued = await fetch(`${server.url}/token`, { method: 'POST', body: new URLSearchParams(form) });
    const { access_token } = (await issued.json()) as { access_token: string };
    assert.deepEqual(await openWith(access_token), all);
    const { user, team_id } = await stand.recordOf(await stand.ask(...call('mcp', access_token)));
    assert.deepEqual([user, team_id], [null, 'wide']);
  });

  it('keeps their MCP session with the next token, and loses it with the end of the last', async () => {
    verifies('gateway.jwt.refused');
    const client = await stand.mcp('/echo/mcp', await token({ team: 'wide' })).initialized();
    const ask = async (key: string) => (await client.with(bearer(key)).call('echo', { text: 'x' })).status;
    const next = await provider.token(clock.nowMs() + 300_000, { sub: 'a-1', uid: 'ada', team: 'wide' });
    assert.equal(await ask(next), 200);
    assert.equal(await ask(await token({ sub: 'b-1', uid: 'bob', team: 'fresh' })), 404, "a session is its caller's");
    clock.pass(600_000 + 31_000);
    assert.equal(await ask(next), 200);
    clock.pass(300_000);
    assert.equal(await ask(next), 401);
  });

  function call(surface: Surface, key: string) {
    const [path, body] = routes[surface];
    return [path, bearer(key), body] as const;
  }
});
