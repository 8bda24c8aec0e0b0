import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { PageBrowser } from '../../../support/gateway/pageBrowser.ts';
import { formOf, RawOAuth } from '../../../support/gateway/rawOAuth.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { verifies } from '../../../support/verifies.ts';

const home = 'https://client.example/callback';
const evil = 'https://evil.example';

/** What a person granted is good for whom they granted it to. */
describe('a sign-in at the gateway', () => {
  let server: HttpFixture;
  let world: Stand;
  let key: string;
  let client: RawOAuth;
  let browser: PageBrowser;

  beforeEach(async () => {
    server = await httpFixture({ name: 'alpha', json: true });
    world = await openStand();
    await world.addServer({ alias: 'alpha', url: server.url });
    key = await world.addKey({ user_id: 'alice', key_alias: 'key of alice' });
    client = await new RawOAuth(world.base, home).register();
    browser = new PageBrowser(home, evil);
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  describe('is asked for anew (confused deputy)', () => {
    verifies('security.confused-deputy');
    it('by another client, by another redirect address of the same client, and by each request of the same', async () => {
      const both = await new RawOAuth(world.base, home).register({ redirect_uris: [home, `${home}/2`] });
      await both.allow(browser, key);
      const other = await new RawOAuth(world.base, home).register({ client_name: 'Other' });
      for (const [url, place] of [
        [both.authorizeUrl(), 'client.example'],
        [both.authorizeUrl({ redirect_uri: `${home}/2` }), 'client.example'],
        [other.authorizeUrl(), 'Let Other use'],
      ] as const) {
        const page = await browser.open(url);
        assert.deepEqual(
          [page.status, page.text.includes(place), page.text.includes('value="allow"')],
          [200, true, true],
        );
      }
    });

    it('from each person: what one of them allowed in a browser is nothing for the key of another', async () => {
      await client.allow(browser, key);
      const bob = await world.addKey({ user_id: 'bob', key_alias: 'key of bob' });
      const page = await client.consent(new PageBrowser(home), bob);
      assert.match(page.text, /key of bob/);
      assert.doesNotMatch(page.text, /key of alice/);
    });

    it('and an answer counts for the client, the address and the key that were shown, whatever is sent along', async () => {
      const page = await client.consent(browser, key);
      const other = await new RawOAuth(world.base, home).register({ client_name: 'Other' });
      const bob = await world.addKey({ user_id: 'bob' });
      const more = {
        client_id: other.clientId,
        redirect_uri: evil,
        key: bob,
        state: 'x',
        resource: `${world.base}/alpha/mcp`,
      };
      const { url } = await browser.send(page, { answer: 'allow', ...more });
      assert.ok(url.startsWith(`${home}?`), url);
      const said = new URL(url).searchParams;
      assert.equal(said.get('state'), 's1');
      const stolen = await other.redeem(said.get('code'), { code_verifier: client.verifier });
      assert.deepEqual([stolen.status, stolen.json['error']], [400, 'invalid_grant']);
      const { json } = await client.redeem(said.get('code'));
      const introspected = await client.post('/introspect', formOf({ token: json.access_token }), {
        authorization: `Bearer ${key}`,
      });
      assert.equal(((await introspected.json()) as { aud: string }).aud, `${world.base}/mcp`);
    });
  });

  describe('sends nobody, and no code, anywhere else (VERIA-57)', () => {
    verifies('security.VERIA-57');
    for (const redirect of [
      `${home}/`,
      `${home}/../evil`,
      `${home}%2f..%2fevil`,
      `${home}?next=${evil}`,
      `${home}#x`,
      'https://client.example:8443/callback',
      'http://client.example/callback',
      'https://client.example.evil.example/callback',
      'https://client.example@evil.example/callback',
      'https://evil.example/https://client.example/callback',
      'HTTPS://CLIENT.EXAMPLE/CALLBACK',
      `${evil}/callback`,
      'javascript:alert(1)//client.example/callback',
      '//evil.example/callback',
    ]) {
      it(`as to ${redirect}, which only looks like the registered address`, async () => {
        const response = await fetch(client.authorizeUrl({ redirect_uri: redirect }), { redirect: 'manual' });
        assert.deepEqual([response.status, response.headers.get('location')], [400, null]);
        assert.doesNotMatch(await response.text(), /href="(?!\/)|http-equiv="refresh"|value="allow"/);
      });
    }

    it('by a state that somebody wrote, in any form', async () => {
      const wish = { redirect_uri: evil, return_to: evil, server_id: 'id-alpha', user: 'alice', r: evil, id: '1' };
      const text = JSON.stringify(wish);
      for (const state of [
        text,
        evil,
        Buffer.from(text).toString('base64'),
        Buffer.from(text).toString('base64url'),
        `e30.${Buffer.from(text).toString('base64url')}.`,
        '',
      ]) {
        for (const query of [
          { code: 'c', state },
          { error: 'access_denied', state },
          { code: 'c', state, redirect_uri: evil },
        ]) {
          const response = await fetch(`${world.base}/callback?${formOf(query)}`, { redirect: 'manual' });
          assert.deepEqual([response.status, response.headers.get('location')], [400, null], state);
          assert.ok(!(await response.text()).includes('evil.example'), state);
        }
      }
    });

    it("by the client's own state, which comes back as it is and decides nothing", async () => {
      for (const state of [evil, `${evil}?code=1`, '"><script>', '{"redirect_uri":"https://evil.example"}']) {
        const said = await client.allow(browser, key, { state });
        assert.equal(said.get('state'), state);
      }
    });
  });
});

/** Token mix-up: through the whole gateway, with calls of two people at the same time. */
describe('the tokens of two people at one server (token mix-up)', () => {
  verifies('security.token-mix-up');
  let stand: Stand;

  beforeEach(async () => {
    stand = await openStand();
    const credentials = { client_id: 'service', client_secret: 'secret-of-the-service', scopes: ['x'] };
    for (const alias of ['alpha', 'beta']) {
      const url = `${stand.backend.url}/mcp/${alias}`;
      const addresses = { authorization_url: 'https://idp.example/authorize', token_url: 'https://idp.example/token' };
      await stand.addServer({ alias, url, auth_type: 'oauth2', ...addresses }, credentials);
    }
  });
  afterEach(() => stand.close());

  const connect = async (user_id: string) => {
    const key = await stand.addKey({ user_id });
    const response = await stand.as(key, '/v1/mcp/server/id-alpha/oauth-user-credential', {
      method: 'POST',
      body: JSON.stringify({ access_token: `token-of-${user_id}` }),
    });
    assert.equal(response.status, 200, await response.text());
    return key;
  };

  it('stay with their own calls, forty at once in turns', async () => {
    const people = { alice: await connect('alice'), bob: await connect('bob') };
    const calls = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 'alice' : 'bob'));
    const answers = await Promise.all(
      calls.map((who) => stand.mcp('/alpha/mcp', people[who as 'alice']).call('echo', { who })),
    );
    assert.ok(answers.every((it) => it.status === 200));
    const heard = stand.calls().filter((it) => it.body.includes('tools/call'));
    assert.equal(heard.length, 40);
    for (const { headers, body } of heard) {
      const { params } = JSON.parse(body.toString()) as { params: { arguments: { who: string } } };
      assert.equal(headers.authorization, `Bearer token-of-${params.arguments.who}`);
    }
  });

  it('are no use to a third, nor at another server: 401, and no call with a token of the service in their place', async () => {
    const alice = await connect('alice');
    assert.equal((await stand.mcp('/alpha/mcp', alice).call('echo')).status, 200);
    stand.backend.heard.splice(0);
    const carol = await stand.addKey({ user_id: 'carol' });
    const nobody = await stand.addKey();
    for (const [path, key] of [
      ['/alpha/mcp', carol],
      ['/alpha/mcp', nobody],
      ['/beta/mcp', alice],
    ] as const) {
      assert.equal((await stand.mcp(path, key).call('echo')).status, 401, path);
    }
    assert.deepEqual(stand.backend.heard, []);
  });
});
