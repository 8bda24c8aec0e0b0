import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { isRouteAllowed } from '../../../../../sidecar/gateway/auth/allowedRoutes.ts';
import { checkChosenKey, hashKey, keyName, newKey } from '../../../../../sidecar/gateway/auth/keys.ts';

describe('virtual keys', () => {
  it('are new each time, of 256 bits, and good by the rule for chosen ones', () => {
    const [one, other] = [newKey(randomBytes), newKey(randomBytes)];
    assert.notEqual(one, other);
    assert.match(one, /^sk-[A-Za-z0-9_-]{43}$/);
    checkChosenKey(one);
  });
  it('are kept as their SHA-256, and shown as their last four characters', () => {
    assert.equal(hashKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.equal(keyName('sk-0123456789abcdef'), 'sk-...cdef');
  });
  for (const key of ['short', 'sk-short', 'pk-0123456789abcdef', 'sk-0123456789 abcdef', 'sk-0123456789abcdé']) {
    it(`are not chosen as ${JSON.stringify(key)}`, () =>
      assert.throws(() => checkChosenKey(key), { code: 'invalid_params', data: { field: 'key' } }));
  }
});

describe('the routes of a key', () => {
  const rows: readonly [allowed: readonly string[] | null, path: string, expected: boolean][] = [
    [null, '/mcp', true],
    [[], '/mcp', true],
    [['/mcp'], '/mcp', true],
    [['/mcp'], '/mcp/a', false],
    [['/a2a/{agent_id}'], '/a2a/x', true],
    [['/a2a/*'], '/a2a/x', true],
    [['/a2a/*'], '/a2', false],
    [['agent_routes'], '/a2a/x', true],
    [['mcp_routes'], '/a2a/x', false],
  ];
  for (const [allowed, path, expected] of rows) {
    const [template, groups] = path.startsWith('/a2a') ? ['/a2a/{agent_id}', ['agent_routes']] : [path, ['mcp_routes']];
    it(`${JSON.stringify(allowed)} ${expected ? 'allow' : 'forbid'} ${path}`, () =>
      assert.equal(isRouteAllowed(allowed, path, template, groups), expected));
  }
});
