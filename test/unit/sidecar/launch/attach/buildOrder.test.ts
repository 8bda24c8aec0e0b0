import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { compareBuilds } from '../../../../../sidecar/launch/attach/buildOrder.ts';

describe('compareBuilds', () => {
  for (const [older, newer] of [
    ['0.9.0', '0.10.0'],
    ['1.2', '1.2.1'],
    ['1.0.0-rc.1', '1.0.0'],
    ['1.0.0-rc.2', '1.0.0-rc.10'],
    ['1.0.0-alpha', '1.0.0-beta'],
    ['1.0.0', '1.0.1-rc.1'],
  ] as const) {
    it(`${older} is older than ${newer}, whenever they were built`, () => {
      const [left, right] = [
        { version: older, builtAtMs: 9 },
        { version: newer, builtAtMs: 1 },
      ] as const;
      assert.ok(compareBuilds(left, right) < 0);
      assert.ok(compareBuilds(right, left) > 0);
    });
  }
  it('of one version the later build is newer, and a build equals itself', () => {
    const build = { version: '1.0.0', builtAtMs: 5 };
    assert.ok(compareBuilds(build, { ...build, builtAtMs: 6 }) < 0);
    assert.equal(compareBuilds(build, build), 0);
  });
});
