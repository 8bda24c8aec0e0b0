import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type AuthorizationServer, startAuthorizationServer } from '../../../support/backends/authorizationServer.ts';
import { KeepingProvider } from '../../../support/gateway/oauthClient.ts';
import { PageBrowser } from '../../../support/gateway/pageBrowser.ts';
import { RawOAuth } from '../../../support/gateway/rawOAuth.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { verifies } from '../../../support/verifies.ts';

const redirect = 'http://127.0.0.1:9/callback';

describe('a server that wants the person itself, behind the gateway', () => {
  let idp: AuthorizationServer;
  let server: HttpFixture;
  let world: Stand;
  let key: string;
  let client: RawOAuth;
  let browser: PageBrowser;

  beforeEach(async () => {
    idp = await startAuthorizationServer();
    server = await httpFixture({ name: 'alpha', json: true });
    world = await openStand();
    await world.addServer(
      { alias: 'alpha', url: server.url, auth_type: 'oauth2', issuer: idp.url },
      { scopes: ['openid'] },
    );
    key = await world.addKey({ user_id: 'alice', key_alias: 'key of alice' });
    client = await new RawOAuth(world.base, redirect).register();
    browser = new PageBrowser(redirect);
  });
  afterEach(async () => {
    await world.close();
    await Promise.all([idp.close(), server.close()]);
  });

  const resource = () => ({ resource: `${world.base}/alpha/mcp` });
  const stored = async (user: string) => {
    const text = await world.gateway.store.secrets.get('user_token', 'id-alpha', user);
    return text === undefined
      ? undefined
      : (JSON.parse(text) as { value: { access_token: string } }).value.access_token;
  };
  const sentTo = () => server.seen.flatMap(({ headers }) => headers.authorization ?? []);

  it('is reached by a real client: the gateway signs in there with the person, and sends the token it got', async () => {
    verifies('gateway.oauth.sign-in');
    const provider = new KeepingProvider(redirect);
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${world.base}/alpha/mcp`), { authProvider: provider });
    const first = transport();
    const mcp = new Client({ name: 'test', version: '1' });
    await assert.rejects(mcp.connect(first));
    const page = await browser.send(await browser.open(provider.asked?.href ?? ''), { key });
    assert.match(page.text, /Next, you will sign in to alpha\./);
    const back = await browser.send(page, { answer: 'allow' });
    assert.ok(browser.visited.some((it) => it.startsWith(`${idp.url}/auth`)));
    await first.finishAuth(new URL(back.url).searchParams);
    const second = new Client({ name: 'test', version: '1' });
    await second.connect(transport());
    assert.ok((await second.listTools()).tools.some((it) => it.name === 'echo'));
    await second.close();
    const token = await stored('alice');
    assert.equal(await idp.accountOf(token ?? ''), 'alice');
    assert.deepEqual([...new Set(sentTo())], [`Bearer ${token}`]);
  });

  it('is signed in to once: the next client needs consent alone, and another person signs in anew', async () => {
    await client.allow(browser, key, resource(), '/alpha');
    const visits = browser.visited.length;
    await client.allow(browser, key, resource(), '/alpha');
    assert.ok(browser.visited.slice(visits).every((it) => it.startsWith(world.base)));
    idp.account = 'bob';
    const other = await world.addKey({ user_id: 'bob' });
    await client.allow(new PageBrowser(redirect), other, resource(), '/alpha');
    assert.deepEqual(await Promise.all(['alice', 'bob'].map(async (it) => idp.accountOf((await stored(it)) ?? ''))), [
      'alice',
      'bob',
    ]);
  });

  it('asks for the sign-in with 401, which names the document of the very address', async () => {
    for (const [path, document] of [
      ['/alpha/mcp', '/alpha/mcp'],
      ['/mcp/alpha', '/mcp/alpha'],
    ] as const) {
      const { status, challenge } = await client.list(path, key);
      const metadata = `${world.base}/.well-known/oauth-protected-resource${document}`;
      assert.deepEqual([status, challenge], [401, `Bearer resource_metadata="${metadata}"`]);
    }
    const response = await fetch(`${world.base}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'alpha__echo' } }),
    });
    const metadata = `${world.base}/.well-known/oauth-protected-resource/mcp/id-alpha`;
    assert.equal(response.status, 401);
    assert.equal(response.headers.get('www-authenticate'), `Bearer resource_metadata="${metadata}"`);
  });

  it('that refuses the person is told to the client, at its own address and in its own state', async () => {
    idp.refuses = true;
    const answer = await client.allow(browser, key, resource(), '/alpha');
    assert.deepEqual([answer.get('error'), answer.get('state'), answer.get('code')], ['access_denied', 's1', null]);
    assert.equal(answer.get('iss'), `${world.base}/alpha`);
    assert.equal(await stored('alice'), undefined);
  });

  it('whose authorization server is gone is told to the client', async () => {
    const page = await client.consent(browser, key, resource(), '/alpha');
    await idp.close();
    const { url } = await browser.send(page, { answer: 'allow' });
    assert.equal(new URL(url).searchParams.get('error'), 'temporarily_unavailable');
  });

  it('lets nobody end in another browser what they began, nor end it twice (VERIA-57)', async () => {
    verifies('security.VERIA-57');
    const callbacks = new PageBrowser(redirect, `${world.base}/callback`);
    const page = await client.consent(callbacks, key, resource(), '/alpha');
    const { url } = await callbacks.send(page, { answer: 'allow' });
    assert.ok(url.startsWith(`${world.base}/callback?code=`), url);
    const victim = await new PageBrowser(redirect).open(url);
    assert.deepEqual([victim.status, new URL(victim.url).origin], [400, world.base]);
    assert.equal(await stored('alice'), undefined);
    const cookie = callbacks.cookies(new URL(world.base).host);
    const finish = () => fetch(url, { headers: { cookie }, redirect: 'manual' });
    const ended = await finish();
    assert.deepEqual([ended.status, ended.headers.get('location')?.startsWith(`${redirect}?code=`)], [302, true]);
    assert.equal((await finish()).status, 400);
  });

  describe('and a sign-in that was begun outside of the browser', () => {
    const post = (credential: string, body = '', id = 'id-alpha') =>
      fetch(`${world.base}/v1/mcp/server/${id}/sign-in`, {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}` },
        body,
      });
    const begin = async (body?: string) => ((await (await post(key, body)).json()) as { url: string }).url;

    it('asks whose key it is for, and ends on a page that may be closed', async () => {
      const page = await browser.open(await begin());
      assert.match(page.text, /Sign in to alpha\?/);
      assert.match(page.text, /key of alice/);
      const end = await browser.send(page, { answer: 'allow' });
      assert.deepEqual([end.status, new URL(end.url).pathname], [200, '/callback']);
      assert.match(end.text, /You can close this page/);
      assert.equal(await idp.accountOf((await stored('alice')) ?? ''), 'alice');
      assert.equal((await client.list('/alpha/mcp', key)).status, 200);
    });
    it('goes back to the page that it was begun on', async () => {
      const page = await browser.open(await begin('{"return_to":"/ui/servers"}'));
      assert.equal((await browser.send(page, { answer: 'allow' })).url, `${world.base}/ui/servers`);
      for (const wrong of ['//evil.example', 'https://evil.example', '/ui', '/ui/../x', '/ui//evil.example', 7]) {
        assert.equal((await post(key, JSON.stringify({ return_to: wrong }))).status, 400, String(wrong));
      }
    });
    it('is good once, and for the browser that was asked', async () => {
      const url = await begin();
      const page = await browser.open(url);
      const other = new PageBrowser(redirect);
      await other.open(url);
      assert.equal((await other.send(page, { answer: 'allow' })).status, 400);
      assert.match((await browser.send(page, { answer: 'deny' })).text, /not signed in/);
      assert.equal((await browser.send(page, { answer: 'allow' })).status, 200);
      assert.equal((await browser.send(page, { answer: 'allow' })).status, 400);
      assert.equal((await browser.open(`${url}x`)).status, 400);
    });
    it('goes on at once from a page of the gateway that is signed in with the same key, and asks any other', async () => {
      const own = { 'sec-fetch-site': 'same-origin', origin: world.base };
      for (const [credential, isAsked] of [
        [key, false],
        [world.adminKey, true],
      ] as const) {
        const body = JSON.stringify({ key: credential });
        const session = await fetch(`${world.base}/ui/session`, { method: 'POST', headers: own, body });
        const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? '';
        const site = (from: string) => ({ cookie, 'sec-fetch-site': from });
        for (const from of ['same-origin', 'cross-site']) {
          const text = await (await fetch(await begin(), { headers: site(from) })).text();
          assert.equal(text.includes('Sign in to alpha?'), isAsked || from === 'cross-site');
        }
      }
    });
    it('says so where the authorization server is gone', async () => {
      const page = await browser.open(await begin());
      await idp.close();
      const end = await browser.send(page, { answer: 'allow' });
      assert.equal(end.status, 503);
      assert.match(end.text, /You are not signed in/);
    });
    it('is for servers that the key may use, and that people sign in to', async () => {
      await world.addServer({ alias: 'plain', url: server.url });
      const narrow = await world.addKey({ object_permission: { mcp_servers: ['id-plain'] } });
      assert.equal((await post(narrow)).status, 404);
      assert.equal((await post(key, '', 'id-plain')).status, 404);
      assert.equal((await post(key, '', 'no-such')).status, 404);
      assert.equal((await post('sk-wrong-0123456789abcdef')).status, 401);
    });
  });
});
