import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { openTrustedProxies } from '../../../../../sidecar/gateway/http/trustedProxies.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';

describe('trusted proxies', () => {
  const isTrusted = openTrustedProxies(['10.1.0.0/16', '192.0.2.7', 'fd00::/8', '2001:db8::1']);

  const cases: readonly [string, boolean][] = [
    ['10.1.255.3', true],
    ['10.2.0.1', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['fd12::9', true],
    ['fe80::1', false],
    ['2001:db8::1', true],
    ['2001:db8:0:0::1', true],
    ['2001:db8::2', false],
    ['proxy.example', false],
    ['', false],
  ];
  for (const [address, expected] of cases) {
    it(`${expected ? 'hold' : 'do not hold'} '${address}'`, () => {
      assert.equal(isTrusted(address), expected);
    });
  }

  it('are none where none is named', () => {
    assert.equal(openTrustedProxies([])('127.0.0.1'), false);
  });

  for (const entry of ['10.0.0.0/33', 'fd00::/129', '10.0.0/8', 'proxy.example', '10.0.0.0/8/8', '10.0.0.0/', '']) {
    it(`refuse '${entry}' with the name of the field`, () => {
      assert.throws(
        () => openTrustedProxies([entry]),
        (thrown) =>
          thrown instanceof Fault &&
          thrown.code === 'invalid_params' &&
          JSON.stringify(thrown.data) === '{"field":"trusted_proxies"}' &&
          thrown.message.includes(`'${entry}'`),
      );
    });
  }
});
