import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isLoopback } from '../../../../sidecar/platform/loopback.ts';

describe('a host', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])
    it(`is on this machine if it is ${host}`, () => assert.equal(isLoopback(host), true));
  for (const host of ['', '0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.test', 'localhost.evil.test', '127.1', '[::2]'])
    it(`is not on this machine if it is '${host}'`, () => assert.equal(isLoopback(host), false));
});
