import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { PageBrowser, type Shown } from '../../../support/gateway/pageBrowser.ts';
import { formOf, RawOAuth } from '../../../support/gateway/rawOAuth.ts';
import { type WholeGateway, wholeGateway } from '../../../support/gateway/wholeGateway.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { verifies } from '../../../support/verifies.ts';

const near = 'http://127.0.0.1:9/callback';
const far = 'https://client.example/callback';

describe('the gateway as an authorization server refuses', () => {
  let server: HttpFixture;
  let clock: StandingClock;
  let world: WholeGateway;
  let key: string;
  let browser: PageBrowser;
  let client: RawOAuth;

  beforeEach(async () => {
    server = await httpFixture({ name: 'alpha', json: true });
    clock = new StandingClock('2026-06-01T12:00:00Z');
    world = await wholeGateway(clock);
    await world.addServer({ alias: 'alpha', url: server.url });
    await world.addServer({ alias: 'beta', url: server.url });
    key = await world.addKey();
    browser = new PageBrowser(near, far);
    client = await new RawOAuth(world.base, near).register();
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  const tokens = async (changes = {}, prefix = '') => {
    const answer = await client.allow(browser, key, changes, prefix);
    const { status, json } = await client.redeem(answer.get('code'), changes);
    assert.equal(status, 200, JSON.stringify(json));
    return json;
  };
  const stays = (page: Shown, status = 400) => {
    assert.deepEqual([page.status, new URL(page.url).origin], [status, world.base]);
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
      it(what, async () => void stays(await browser.open(client.authorizeUrl(changes))));
    }
    it('of a client whose document would be on this computer or in a network, which nobody asks', async () => {
      const { port } = new URL(server.url);
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1']) {
        const page = stays(await browser.open(client.authorizeUrl({ client_id: `https://${host}:${port}/client` })));
        assert.match(page.text, /metadata document of this client (cannot be read|has no address)/, host);
      }
      assert.deepEqual(server.seen, []);
    });
    it('that says its redirect address twice', async () => {
      stays(await browser.open(`${client.authorizeUrl()}&redirect_uri=https%3A%2F%2Fevil.example`));
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
        const changes = { ...others, ...(resource && { resource: resource.replace('BASE', world.base) }) };
        const { url } = await browser.open(client.authorizeUrl(changes));
        const answer = new URL(url).searchParams;
        assert.ok(url.startsWith(`${near}?`), url);
        assert.deepEqual([answer.get('error'), answer.get('state')], [error, 's1']);
        assert.equal(answer.get('iss'), `${world.base}/mcp`);
        assert.equal(answer.get('code'), null);
      });
    }
    it('of a server for another server', async () => {
      const { url } = await browser.open(client.authorizeUrl({ resource: `${world.base}/mcp/beta` }, '/alpha'));
      assert.equal(new URL(url).searchParams.get('error'), 'invalid_target');
    });
    it('but leaves the way to a foreign host to the person', async () => {
      client = await new RawOAuth(world.base, far).register();
      const page = stays(await browser.open(client.authorizeUrl({ response_type: 'token' })));
      assert.match(page.text, /href="https:\/\/client\.example\/callback\?error=unsupported_response_type/);
    });
  });

  describe('a form', () => {
    let page: Shown;
    beforeEach(async () => {
      page = await client.consent(browser, key);
      assert.match(page.text, /Let Raw use/);
    });

    it('that another site sends', async () => {
      for (const site of ['cross-site', 'same-site', 'none']) {
        stays(await browser.send(page, { answer: 'allow' }, { 'sec-fetch-site': site }));
      }
    });
    it('without or with another origin', async () => {
      const form = /name="form" value="([^"]*)"/.exec(page.text)?.[1];
      const cookie = browser.cookies(new URL(world.base).host);
      const body = formOf({ form, answer: 'allow' });
      assert.equal((await client.post('/authorize', body, { cookie })).status, 400);
      const origin = 'https://evil.example';
      assert.equal((await client.post('/authorize', body, { cookie, origin })).status, 403);
      assert.equal((await client.post('/authorize', body, { cookie, origin: world.base })).status, 200);
    });
    it('that was shown in another browser, as somebody does who wants a person to act for them', async () => {
      const victim = new PageBrowser(near);
      await victim.open(client.authorizeUrl());
      stays(await victim.send(page, { answer: 'allow' }));
      stays(await new PageBrowser(near).send(page, { answer: 'allow' }));
    });
    it('that was changed, or is older than ten minutes', async () => {
      stays(await browser.send(page, { form: 'AAAA', answer: 'allow' }));
      clock.pass(10 * 60_000);
      stays(await browser.send(page, { answer: 'allow' }));
    });
    it('of a key that was taken away meanwhile: it asks for another one', async () => {
      const [record] = (await world.gateway.store.key.all()).filter((it) => !it.role);
      assert.ok(record);
      await world.gateway.store.key.remove(record.token);
      assert.match((await browser.send(page, { answer: 'allow' })).text, /no longer good/);
    });
    it('when the person says no, or nothing, and tells the client so', async () => {
      for (const fields of [{ answer: 'deny' }, { answer: 'other' }, {}]) {
        const { url } = await browser.send(page, fields);
        const answer = new URL(url).searchParams;
        assert.deepEqual([answer.get('error'), answer.get('code')], ['access_denied', null]);
      }
    });
  });

  it('a wrong key, and asks again', async () => {
    const page = await browser.open(client.authorizeUrl());
    for (const wrong of ['', 'sk-wrong-0123456789abcdef', 'x']) {
      const again = await browser.send(page, { key: wrong });
      assert.match(again.text, /role="alert"/);
      assert.match(again.text, /name="key"/);
    }
  });

  it('to show or grant a server that the key may not use, like one that is not there', async () => {
    const narrow = await world.addKey({ object_permission: { mcp_servers: ['id-alpha'] } });
    const pages: string[] = [];
    for (const name of ['beta', 'no-such']) {
      const resource = `${world.base}/mcp/${name}`;
      const page = await client.consent(new PageBrowser(near), narrow, { resource }, `/${name}`);
      pages.push(stays(page, 404).text);
    }
    assert.equal(pages[0], pages[1]);
    const page = await client.consent(new PageBrowser(near), narrow);
    assert.match(page.text, /alpha/);
    assert.doesNotMatch(page.text, /beta/);
  });

  it('to let a second client in because the same person let a first one in (confused deputy): each is asked about, each time', async () => {
    verifies('security.confused-deputy');
    await client.allow(browser, key);
    const second = await new RawOAuth(world.base, near).register({ client_name: 'Second' });
    const page = await browser.open(second.authorizeUrl());
    assert.match(page.text, /Let Second use/);
    assert.match((await browser.open(client.authorizeUrl())).text, /Let Raw use/);
  });

  it('to show what a client calls itself as anything but text', async () => {
    const named = await new RawOAuth(world.base, near).register({ client_name: '"><script>alert(1)</script>' });
    const page = await named.consent(browser, key);
    assert.doesNotMatch(page.text, /<script/);
    assert.match(page.text, /&#60;script&#62;/);
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/);
  });

  describe('a code', () => {
    let code: string | null;
    beforeEach(async () => {
      code = (await client.allow(browser, key)).get('code');
    });
    const refused = async (changes: Record<string, string | undefined>, error = 'invalid_grant') => {
      const { status, json } = await client.redeem(code, changes);
      assert.deepEqual([status, json['error']], [error === 'invalid_client' ? 401 : 400, error]);
    };

    it('with another, a short or no verifier, and is not used up by that', async () => {
      for (const verifier of ['x'.repeat(43), 'short', '', undefined, client.challenge]) {
        await refused({ code_verifier: verifier });
      }
      assert.equal((await client.redeem(code)).status, 200);
    });
    it('with another redirect address, or none', async () => {
      for (const uri of ['http://127.0.0.1:10/callback', undefined]) await refused({ redirect_uri: uri });
    });
    it('for another resource', () => refused({ resource: `${world.base}/mcp/alpha` }, 'invalid_target'));
    it('that is none', () => refused({ code: 'AAAA' }));
    it('of another client', async () => {
      const other = await new RawOAuth(world.base, near).register();
      await refused({ client_id: other.clientId });
    });
    it('of nobody', () => refused({ client_id: undefined }, 'invalid_client'));
    it('for another kind of grant', () => refused({ grant_type: 'password' }, 'unsupported_grant_type'));
    it('after a minute', async () => {
      clock.pass(60_000);
      await refused({});
    });
    it('a second time, and ends what it gave the first time', async () => {
      const { json } = await client.redeem(code);
      assert.equal((await client.list('/mcp', json.access_token)).status, 200);
      clock.pass(1_000);
      await refused({});
      assert.equal((await client.list('/mcp', json.access_token)).status, 401);
      assert.equal((await client.refresh(json.refresh_token)).json['error'], 'invalid_grant');
    });
    it('that is said twice', async () => {
      const form = formOf({ grant_type: 'authorization_code', code: code ?? '', client_id: client.clientId });
      assert.equal((await client.post('/token', `${form}&code=x`)).status, 400);
    });
  });

  it('a client with a secret without it, and takes it in both places', async () => {
    client = await new RawOAuth(world.base, near).register({ token_endpoint_auth_method: 'client_secret_basic' });
    const { clientId, clientSecret = '' } = client;
    assert.notEqual(clientSecret, '');
    const code = (await client.allow(browser, key)).get('code');
    for (const secret of [undefined, '', 'wrong', `${clientSecret}x`]) {
      const { status, json } = await client.redeem(code, { client_secret: secret });
      assert.deepEqual([status, json['error']], [401, 'invalid_client']);
    }
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${clientSecret}`).toString('base64');
    const fields = { grant_type: 'authorization_code', code: code ?? '', redirect_uri: near };
    const form = { ...fields, code_verifier: client.verifier, client_id: undefined, client_secret: undefined };
    assert.equal((await client.token(form, { authorization: `Basic ${basic}` })).status, 200);
  });

  describe('a refresh token', () => {
    it('a second time, and ends its family', async () => {
      const first = await tokens();
      const second = (await client.refresh(first.refresh_token)).json;
      assert.equal((await client.list('/mcp', second.access_token)).status, 200);
      assert.equal((await client.refresh(first.refresh_token)).json['error'], 'invalid_grant');
      assert.equal((await client.refresh(second.refresh_token)).json['error'], 'invalid_grant');
      assert.equal((await client.list('/mcp', second.access_token)).status, 401);
    });
    it('of another client, of nobody, or for another resource', async () => {
      const { refresh_token } = await tokens();
      const other = await new RawOAuth(world.base, near).register();
      const error = async (changes: Record<string, string | undefined>) =>
        (await client.refresh(refresh_token, changes)).json['error'];
      assert.equal(await error({ client_id: other.clientId }), 'invalid_grant');
      assert.equal(await error({ client_id: undefined }), 'invalid_client');
      assert.equal(await error({ resource: `${world.base}/mcp/alpha` }), 'invalid_target');
      assert.equal((await client.refresh(refresh_token)).status, 200);
    });
    it('after thirty days, and as an access token', async () => {
      const { access_token, refresh_token } = await tokens();
      assert.equal((await client.list('/mcp', refresh_token)).status, 401);
      assert.equal((await client.refresh(access_token)).json['error'], 'invalid_grant');
      clock.pass(30 * 24 * 60 * 60_000);
      assert.equal((await client.refresh(refresh_token)).json['error'], 'invalid_grant');
    });
    it('of a key that is gone', async () => {
      const { refresh_token } = await tokens();
      for (const it of await world.gateway.store.key.all()) await world.gateway.store.key.remove(it.token);
      assert.equal((await client.refresh(refresh_token)).json['error'], 'invalid_grant');
    });
  });

  describe('an access token', () => {
    it('anywhere but at its own address, in either spelling (CVE-2025-69196)', async () => {
      verifies('security.CVE-2025-69196');
      const alpha = (await tokens({ resource: `${world.base}/mcp/alpha` }, '/alpha')).access_token;
      const all = (await tokens()).access_token;
      for (const path of ['/mcp/alpha', '/alpha/mcp']) assert.equal((await client.list(path, alpha)).status, 200);
      for (const path of ['/mcp', '/beta/mcp', '/mcp/beta', '/mcp/alpha,beta', '/sse', '/toolset/alpha/mcp']) {
        const { status, challenge } = await client.list(path, alpha);
        const document = `${world.base}/.well-known/oauth-protected-resource${path}`;
        assert.deepEqual([status, challenge], [401, `Bearer error="invalid_token", resource_metadata="${document}"`]);
      }
      assert.equal((await client.list('/mcp', all)).status, 200);
      assert.equal((await client.list('/alpha/mcp', all)).status, 401);
    });
    it('away from the MCP routes', async () => {
      const { access_token } = await tokens();
      for (const path of ['/mcp-rest/tools/list', '/v1/mcp/server', '/key/info', '/introspect']) {
        const headers = { authorization: `Bearer ${access_token}` };
        assert.equal((await fetch(world.base + path, { headers })).status, 401, path);
      }
    });
    it('after an hour, or changed, or of another gateway', async () => {
      const { access_token } = await tokens();
      assert.equal((await client.list('/mcp', access_token)).status, 200);
      for (const wrong of [`${access_token.slice(0, -3)}AAA`, 'swb_at_', 'swb_at_AAAA', `${access_token}A`]) {
        assert.equal((await client.list('/mcp', wrong)).status, 401);
      }
      clock.pass(60 * 60_000);
      const { status, text } = await client.list('/mcp', access_token);
      assert.equal(status, 401);
      assert.match(text, /"type":"expired_key"/);
    });
    it('on its way to a server, whichever header it came in (token passthrough)', async () => {
      verifies('security.token-passthrough');
      const extra_headers = ['authorization', 'x-mine', 'x-gateway-api-key'];
      await world.addServer({
        alias: 'gamma',
        url: server.url,
        extra_headers,
        oauth_passthrough: true,
        auth_type: 'oauth2',
      });
      const token = (await tokens({ resource: `${world.base}/mcp/gamma` }, '/gamma')).access_token;
      const basic = Buffer.from(`x:${token}`).toString('base64');
      for (const mine of [token, `Bearer ${token}`, encodeURIComponent(`${token}=`), `Basic ${basic}`]) {
        const headers = { authorization: `Bearer ${token}`, 'x-mine': mine, 'x-mcp-gamma-x-other': mine };
        for (const more of [{}, { 'x-gateway-api-key': `Bearer ${key}` }, { 'x-gateway-api-key': `Bearer ${token}` }]) {
          const list = await client.list('/gamma/mcp', token, world.base, { ...headers, ...more });
          assert.equal(list.status, 200, list.text);
        }
      }
      assert.ok(server.seen.length > 0);
      const sent = JSON.stringify(server.seen.map((it) => it.headers));
      assert.ok(!sent.includes('swb_') && !sent.includes(key) && !sent.includes(basic), sent);
    });
    it('of a key that is blocked', async () => {
      const { access_token } = await tokens();
      for (const it of await world.gateway.store.key.all()) {
        await world.gateway.store.key.update(it.token, (before) => ({ ...before, blocked: true }));
      }
      assert.equal((await client.list('/mcp', access_token)).status, 401);
    });
    it('that was revoked, on a replica within five seconds', async () => {
      const { access_token } = await tokens();
      const other = await world.replica();
      assert.equal((await client.list('/mcp', access_token, other.base)).status, 200);
      const form = (more: object) => formOf({ token: access_token, client_id: client.clientId, ...more });
      const stranger = await new RawOAuth(world.base, near).register();
      assert.equal((await client.post('/revoke', form({ client_id: stranger.clientId }))).status, 200);
      assert.equal((await client.list('/mcp', access_token)).status, 200);
      assert.equal((await client.post('/revoke', form({}))).status, 200);
      assert.equal((await client.list('/mcp', access_token)).status, 401);
      clock.pass(5_000);
      assert.equal((await client.list('/mcp', access_token, other.base)).status, 401);
    });
  });

  it('to revoke for a client it does not know, and answers unknown tokens like known ones', async () => {
    verifies('gateway.oauth.revoked');
    assert.equal((await client.post('/revoke', formOf({ token: 'x', client_id: client.clientId }))).status, 200);
    assert.equal((await client.post('/revoke', formOf({ token: 'x' }))).status, 401);
    assert.equal((await client.post('/revoke', formOf({ client_id: client.clientId }))).status, 400);
  });

  it('to tell of a token without a key, and of one that it cannot vouch for', async () => {
    verifies('gateway.oauth.revoked');
    const { access_token, refresh_token } = await tokens();
    const ask = async (token: string, credential?: string) => {
      const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
      const response = await client.post('/introspect', formOf({ token }), headers);
      return { status: response.status, json: (await response.json()) as Record<string, unknown> };
    };
    assert.equal((await ask(access_token)).status, 401);
    const { json } = await ask(access_token, key);
    assert.deepEqual(json, {
      active: true,
      scope: 'mcp',
      aud: `${world.base}/mcp`,
      iat: 1_780_315_200,
      exp: 1_780_318_800,
      token_type: 'Bearer',
    });
    assert.equal((await ask(refresh_token, world.adminKey)).json['active'], true);
    const stranger = await world.addKey();
    for (const [token, credential] of [
      [access_token, stranger],
      ['x', key],
      [`${access_token}A`, key],
    ] as const) {
      assert.deepEqual((await ask(token, credential)).json, { active: false });
    }
    await client.post('/revoke', formOf({ token: refresh_token, client_id: client.clientId }));
    assert.deepEqual((await ask(access_token, key)).json, { active: false });
  });
});
