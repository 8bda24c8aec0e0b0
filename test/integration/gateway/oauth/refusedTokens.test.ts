import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { formOf, RawOAuth } from '../../../support/gateway/rawOAuth.ts';
import { verifies } from '../../../support/verifies.ts';
import { near, SignInScene } from './signInScene.ts';

describe('the gateway as an authorization server refuses', () => {
  const scene = new SignInScene();

  describe('a refresh token', () => {
    it('a second time, and ends its family', async () => {
      const first = await scene.tokens();
      const second = (await scene.client.refresh(first.refresh_token)).json;
      assert.equal((await scene.client.list('/mcp', second.access_token)).status, 200);
      assert.equal((await scene.client.refresh(first.refresh_token)).json['error'], 'invalid_grant');
      assert.equal((await scene.client.refresh(second.refresh_token)).json['error'], 'invalid_grant');
      assert.equal((await scene.client.list('/mcp', second.access_token)).status, 401);
    });
    it('of another client, of nobody, or for another resource', async () => {
      const { refresh_token } = await scene.tokens();
      const other = await new RawOAuth(scene.world.base, near).register();
      const error = async (changes: Record<string, string | undefined>) =>
        (await scene.client.refresh(refresh_token, changes)).json['error'];
      assert.equal(await error({ client_id: other.clientId }), 'invalid_grant');
      assert.equal(await error({ client_id: undefined }), 'invalid_client');
      assert.equal(await error({ resource: `${scene.world.base}/mcp/alpha` }), 'invalid_target');
      assert.equal((await scene.client.refresh(refresh_token)).status, 200);
    });
    it('after thirty days, and as an access token', async () => {
      const { access_token, refresh_token } = await scene.tokens();
      assert.equal((await scene.client.list('/mcp', refresh_token)).status, 401);
      assert.equal((await scene.client.refresh(access_token)).json['error'], 'invalid_grant');
      scene.clock.pass(30 * 24 * 60 * 60_000);
      assert.equal((await scene.client.refresh(refresh_token)).json['error'], 'invalid_grant');
    });
    it('of a key that is gone', async () => {
      const { refresh_token } = await scene.tokens();
      for (const it of await scene.world.gateway.store.key.all()) await scene.world.gateway.store.key.remove(it.token);
      assert.equal((await scene.client.refresh(refresh_token)).json['error'], 'invalid_grant');
    });
  });

  describe('an access token', () => {
    it('anywhere but at its own address, in either spelling (CVE-2025-69196)', async () => {
      verifies('security.CVE-2025-69196');
      const alpha = (await scene.tokens({ resource: `${scene.world.base}/mcp/alpha` }, '/alpha')).access_token;
      const all = (await scene.tokens()).access_token;
      for (const path of ['/mcp/alpha', '/alpha/mcp']) assert.equal((await scene.client.list(path, alpha)).status, 200);
      for (const path of [
        '/mcp',
        '/beta/mcp',
        '/mcp/beta',
        '/mcp/alpha,beta',
        '/sse',
        '/beta/sse',
        '/toolset/alpha/mcp',
      ]) {
        const { status, challenge } = await scene.client.list(path, alpha);
        const document = `${scene.world.base}/.well-known/oauth-protected-resource${path}`;
        assert.deepEqual([status, challenge], [401, `Bearer error="invalid_token", resource_metadata="${document}"`]);
      }
      assert.equal((await scene.client.list('/mcp', all)).status, 200);
      assert.equal((await scene.client.list('/alpha/mcp', all)).status, 401);
    });
    it('away from the MCP routes', async () => {
      const { access_token } = await scene.tokens();
      for (const path of ['/mcp-rest/tools/list', '/v1/mcp/server', '/key/info', '/introspect']) {
        const headers = { authorization: `Bearer ${access_token}` };
        assert.equal((await fetch(scene.world.base + path, { headers })).status, 401, path);
      }
    });
    it('after an hour, or changed, or of another gateway', async () => {
      const { access_token } = await scene.tokens();
      assert.equal((await scene.client.list('/mcp', access_token)).status, 200);
      for (const wrong of [`${access_token.slice(0, -3)}AAA`, 'swb_at_', 'swb_at_AAAA', `${access_token}A`]) {
        assert.equal((await scene.client.list('/mcp', wrong)).status, 401);
      }
      scene.clock.pass(60 * 60_000);
      const { status, text } = await scene.client.list('/mcp', access_token);
      assert.equal(status, 401);
      assert.match(text, /"type":"expired_key"/);
    });
    it('on its way to a server, whichever header it came in (token passthrough)', async () => {
      verifies('security.token-passthrough');
      const extra_headers = ['authorization', 'x-mine', 'x-gateway-api-key'];
      await scene.world.addServer({
        alias: 'gamma',
        url: scene.server.url,
        extra_headers,
        oauth_passthrough: true,
        auth_type: 'oauth2',
      });
      const token = (await scene.tokens({ resource: `${scene.world.base}/mcp/gamma` }, '/gamma')).access_token;
      const basic = Buffer.from(`x:${token}`).toString('base64');
      for (const mine of [token, `Bearer ${token}`, encodeURIComponent(`${token}=`), `Basic ${basic}`]) {
        const headers = { authorization: `Bearer ${token}`, 'x-mine': mine, 'x-mcp-gamma-x-other': mine };
        for (const more of [
          {},
          { 'x-gateway-api-key': `Bearer ${scene.key}` },
          { 'x-gateway-api-key': `Bearer ${token}` },
        ]) {
          const list = await scene.client.list('/gamma/mcp', token, scene.world.base, { ...headers, ...more });
          assert.equal(list.status, 200, list.text);
        }
      }
      assert.ok(scene.server.seen.length > 0);
      const sent = JSON.stringify(scene.server.seen.map((it) => it.headers));
      assert.ok(!sent.includes('swb_') && !sent.includes(scene.key) && !sent.includes(basic), sent);
    });
    it('of a key that is blocked', async () => {
      const { access_token } = await scene.tokens();
      for (const it of await scene.world.gateway.store.key.all()) {
        await scene.world.gateway.store.key.update(it.token, (before) => ({ ...before, blocked: true }));
      }
      assert.equal((await scene.client.list('/mcp', access_token)).status, 401);
    });
    it('that was revoked, on a replica within five seconds', async () => {
      const { access_token } = await scene.tokens();
      const other = await scene.world.replica();
      assert.equal((await scene.client.list('/mcp', access_token, other.base)).status, 200);
      const form = (more: object) => formOf({ token: access_token, client_id: scene.client.clientId, ...more });
      const stranger = await new RawOAuth(scene.world.base, near).register();
      assert.equal((await scene.client.post('/revoke', form({ client_id: stranger.clientId }))).status, 200);
      assert.equal((await scene.client.list('/mcp', access_token)).status, 200);
      assert.equal((await scene.client.post('/revoke', form({}))).status, 200);
      assert.equal((await scene.client.list('/mcp', access_token)).status, 401);
      scene.clock.pass(5_000);
      assert.equal((await scene.client.list('/mcp', access_token, other.base)).status, 401);
    });
  });

  it('to revoke for a client it does not know, and answers unknown tokens like known ones', async () => {
    verifies('gateway.oauth.revoked');
    assert.equal(
      (await scene.client.post('/revoke', formOf({ token: 'x', client_id: scene.client.clientId }))).status,
      200,
    );
    assert.equal((await scene.client.post('/revoke', formOf({ token: 'x' }))).status, 401);
    assert.equal((await scene.client.post('/revoke', formOf({ client_id: scene.client.clientId }))).status, 400);
  });

  it('to tell of a token without a key, and of one that it cannot vouch for', async () => {
    verifies('gateway.oauth.revoked');
    const { access_token, refresh_token } = await scene.tokens();
    const ask = async (token: string, credential?: string) => {
      const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
      const response = await scene.client.post('/introspect', formOf({ token }), headers);
      return { status: response.status, json: (await response.json()) as Record<string, unknown> };
    };
    assert.equal((await ask(access_token)).status, 401);
    const { json } = await ask(access_token, scene.key);
    assert.deepEqual(json, {
      active: true,
      scope: 'mcp',
      aud: `${scene.world.base}/mcp`,
      iat: 1_780_315_200,
      exp: 1_780_318_800,
      token_type: 'Bearer',
    });
    assert.equal((await ask(refresh_token, scene.world.adminKey)).json['active'], true);
    const stranger = await scene.world.addKey();
    for (const [token, credential] of [
      [access_token, stranger],
      ['x', scene.key],
      [`${access_token}A`, scene.key],
    ] as const) {
      assert.deepEqual((await ask(token, credential)).json, { active: false });
    }
    await scene.client.post('/revoke', formOf({ token: refresh_token, client_id: scene.client.clientId }));
    assert.deepEqual((await ask(access_token, scene.key)).json, { active: false });
  });
});
