import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { StandingClock } from '../../support/gateway/clock.ts';
import { PageBrowser } from '../../support/gateway/pageBrowser.ts';
import { RawOAuth } from '../../support/gateway/rawOAuth.ts';
import { bearer } from '../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../support/gateway/stand.ts';

const MINUTE_MS = 60_000;

describe('the sign-in of an MCP client', () => {
  const clock = new StandingClock('2026-03-04T10:00:00.000Z');
  let stand: Stand;
  let key: string;
  let client: RawOAuth;
  let browser: PageBrowser;
  before(async () => {
    const bound = { now: () => clock.now(), nowMs: () => clock.nowMs(), monotonicMs: () => clock.monotonicMs() };
    stand = await openStand({ clock: bound, throttle: { wrongKeysPerMinute: 1_000, registrationsPerMinute: 30 } });
    for (const alias of ['one', 'two']) await stand.addServer({ alias, url: `${stand.backend.url}/mcp/${alias}` });
    key = await stand.addKey({ user_id: 'ann' });
  });
  after(() => stand.close());
  beforeEach(async () => {
    clock.pass(MINUTE_MS);
    client = await new RawOAuth(stand.base).register();
    browser = new PageBrowser(client.redirect);
  });

  it('gives a token for the address that it asked for, and for no other', async () => {
    const back = await client.allow(browser, key, { resource: `${stand.base}/one/mcp` });
    assert.deepEqual([back.get('state'), back.get('iss')], ['s1', `${stand.base}/mcp`]);
    const { status, json } = await client.redeem(back.get('code'), { resource: undefined });
    assert.equal(status, 200);
    assert.equal((await client.list('/one/mcp', json.access_token)).status, 200);
    const foreign = await client.list('/two/mcp', json.access_token);
    assert.equal(foreign.status, 401);
    assert.match(foreign.challenge ?? '', /error="invalid_token"/);
    assert.equal((await stand.ask('/key/info', bearer(json.access_token))).status, 401);
  });

  it('gives one token for each code, and none without the secret that it began with', async () => {
    const code = (await client.allow(browser, key)).get('code');
    const wrong = await client.redeem(code, { code_verifier: 'x'.repeat(43) });
    assert.deepEqual([wrong.status, wrong.json['error']], [400, 'invalid_grant']);
    const other = (await client.allow(browser, key)).get('code');
    const first = await client.redeem(other);
    assert.equal(first.status, 200);
    const again = await client.redeem(other);
    assert.deepEqual([again.status, again.json['error']], [400, 'invalid_grant']);
  });

  it('ends with the key that it came from, and with a token that is revoked', async () => {
    const gone = await stand.addKey({ user_id: 'ann' });
    const own = await client.redeem((await client.allow(browser, gone)).get('code'));
    assert.equal((await client.list('/mcp', own.json.access_token)).status, 200);
    await stand.manage('POST', '/key/delete', { keys: [gone] });
    assert.equal((await client.list('/mcp', own.json.access_token)).status, 401);
    assert.equal((await client.refresh(own.json.refresh_token)).status, 400);
    const kept = await client.redeem((await client.allow(new PageBrowser(client.redirect), key)).get('code'));
    await client.post(
      '/revoke',
      new URLSearchParams({ token: kept.json.refresh_token, client_id: client.clientId }).toString(),
    );
    assert.equal((await client.refresh(kept.json.refresh_token)).status, 400);
  });

  it('that a person denies tells the client so', async () => {
    const page = await client.consent(browser, key);
    assert.match(page.text, /Let Raw use your MCP servers\?/);
    const back = new URL((await browser.send(page, { answer: 'deny' })).url);
    assert.equal(`${back.origin}${back.pathname}`, client.redirect);
    assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('state')], ['access_denied', 's1']);
    assert.equal(back.searchParams.get('code'), null);
  });

  it('asks again for a key that is wrong, and does not tell the client', async () => {
    const page = await client.consent(browser, 'sk-unknown-0123456789');
    assert.match(page.text, /role="alert"[^<]*>[^<]*unknown or no longer valid/);
    assert.ok(page.url.startsWith(stand.base));
  });

  it('is answered in the browser that it was asked in, from its own page, and for ten minutes', async () => {
    const page = await client.consent(browser, key);
    const expired = /expired or was opened in another browser/;
    assert.match((await new PageBrowser(client.redirect).send(page, { answer: 'allow' })).text, expired);
    const foreign = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
    const answered = await browser.send(page, { answer: 'allow' }, foreign);
    assert.equal(answered.url.startsWith(client.redirect), false);
    clock.pass(10 * MINUTE_MS);
    assert.match((await browser.send(page, { answer: 'allow' })).text, expired);
  });

  for (const [says, changes, words] of [
    ['an address that the client did not register', { redirect_uri: 'http://127.0.0.1:9/other' }, /did not register/],
    ['an issuer of another address', { issuer: '/one/mcp' }, /issuer&#39; does not match/],
    ['no client', { client_id: undefined }, /client_id&#39; is missing/],
    ['a client that is unknown', { client_id: 'nobody' }, /client/i],
  ] as const)
    it(`with ${says} shows a person why and sends nobody anywhere`, async () => {
      const page = await browser.open(client.authorizeUrl(changes));
      assert.ok(page.url.startsWith(stand.base));
      assert.equal(page.status, 400);
      assert.match(page.text, words);
    });

  for (const [says, changes, error] of [
    ['another kind of answer', { response_type: 'token' }, 'unsupported_response_type'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a challenge in clear text', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a state that is too long', { state: 's'.repeat(2_049) }, 'invalid_request'],
    ['a resource elsewhere', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ] as const)
    it(`with ${says} is refused at the client, as ${error}`, async () => {
      const back = new URL((await browser.open(client.authorizeUrl(changes))).url);
      assert.equal(`${back.origin}${back.pathname}`, client.redirect);
      assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('code')], [error, null]);
      assert.equal(back.searchParams.get('state'), 'state' in changes ? null : 's1');
    });

  it('at the address of one server gives tokens for that server alone', async () => {
    const at = (resource: string) =>
      browser.open(client.authorizeUrl({ resource: `${stand.base}${resource}` }, '/one'));
    assert.match((await at('/one/mcp')).text, /Your virtual key/);
    const back = new URL((await at('/two/mcp')).url);
    assert.deepEqual([back.origin, back.searchParams.get('error')], ['http://127.0.0.1:9', 'invalid_target']);
  });

  it('begins with a client that is registered, so many times a minute from one address', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) {
      const body = JSON.stringify({ redirect_uris: [client.redirect], token_endpoint_auth_method: 'none' });
      const answer = await fetch(`${stand.base}/register`, { method: 'POST', body });
      statuses.push(answer.status);
      if (answer.status === 429) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    assert.deepEqual([statuses.at(0), statuses.at(28), statuses.at(30)], [201, 201, 429]);
    clock.pass(MINUTE_MS);
  });
});
