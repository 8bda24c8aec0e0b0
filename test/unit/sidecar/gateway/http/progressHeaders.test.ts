import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Progress, type RateStanding } from '../../../../../sidecar/gateway/auth/progress.ts';
import { addProgressHeaders } from '../../../../../sidecar/gateway/http/progressHeaders.ts';

const rate = (kind: RateStanding['kind'], limit: number, remaining: number, resetsAtMs = 61_000): RateStanding => ({
  kind,
  limit,
  remaining,
  resetsAtMs,
});

describe('the headers about a call', () => {
  function headersOf(rates: readonly RateStanding[], own: Record<string, string> = {}, spent?: number) {
    const progress = new Progress(() => 0);
    progress.rates = () => rates;
    if (spent !== undefined) progress.keySpend = () => spent;
    const headers = new Headers(own);
    addProgressHeaders(headers, progress, 1_500);
    return (name: string) => headers.get(name);
  }
  const limits = (of: (name: string) => string | null, kind: string) =>
    ['limit', 'remaining', 'reset'].map((it) => of(`x-ratelimit-${it}-${kind}`));

  it('are of the limit of each kind that is nearest, the first where they are alike', () => {
    const of = headersOf([
      rate('requests', 10, 3),
      rate('requests', 5, 2),
      rate('requests', 9, 2),
      rate('tokens', 7, 7),
    ]);
    assert.deepEqual(limits(of, 'requests'), ['5', '2', '60']);
    assert.deepEqual(limits(of, 'tokens'), ['7', '7', '60']);
  });
  it('are never negative, and whole', () => {
    assert.deepEqual(limits(headersOf([rate('tokens', 5, -2.5, 1_000)]), 'tokens'), ['5', '0', '0']);
    assert.deepEqual(limits(headersOf([rate('tokens', 5, 2.9, 2_000)]), 'tokens'), ['5', '2', '1']);
  });
  it('are left as a backend set them, kind by kind', () => {
    const of = headersOf([rate('requests', 5, 2), rate('tokens', 7, 6)], { 'x-ratelimit-limit-requests': '99' });
    assert.deepEqual(limits(of, 'requests'), ['99', null, null]);
    assert.deepEqual(limits(of, 'tokens'), ['7', '6', '60']);
  });
  it('are none of limits and spending where nothing is known of them', () => {
    const of = headersOf([]);
    assert.deepEqual([...limits(of, 'requests'), of('x-gateway-key-spend')], [null, null, null, null]);
    assert.match(of('x-gateway-response-duration-ms') ?? '', /^\d+\.\d\d$/);
  });
  for (const [spent, shown] of [
    [0, '0'],
    [0.1 + 0.2, '0.3'],
    [1e-9, '0'],
  ] as const)
    it(`say that a key has spent ${shown} where it has spent ${spent}`, () => {
      assert.equal(headersOf([], {}, spent)('x-gateway-key-spend'), shown);
    });
});
