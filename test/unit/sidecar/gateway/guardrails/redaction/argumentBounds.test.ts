import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { redactArguments } from '../../../../../../sidecar/gateway/guardrails/redaction/redactArguments.ts';

const isRefused = (args: Record<string, unknown>, maxCharacters = 10_000) =>
  'refused' in redactArguments(args, [], maxCharacters);

describe('arguments that are looked at', () => {
  it('may be 64 levels deep and no deeper', () => {
    const nested = (levels: number) => {
      let value: Record<string, unknown> = {};
      for (let n = 0; n < levels; n += 1) value = { a: value };
      return value;
    };
    assert.deepEqual(
      [64, 65].map((it) => isRefused(nested(it))),
      [false, true],
    );
  });
  it('may have as many characters as are allowed and no more, each name and value counting for one besides', () => {
    assert.deepEqual(
      [5, 4].map((it) => isRefused({ a: 'x' }, it)),
      [false, true],
    );
    assert.deepEqual(
      [7, 6].map((it) => isRefused({ a: [1, null, true] }, it)),
      [false, true],
    );
  });
});
