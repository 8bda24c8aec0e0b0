import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { PageBrowser, type Shown } from '../../../support/gateway/pageBrowser.ts';
import { formOf, RawOAuth } from '../../../support/gateway/rawOAuth.ts';
import { verifies } from '../../../support/verifies.ts';
import { far, near, SignInScene } from './signInScene.ts';

describe('the gateway as an authorization server refuses', () => {
  const scene = new SignInScene();
  const stays = (page: Shown, status = 400) => {
    assert.deepEqual([page.status, new URL(page.url).origin], [status, scene.world.base]);
    return page;
  };

  describe('on a page, and sends nobody away, a request', () => {
    const rows: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
      'of an unknown client': { client_id: 'swb_cl_nobody' },
      'without a client': { client_id: undefined },
      'without a redirect address': { redirect_uri: undefined },
      'for another host': { redirect_uri: 'https://evil.example/callback' },
      'for another path': { redirect_uri: 'http://127.0.0.1:9/callback/..' },
      'for a name that only begins alike': { redirect_uri: 'http://127.0.0.1.evil.example/callback' },
      'for a script': { redirect_uri: 'javascript:alert(1)' },
      'with an issuer of another address': { issuer: '/alpha' },
      'with an issuer elsewhere': { issuer: 'https://evil.example' },
    };
    for (const [what, changes] of Object.entries(rows)) {
      it(what, async () => void stays(await scene.browser.open(scene.client.authorizeUrl(changes))));
    }
    it('of a client whose document would be on this machine or in a network, which nobody asks', async () => {
      const { port } = new URL(scene.server.url);
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1']) {
        const page = stays(
          await scene.browser.open(scene.client.authorizeUrl({ client_id: `https://${host}:${port}/client` })),
        );
        assert.match(
          page.text,
          /client&#39;s metadata document (cannot be read|has a URL that cannot be used as a client ID)/,
          host,
        );
      }
      assert.deepEqual(scene.server.seen, []);
    });
    it('that says its redirect address twice', async () => {
      stays(await scene.browser.open(`${scene.client.authorizeUrl()}&redirect_uri=https%3A%2F%2Fevil.example`));
    });
  });

  describe('at the redirect address, in the words of OAuth, a request', () => {
    const rows: readonly [what: string, error: string, changes: Record<string, string | undefined>][] = [
      ['for another answer', 'unsupported_response_type', { response_type: 'token' }],
      ['without PKCE', 'invalid_request', { code_challenge: undefined }],
      ['without a PKCE method', 'invalid_request', { code_challenge_method: undefined }],
      ['with plain PKCE', 'invalid_request', { code_challenge_method: 'plain' }],
      ['with a short challenge', 'invalid_request', { code_challenge: 'abc' }],
      ['for a resource elsewhere', 'invalid_target', { resource: 'https://evil.example/mcp' }],
      ['for a route that is none of MCP', 'invalid_target', { resource: 'BASE/v1/mcp/server' }],
      ['for a resource with a query', 'invalid_target', { resource: 'BASE/mcp?x=1' }],
      ['for a resource that is no address', 'invalid_target', { resource: 'mcp' }],
    ];
    for (const [what, error, { resource, ...others }] of rows) {
      it(what, async () => {
        const changes = { ...others, ...(resource && { resource: resource.replace('BASE', scene.world.base) }) };
        const { url } = await scene.browser.open(scene.client.authorizeUrl(changes));
        const answer = new URL(url).searchParams;
        assert.ok(url.startsWith(`${near}?`), url);
        assert.deepEqual([answer.get('error'), answer.get('state')], [error, 's1']);
        assert.equal(answer.get('iss'), `${scene.world.base}/mcp`);
        assert.equal(answer.get('code'), null);
      });
    }
    it('of a server for another server', async () => {
      const { url } = await scene.browser.open(
        scene.client.authorizeUrl({ resource: `${scene.world.base}/mcp/beta` }, '/alpha'),
      );
      assert.equal(new URL(url).searchParams.get('error'), 'invalid_target');
    });
    it('but leaves the way to a foreign host to the person', async () => {
      scene.client = await new RawOAuth(scene.world.base, far).register();
      const page = stays(await scene.browser.open(scene.client.authorizeUrl({ response_type: 'token' })));
      assert.match(page.text, /href="https:\/\/client\.example\/callback\?error=unsupported_response_type/);
    });
  });

  describe('a form', () => {
    let page: Shown;
    beforeEach(async () => {
      page = await scene.client.consent(scene.browser, scene.key);
      assert.match(page.text, /Let Raw use/);
    });

    it('that another site sends', async () => {
      for (const site of ['cross-site', 'same-site', 'none']) {
        stays(await scene.browser.send(page, { answer: 'allow' }, { 'sec-fetch-site': site }));
      }
    });
    it('without or with another origin', async () => {
      const form = /name="form" value="([^"]*)"/.exec(page.text)?.[1];
      const cookie = scene.browser.cookies(new URL(scene.world.base).host);
      const body = formOf({ form, answer: 'allow' });
      assert.equal((await scene.client.post('/authorize', body, { cookie })).status, 400);
      const origin = 'https://evil.example';
      assert.equal((await scene.client.post('/authorize', body, { cookie, origin })).status, 403);
      assert.equal((await scene.client.post('/authorize', body, { cookie, origin: scene.world.base })).status, 200);
    });
    it('that was shown in another browser, as somebody does who wants a person to act for them', async () => {
      const victim = new PageBrowser(near);
      await victim.open(scene.client.authorizeUrl());
      stays(await victim.send(page, { answer: 'allow' }));
      stays(await new PageBrowser(near).send(page, { answer: 'allow' }));
    });
    it('that was changed, or is older than ten minutes', async () => {
      stays(await scene.browser.send(page, { form: 'AAAA', answer: 'allow' }));
      scene.clock.pass(10 * 60_000);
      stays(await scene.browser.send(page, { answer: 'allow' }));
    });
    it('of a key that was taken away meanwhile: it asks for another one', async () => {
      const [record] = (await scene.world.gateway.store.key.all()).filter((it) => !it.role);
      assert.ok(record);
      await scene.world.gateway.store.key.remove(record.token);
      assert.match((await scene.browser.send(page, { answer: 'allow' })).text, /no longer valid/);
    });
    it('when the person says no, or nothing, and tells the client so', async () => {
      for (const fields of [{ answer: 'deny' }, { answer: 'other' }, {}]) {
        const { url } = await scene.browser.send(page, fields);
        const answer = new URL(url).searchParams;
        assert.deepEqual([answer.get('error'), answer.get('code')], ['access_denied', null]);
      }
    });
  });

  it('a wrong key, and asks again', async () => {
    const page = await scene.browser.open(scene.client.authorizeUrl());
    for (const wrong of ['', 'sk-wrong-0123456789abcdef', 'x']) {
      const again = await scene.browser.send(page, { key: wrong });
      assert.match(again.text, /role="alert"/);
      assert.match(again.text, /name="key"/);
    }
  });

  it('to show or grant a server that the key may not use, like one that is not there', async () => {
    const narrow = await scene.world.addKey({ object_permission: { mcp_servers: ['id-alpha'] } });
    const pages: string[] = [];
    for (const name of ['beta', 'no-such']) {
      const resource = `${scene.world.base}/mcp/${name}`;
      const page = await scene.client.consent(new PageBrowser(near), narrow, { resource }, `/${name}`);
      pages.push(stays(page, 404).text);
    }
    assert.equal(pages[0], pages[1]);
    const page = await scene.client.consent(new PageBrowser(near), narrow);
    assert.match(page.text, /alpha/);
    assert.doesNotMatch(page.text, /beta/);
  });

  it('to let a second client in because the same person let a first one in (confused deputy): each is asked about, each time', async () => {
    verifies('security.confused-deputy');
    await scene.client.allow(scene.browser, scene.key);
    const second = await new RawOAuth(scene.world.base, near).register({ client_name: 'Second' });
    const page = await scene.browser.open(second.authorizeUrl());
    assert.match(page.text, /Let Second use/);
    assert.match((await scene.browser.open(scene.client.authorizeUrl())).text, /Let Raw use/);
  });

  it('to show what a client calls itself as anything but text', async () => {
    const named = await new RawOAuth(scene.world.base, near).register({ client_name: '"><script>alert(1)</script>' });
    const page = await named.consent(scene.browser, scene.key);
    assert.doesNotMatch(page.text, /<script/);
    assert.match(page.text, /&#60;script&#62;/);
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/);
  });

  describe('a code', () => {
    let code: string | null;
    beforeEach(async () => {
      code = (await scene.client.allow(scene.browser, scene.key)).get('code');
    });
    const refused = async (changes: Record<string, string | undefined>, error = 'invalid_grant') => {
      const { status, json } = await scene.client.redeem(code, changes);
      assert.deepEqual([status, json['error']], [error === 'invalid_client' ? 401 : 400, error]);
    };

    it('with another, a short or no verifier, and is not used up by that', async () => {
      for (const verifier of ['x'.repeat(43), 'short', '', undefined, scene.client.challenge]) {
        await refused({ code_verifier: verifier });
      }
      assert.equal((await scene.client.redeem(code)).status, 200);
    });
    it('with another redirect address, or none', async () => {
      for (const uri of ['http://127.0.0.1:10/callback', undefined]) await refused({ redirect_uri: uri });
    });
    it('for another resource', () => refused({ resource: `${scene.world.base}/mcp/alpha` }, 'invalid_target'));
    it('that is none', () => refused({ code: 'AAAA' }));
    it('of another client', async () => {
      const other = await new RawOAuth(scene.world.base, near).register();
      await refused({ client_id: other.clientId });
    });
    it('of nobody', () => refused({ client_id: undefined }, 'invalid_client'));
    it('for another kind of grant', () => refused({ grant_type: 'password' }, 'unsupported_grant_type'));
    it('after a minute', async () => {
      scene.clock.pass(60_000);
      await refused({});
    });
    it('a second time, and ends what it gave the first time', async () => {
      const { json } = await scene.client.redeem(code);
      assert.equal((await scene.client.list('/mcp', json.access_token)).status, 200);
      scene.clock.pass(1_000);
      await refused({});
      assert.equal((await scene.client.list('/mcp', json.access_token)).status, 401);
      assert.equal((await scene.client.refresh(json.refresh_token)).json['error'], 'invalid_grant');
    });
    it('that is said twice', async () => {
      const form = formOf({ grant_type: 'authorization_code', code: code ?? '', client_id: scene.client.clientId });
      assert.equal((await scene.client.post('/token', `${form}&code=x`)).status, 400);
    });
  });

  it('a client with a secret without it, and takes it in both places', async () => {
    scene.client = await new RawOAuth(scene.world.base, near).register({
      token_endpoint_auth_method: 'client_secret_basic',
    });
    const { clientId, clientSecret = '' } = scene.client;
    assert.notEqual(clientSecret, '');
    const code = (await scene.client.allow(scene.browser, scene.key)).get('code');
    for (const secret of [undefined, '', 'wrong', `${clientSecret}x`]) {
      const { status, json } = await scene.client.redeem(code, { client_secret: secret });
      assert.deepEqual([status, json['error']], [401, 'invalid_client']);
    }
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${clientSecret}`).toString('base64');
    const fields = { grant_type: 'authorization_code', code: code ?? '', redirect_uri: near };
    const form = { ...fields, code_verifier: scene.client.verifier, client_id: undefined, client_secret: undefined };
    assert.equal((await scene.client.token(form, { authorization: `Basic ${basic}` })).status, 200);
  });
});
