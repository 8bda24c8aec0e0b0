import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'mocha';
import type { GrantedToken } from '../../../../../../sidecar/gateway/backends/oauth/grants.ts';
import { TokenCache } from '../../../../../../sidecar/gateway/backends/oauth/tokenCache.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';
import { type Later, later } from '../../../../../support/later.ts';

/** A cache whose tokens arrive when the test says so. */
function open(max?: number) {
  const clock = new SetClock();
  const cache = new TokenCache(clock.nowMs, max);
  const asked: Later<GrantedToken>[] = [];
  const { signal } = new AbortController();
  const ask = (key: string, more: { refused?: string; signal?: AbortSignal } = {}) =>
    cache.token(key, { signal, ...more }, () => {
      const one = later<GrantedToken>();
      asked.push(one);
      return one.promise;
    });
  const give = (accessToken: string, lifeMs?: number) =>
    asked.at(-1)?.resolve({ accessToken, ...(lifeMs !== undefined && { expiresAtMs: clock.nowMs() + lifeMs }) });
  /** Asks and lets the token arrive at once, where one is asked for. */
  const get = async (key: string, fresh: string, lifeMs?: number) => {
    const before = asked.length;
    const token = ask(key);
    if (asked.length > before) give(fresh, lifeMs);
    return token;
  };
  return { clock, cache, asked, ask, give, get };
}
const hour = 3_600_000;

describe('tokens in memory', () => {
  it('are good until a minute before their end, and for five minutes where nobody says how long', async () => {
    for (const [lifeMs, goodMs] of [
      [hour, hour - 60_000],
      [undefined, 300_000],
    ] as const) {
      const { clock, get } = open();
      await get('k', 'first', lifeMs);
      clock.pass(goodMs - 1);
      assert.equal(await get('k', 'second'), 'first');
      clock.pass(1);
      assert.equal(await get('k', 'second'), 'second');
    }
  });

  it('that live less than a minute serve who waits for them, and nobody after', async () => {
    const { get } = open();
    assert.equal(await get('k', 'first', 60_000), 'first');
    assert.equal(await get('k', 'second', hour), 'second');
  });

  it('that were refused are not given out again, and their successor is, also to who was refused late', async () => {
    const { asked, ask, give, get } = open();
    await get('k', 'first', hour);
    const again = ask('k', { refused: 'first' });
    give('second', hour);
    assert.equal(await again, 'second');
    assert.equal(await ask('k', { refused: 'first' }), 'second');
    assert.equal(asked.length, 2);
  });

  it('that were refused while they were on their way to others are asked for anew, once for all', async () => {
    const { asked, ask, give } = open();
    const early = ask('k');
    const late = [ask('k', { refused: 'first' }), ask('k', { refused: 'first' })];
    give('first', hour);
    assert.equal(await early, 'first');
    assert.equal(asked.length, 2);
    give('second', hour);
    assert.deepEqual(await Promise.all(late), ['second', 'second']);
    assert.equal(await ask('k'), 'second');
    assert.equal(asked.length, 2);
  });

  it('that the server gives once more after they were refused are the answer: nobody asks without end', async () => {
    const { asked, ask, give, get } = open();
    await get('k', 'first', hour);
    const again = ask('k', { refused: 'first' });
    give('first', hour);
    assert.equal(await again, 'first');
    assert.equal(asked.length, 2);
  });

  it('are not kept after a failure, which everybody who waits gets, and the next one asks anew', async () => {
    const { asked, ask, give, get } = open();
    await get('k', 'first', hour);
    const waiting = [ask('k', { refused: 'first' }), ask('k', { refused: 'first' })];
    asked.at(-1)?.reject(new Error('away'));
    for (const it of waiting) await assert.rejects(it, /away/);
    const next = ask('k');
    give('second', hour);
    assert.equal(await next, 'second');
    assert.equal(asked.length, 3);
  });

  it('are let go by the beginning of their keys, and others stay', async () => {
    const { cache, asked, get } = open();
    for (const key of ['a 1', 'a 2', 'ab 1', 'b 1']) await get(key, key, hour);
    cache.forget('a ');
    assert.deepEqual(
      [await get('ab 1', 'new'), await get('b 1', 'new'), await get('a 1', 'new'), await get('a 2', 'new')],
      ['ab 1', 'b 1', 'new', 'new'],
    );
    assert.equal(asked.length, 6);
  });

  it('that were let go while they were on their way serve who waited, and nobody who comes later', async () => {
    const { cache, asked, ask, give } = open();
    const before = ask('a 1');
    const other = ask('b 1');
    cache.forget('a ');
    const after = ask('a 1');
    assert.equal(asked.length, 3, 'who comes later does not join');
    asked[0]?.resolve({ accessToken: 'old', expiresAtMs: Number.MAX_SAFE_INTEGER });
    assert.equal(await before, 'old');
    const third = ask('a 1');
    assert.equal(asked.length, 3, 'the end of the old request ends no other');
    give('new', hour);
    assert.deepEqual([await after, await third, await ask('a 1')], ['new', 'new', 'new']);
    asked[1]?.resolve({ accessToken: 'b', expiresAtMs: Number.MAX_SAFE_INTEGER });
    assert.deepEqual([await other, await ask('b 1'), asked.length], ['b', 'b', 3]);
  });

  it('are as many as allowed: the one that was fetched first goes', async () => {
    const { asked, get, clock } = open(2);
    await get('a', 'a1', 120_000);
    await get('b', 'b1', hour);
    clock.pass(60_000);
    await get('a', 'a2', hour);
    assert.deepEqual([await get('a', 'new'), await get('b', 'new')], ['a2', 'b1']);
    await get('c', 'c1', hour);
    assert.deepEqual([await get('a', 'new'), await get('c', 'new')], ['a2', 'c1']);
    assert.equal(await get('b', 'b2', hour), 'b2');
    assert.equal(asked.length, 5);
  });

  it('ask nobody for a caller who has left already, and leave no listener on who stays', async () => {
    const { asked, ask, give } = open();
    await assert.rejects(ask('k', { signal: AbortSignal.abort(new Error('left')) }), /left/);
    assert.equal(asked.length, 0);
    const { signal } = new AbortController();
    const token = ask('k', { signal });
    give('first', hour);
    await token;
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('go on for others when who asked first leaves, and a failure that nobody waits for troubles nobody', async () => {
    const { asked, ask, give } = open();
    const first = new AbortController();
    const left = ask('k', { signal: first.signal });
    const stays = ask('k');
    first.abort(new Error('left'));
    await assert.rejects(left, /left/);
    give('first', hour);
    assert.equal(await stays, 'first');

    const alone = new AbortController();
    const nobody = ask('other', { signal: alone.signal });
    alone.abort(new Error('left'));
    await assert.rejects(nobody, /left/);
    asked.at(-1)?.reject(new Error('away'));
    await new Promise(setImmediate); // an unhandled rejection would end the run here
  });
});
