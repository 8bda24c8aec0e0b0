import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { CallTrace, readTraceParent } from '../../../../../sidecar/gateway/auth/callTrace.ts';
import { HeaderList } from '../../../../../sidecar/gateway/auth/headerList.ts';
import { verifies } from '../../../../support/verifies.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

describe('the trace of a call', () => {
  const read = (...headers: readonly (readonly [string, string])[]) =>
    readTraceParent(new HeaderList(headers.flat()), (it) => it.includes('sk-secret'));
  const good = ['traceparent', `00-${traceId}-${spanId}-01`] as const;

  for (const [what, value] of [
    ['version ff', `ff-${traceId}-${spanId}-01`],
    ['a later version', `01-${traceId}-${spanId}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['upper-case digits', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['a member too many', `00-${traceId}-${spanId}-01-x`],
    ['flags of one digit', `00-${traceId}-${spanId}-1`],
    ['no text', ''],
  ])
    it(`does not go on with ${what}`, () => {
      verifies('gateway.traces.strict');
      assert.equal(read(['traceparent', String(value)]), undefined);
    });

  it('does not go on with two parents', () => {
    verifies('gateway.traces.strict');
    assert.equal(read(good, good), undefined);
  });

  it('takes over the flag and the state of its parent', () => {
    verifies('gateway.traces.strict');
    assert.deepEqual(read(good, ['tracestate', 'a=1'], ['tracestate', ' b@c=x y ']), {
      traceId,
      spanId,
      isSampled: true,
      state: 'a=1,b@c=x y',
    });
    assert.equal(read(['traceparent', `00-${traceId}-${spanId}-02`])?.isSampled, false);
  });

  for (const [what, state] of [
    ['the key of its caller', 'a=sk-secret'],
    ['no value', 'a='],
    ['an upper-case key', 'A=1'],
    ['33 members', Array.from({ length: 33 }, (_, at) => `k${at}=1`).join()],
    ['more than 512 characters', `a=${'x'.repeat(250)},b=${'x'.repeat(250)},c=${'x'.repeat(20)}`],
    ['a control character', 'a=\t'],
  ])
    it(`leaves out a state with ${what}`, () => {
      verifies('gateway.traces.strict');
      assert.equal(read(good, ['tracestate', String(state)])?.state, undefined);
    });

  it('is recorded as often as the ratio says, and always where its parent is', () => {
    verifies('gateway.traces.sampled');
    let seed = 1;
    const random = (bytes: number) =>
      Uint8Array.from({ length: bytes }, () => (seed = (seed * 16_807) % 2_147_483_647) & 0xff);
    const sampled = (sampleRatio: number) =>
      Array.from(
        { length: 1_000 },
        () => new CallTrace({ random, sampleRatio, monotonicMs: () => 0 }, undefined),
      ).filter((it) => it.isSampled).length;
    assert.deepEqual([sampled(0), sampled(1)], [0, 1_000]);
    const some = sampled(0.25);
    assert.ok(some > 200 && some < 300, `${some}`);
    assert.equal(new CallTrace({ random, sampleRatio: 0, monotonicMs: () => 0 }, read(good)).isSampled, true);
  });
});
