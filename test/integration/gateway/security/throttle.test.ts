import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { SetClock } from '../../../support/backends/setClock.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const limit = 5;
const wrong = (n: number) => `sk-wrong-key-0123456789-${n}`;

describe('what one address may try at the gateway', () => {
  let stand: Stand;
  let clock: SetClock;
  let good: string;

  beforeEach(async () => {
    clock = new SetClock();
    const throttle = { wrongKeysPerMinute: limit, registrationsPerMinute: limit };
    stand = await openStand({ clock, throttle, trustedProxies: ['127.0.0.1'] });
    await stand.addServer({ alias: 'echo', url: `${stand.backend.url}/mcp/echo` });
    good = await stand.addKey();
  });
  afterEach(() => stand.close());

  const from = (address: string) => ({ 'x-forwarded-for': address });
  async function call(key: string, address: string, path = '/mcp-rest/tools/list') {
    const response = await fetch(`${stand.base}${path}`, {
      headers: { authorization: `Bearer ${key}`, ...from(address) },
    });
    await response.arrayBuffer();
    return { status: response.status, wait: response.headers.get('retry-after') };
  }

  it('guessed keys: the limit and no more, on every way in; good keys that were seen go on, and so do other addresses', async () => {
    verifies('security.guessed-keys');
    const one = '192.0.2.1';
    assert.equal((await call(good, one)).status, 200);
    for (let n = 0; n < limit; n += 1) assert.equal((await call(wrong(n), one)).status, 401);
    for (const path of ['/mcp-rest/tools/list', '/mcp', '/v1/agents', '/cloudagents/v0/me', '/key/info'])
      assert.deepEqual(await call(wrong(99), one, path), { status: 429, wait: '12' }, path);
    const signIn = await fetch(`${stand.base}/ui/session`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...from(one) },
      body: JSON.stringify({ key: wrong(100) }),
    });
    assert.equal(signIn.status, 429, 'the sign-in of the pages');
    assert.equal((await call(good, one)).status, 200, 'a key that was good here');
    const unseen = await stand.addKey();
    assert.equal((await call(unseen, one)).status, 429, 'one that was not seen yet waits');
    assert.equal((await call(unseen, '192.0.2.2')).status, 200, 'not at another address');
    assert.equal((await call(wrong(101), '192.0.2.2')).status, 401);
    clock.pass(12_000);
    assert.equal((await call(unseen, one)).status, 200);
    assert.equal((await call(wrong(102), one)).status, 401);
    assert.deepEqual(await call(wrong(103), one), { status: 429, wait: '12' });
  });

  it('guessed keys: good ones cost nothing, and neither do calls without a key or with one that has expired', async () => {
    verifies('security.guessed-keys');
    const expired = await stand.addKey({ expires: new Date(clock.nowMs() - 1).toISOString() });
    for (let n = 0; n < limit * 2; n += 1) {
      assert.equal((await call(good, '192.0.2.1')).status, 200);
      assert.equal((await call(expired, '192.0.2.1')).status, 401);
      const without = await fetch(`${stand.base}/mcp-rest/tools/list`, { headers: from('192.0.2.1') });
      assert.equal(without.status, 401);
    }
    assert.equal((await call(wrong(1), '192.0.2.1')).status, 401);
  });

  it('guessed keys: one that was deleted is unknown like any other', async () => {
    verifies('security.guessed-keys');
    assert.equal((await call(good, '192.0.2.1')).status, 200);
    await stand.manage('POST', '/key/delete', { keys: [good] });
    for (let n = 0; n < limit; n += 1) assert.equal((await call(good, '192.0.2.1')).status, 401);
    assert.equal((await call(good, '192.0.2.1')).status, 429);
  });

  it('flood of registrations: the limit and no more, and other addresses go on', async () => {
    verifies('security.registration-flood');
    const register = async (address: string) => {
      const response = await fetch(`${stand.base}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...from(address) },
        body: JSON.stringify({ redirect_uris: ['http://127.0.0.1:1234/callback'], token_endpoint_auth_method: 'none' }),
      });
      const { error } = (await response.json()) as { error?: string };
      return [response.status, response.headers.get('retry-after'), error];
    };
    for (let n = 0; n < limit; n += 1) assert.deepEqual(await register('192.0.2.1'), [201, null, undefined]);
    assert.deepEqual(await register('192.0.2.1'), [429, '12', 'temporarily_unavailable']);
    assert.deepEqual(await register('192.0.2.2'), [201, null, undefined]);
    clock.pass(12_000);
    assert.deepEqual(await register('192.0.2.1'), [201, null, undefined]);
    assert.deepEqual(await register('192.0.2.1'), [429, '12', 'temporarily_unavailable']);
  });
});
