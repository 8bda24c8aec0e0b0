import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { checkHealth, healthLimitMs, lateWords } from '../../../../../../sidecar/gateway/backends/net/health.ts';
import type { BackendTarget, Pool } from '../../../../../../sidecar/gateway/backends/net/pool.ts';
import { smallFetch, smallFetchLimits } from '../../../../../../sidecar/gateway/backends/net/smallFetch.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';

const target = { id: 'b', name: 'B', allowPrivate: true } as BackendTarget;
const url = 'http://backend.test/';

/** What asks a backend in the gateway's own name. */
describe('a question of the gateway itself', () => {
  /** What each limit was, and what makes it pass. */
  let limits: { readonly ms: number; readonly pass: () => void }[];
  let letGo: number;
  let answer: { readonly status: number; readonly texts?: readonly string[] } | Error | undefined;
  beforeEach(() => {
    [limits, letGo, answer] = [[], 0, undefined];
  });
  const timers = {
    deadline(ms: number) {
      const limit = new AbortController();
      limits.push({ ms, pass: () => limit.abort(new Error('late')) });
      return limit.signal;
    },
  };
  const pool = {
    async request(_target: unknown, _request: unknown, signal: AbortSignal) {
      if (answer instanceof Error) throw answer;
      if (!answer)
        return new Promise((_resolve, reject) => {
          if (signal.aborted) reject(signal.reason as Error);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      const { status, texts = [] } = answer;
      async function* body() {
        for (const it of texts) yield Buffer.from(it);
      }
      return { status, headers: {}, body: Object.assign(body(), { destroy: () => void (letGo += 1) }) };
    },
  } as unknown as Pool;
  const still = new AbortController().signal;
  const health = (signal = still) => checkHealth(pool, target, url, signal, timers);
  const fetch = (signal?: AbortSignal) => smallFetch(pool, target, timers)({ method: 'GET', url }, signal);

  for (const [status, is] of [
    [200, 'healthy'],
    [299, 'healthy'],
    [300, 'unhealthy'],
    [399, 'unhealthy'],
    [400, 'healthy'],
    [499, 'healthy'],
    [500, 'unhealthy'],
  ] as const)
    it(`about health finds it ${is} with status ${status}, and lets the answer go unread`, async () => {
      answer = { status, texts: ['x'] };
      assert.equal((await health()).status, is);
      assert.equal(letGo, 1);
    });

  it('about health says after 5 s that it is late, and throws where whoever asked left', async () => {
    const late = health();
    assert.equal(limits[0]?.ms, healthLimitMs);
    limits[0]?.pass();
    assert.deepEqual(await late, { status: 'unhealthy', error: lateWords });
    const left = new AbortController();
    const leaving = assert.rejects(health(left.signal), /left/);
    left.abort(new Error('left'));
    await leaving;
  });

  it('about health says why it was refused, and only by a code why it cannot be reached', async () => {
    answer = new Fault('forbidden', 'Not there.');
    assert.deepEqual(await health(), { status: 'unhealthy', error: 'Not there.' });
    answer = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:80'), { code: 'ECONNREFUSED' });
    const { error } = await health();
    assert.match(error ?? '', /refused.*\(ECONNREFUSED\)$/);
    assert.doesNotMatch(error ?? '', /10\.1/);
  });

  it('to a helper of a backend ends after 10 s, also where its asker could wait longer', async () => {
    for (const signal of [undefined, still]) {
      const asked = fetch(signal);
      const refused = assert.rejects(asked, { code: 'unavailable' });
      const limit = limits.pop();
      assert.equal(limit?.ms, smallFetchLimits.timeoutMs);
      limit?.pass();
      await refused;
    }
    const left = new AbortController();
    const leaving = assert.rejects(fetch(left.signal), /left/);
    left.abort(new Error('left'));
    await leaving;
  });

  it('to a helper of a backend has the text of its answer, and names no address where that fails', async () => {
    answer = { status: 401, texts: ['a', 'b'] };
    assert.deepEqual(await fetch(), { status: 401, headers: {}, text: 'ab' });
    answer = { status: 200, texts: ['x'.repeat(smallFetchLimits.maxBytes), 'x'] };
    await assert.rejects(fetch(), (thrown: Error) => thrown instanceof Fault);
    answer = new Error('getaddrinfo ENOTFOUND secret.internal');
    await assert.rejects(fetch(), (thrown: Error) => thrown instanceof Fault && !/secret/.test(thrown.message));
  });
});
