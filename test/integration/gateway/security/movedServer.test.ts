import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type EchoBackend, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { speakAll } from '../../../support/gateway/backendAnswers.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { RawClient } from '../../../support/mcp/rawClient.ts';
import { verifies } from '../../../support/verifies.ts';

const server_id = 'id-alpha';
const issuer = 'https://issuer.example';

/** What a person gives for a server, and where it goes with each call. */
const gifts = [
  {
    what: 'an OAuth token',
    server: { auth_type: 'oauth2', authorization_url: `${issuer}/authorize`, token_url: `${issuer}/token` },
    credentials: { client_id: 'us' },
    path: 'oauth-user-credential',
    body: (secret: string) => ({ access_token: secret }),
    shown: { path: 'oauth-user-credential/status', member: 'has_credential', yes: true, no: false },
  },
  {
    what: 'a credential of their own',
    server: { auth_type: 'bearer_token', is_byok: true },
    credentials: { auth_value: 'nobody uses it' },
    path: 'user-credential',
    body: (secret: string) => ({ credential: secret }),
    shown: { path: '', member: 'has_user_credential', yes: true, no: false },
  },
  {
    what: 'a variable of a header',
    server: { static_headers: { 'x-own': `\${OWN}` }, env_vars: [{ name: 'OWN', value: '', scope: 'user' }] },
    credentials: {},
    path: 'user-env-vars',
    body: (secret: string) => ({ env_vars: { OWN: secret } }),
    shown: { path: 'user-env-vars', member: 'missing_count', yes: 0, no: 1 },
  },
] as const;

/** A server that moves to another origin: the same machine, another port. */
describe('what a person gave for a server that an administrator moves to another origin (secret of another origin)', () => {
  let before: EchoBackend;
  let after: EchoBackend;
  let one: Stand;
  let two: Stand;
  let key: string;

  beforeEach(async () => {
    [before, after] = [await startEchoBackend(), await startEchoBackend()];
    for (const it of [before, after]) it.answer = speakAll;
    one = await openStand();
    key = await one.addKey({ user_id: 'alice' });
  });
  afterEach(async () => {
    await two.close();
    await one.close();
    await Promise.all([before.close(), after.close()]);
  });

  /** The second replica starts when there is something to know. */
  const add = async (server: object, credentials: object) => {
    await one.addServer({ alias: 'alpha', url: `${before.url}/mcp`, ...server }, credentials);
    two = await one.replica();
  };
  const call = async (at: Stand) =>
    (await new RawClient(`${at.base}/alpha/mcp`, { authorization: `Bearer ${key}` }).call('echo')).status;
  const give = async (at: Stand, path: string, body: object) => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const response = await at.as(key, `/v1/mcp/server/${server_id}/${path}`, init);
    assert.equal(response.status, 200, await response.text());
  };
  const read = async (at: Stand, path: string): Promise<Record<string, unknown>> => {
    const response = await at.as(key, `/v1/mcp/server/${server_id}${path && `/${path}`}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const move = (change: object) => one.manage('PUT', '/v1/mcp/server', { server_id, ...change });
  /** Requests that carried the secret, in any header or the body. */
  const withSecret = ({ heard }: EchoBackend, secret: string) =>
    heard.filter(({ rawHeaders, body }) => rawHeaders.join('\n').includes(secret) || body.includes(secret)).length;

  for (const { what, server, credentials, path, body, shown } of gifts) {
    describe(`(${what})`, () => {
      beforeEach(async () => {
        await add(server, credentials);
        await give(one, path, body('secret-one'));
        for (const at of [one, two]) assert.equal(await call(at), 200);
        assert.ok(withSecret(before, 'secret-one') > 0);
        assert.equal((await read(one, shown.path))[shown.member], shown.yes);
      });

      it('never reaches the new one, at no replica, and is shown as missing', async () => {
        verifies('security.secret-of-another-origin');
        await move({ url: `${after.url}/mcp`, credentials });
        for (const at of [one, two, one, two]) await call(at);
        assert.notEqual(await call(one), 200);
        assert.equal(withSecret(after, 'secret-one'), 0);
        assert.equal((await read(one, shown.path))[shown.member], shown.no);
      });

      it('is given anew for the new one, and that never reaches the old one, also not from a replica that has not learned of it', async () => {
        verifies('security.secret-of-another-origin');
        await move({ url: `${after.url}/mcp`, credentials });
        await give(one, path, body('secret-two'));
        for (const at of [two, one]) await call(at);
        assert.ok(withSecret(after, 'secret-two') > 0);
        assert.equal(withSecret(before, 'secret-two'), 0);
        assert.equal((await read(one, shown.path))[shown.member], shown.yes);
      });

      it('stays where only the path, the name or a limit of the server changes', async () => {
        await move({ url: `${before.url}/mcp/moved`, description: 'moved', timeout: 9 });
        assert.equal(await call(one), 200);
        assert.equal((await read(one, shown.path))[shown.member], shown.yes);
      });
    });
  }

  it('is not renewed where the address for tokens moved: the refresh token stays with the one that it is of', async () => {
    verifies('security.secret-of-another-origin');
    const addresses = { issuer, authorization_url: `${issuer}/authorize`, token_url: `${before.url}/token` };
    await add({ auth_type: 'oauth2', ...addresses }, { client_id: 'us' });
    const token = { access_token: 'old-access', refresh_token: 'secret-refresh', expires_in: 1 };
    await give(one, 'oauth-user-credential', token);
    await move({ token_url: `${after.url}/token` });
    assert.equal((await read(one, 'oauth-user-credential/status'))['has_credential'], false);
    for (const at of [one, two, one]) await call(at);
    assert.deepEqual([withSecret(after, 'secret-refresh'), after.heard.length], [0, 0]);
  });
});
