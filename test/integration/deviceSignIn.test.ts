import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'mocha';
import { type CodeSignIn, OAuthServer } from '../../src/oauth/oauthServer.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../support/backends/authorizationServer.ts';
import { enterCode } from '../support/backends/browser.ts';

const resource = 'https://vault.test/api';
const grant = 'urn:ietf:params:oauth:grant-type:device_code';

describe('a sign-in with a code that is typed elsewhere', () => {
  let server: AuthorizationServer;
  before(async () => {
    server = await startAuthorizationServer();
  });
  afterEach(() => {
    server.intercept = undefined;
    server.deviceAnswer = { interval: 1 };
    server.deviceSeconds = 3600;
  });
  after(() => server.close());

  async function begin(): Promise<CodeSignIn> {
    const found = await OAuthServer.discover(server.url);
    assert.equal(found.canUseCode, true);
    return found.viaCode(await found.register('http://127.0.0.1/callback'), { resource, scopes: ['read'] });
  }
  const forever = () => new AbortController().signal;
  /** Settles with the server's answers to the next `count` questions whether the person is done. */
  const asked = (count: number) =>
    new Promise<void>((resolve) => {
      const from = server.tokenRequests.length;
      server.onTokenRequest = () => server.tokenRequests.length - from >= count && resolve();
    });

  it('goes on asking while the person types, less often where the server wants that, and brings a token for the resource', async () => {
    const begun = await begin();
    assert.equal(new URL(begun.url).origin, server.url);
    assert.match(begun.userCode, /^[A-Z]{4}-[A-Z]{4}$/);
    const first = asked(1);
    const granting = begun.finish(forever());
    await first;
    let slowedAt = 0;
    const slowed = new Promise<void>((resolve) => {
      server.intercept = (_, response) => {
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"slow_down"}');
        server.intercept = undefined;
        slowedAt = performance.now();
        resolve();
      };
    });
    await slowed;
    assert.match(await enterCode(begun.url, begun.userCode, 'confirm'), /You are signed in/);
    const granted = await granting;
    assert.ok(performance.now() - slowedAt >= 5_900, 'it waited the second, and the five more that it was told to');
    assert.equal(await server.accountOf(granted.accessToken), 'alice');
    assert.deepEqual(granted.scopes, ['read']);
    assert.equal(typeof granted.refreshToken, 'string');
    for (const { form } of server.tokenRequests)
      assert.deepEqual([form['grant_type'], form['resource']], [grant, resource]);
  });

  it('ends with what the person said there', async () => {
    const begun = await begin();
    await enterCode(begun.url, begun.userCode, 'abort');
    const denied = { name: 'OAuthRefusal', code: 'access_denied', message: 'access was denied there' };
    await assert.rejects(begun.finish(forever()), denied);
  });

  it('ends when nobody typed the code in time, whether the server says so or goes on answering', async () => {
    const late = { code: 'expired_token', message: 'nobody entered the code in time' };
    server.deviceSeconds = 1;
    server.deviceAnswer = { interval: 1, expires_in: 600 };
    await assert.rejects((await begin()).finish(forever()), late);
    server.deviceSeconds = 3600;
    server.deviceAnswer = { interval: 1, expires_in: 1 };
    await assert.rejects((await begin()).finish(forever()), late);
  });

  it('ends when the person gives up here, and asks no more', async () => {
    const begun = await begin();
    const abort = new AbortController();
    const first = asked(1);
    const granting = begun.finish(abort.signal);
    const rejected = assert.rejects(granting, { name: 'AbortError' });
    await first;
    abort.abort();
    await rejected;
  });

  it('opens no page that is not on the web', async () => {
    for (const verification_uri_complete of ['vscode://evil.ext/run', 'file:///etc/passwd', 'command:x', 'nowhere']) {
      server.deviceAnswer = { verification_uri_complete };
      await assert.rejects(begin(), { code: 'invalid_response' });
    }
  });
});
