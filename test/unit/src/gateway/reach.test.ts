import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { whyUnreachable } from '../../../../src/gateway/reach.ts';
import { english } from '../../../support/extensionStates.ts';

const failed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });

describe('why an address did not answer', () => {
  for (const [thrown, words] of [
    [failed('ECONNREFUSED'), /nothing is listening there. Start the program, or correct the address/],
    [failed('ENOTFOUND'), /hostname was not found/],
    [failed('EHOSTUNREACH'), /Check the network or VPN/],
    [new DOMException('x', 'TimeoutError'), /did not respond in time/],
    [failed('CERT_HAS_EXPIRED'), /^CERT_HAS_EXPIRED$/],
    [new TypeError('fetch failed', { cause: new Error('bad port') }), /^bad port$/],
    ['no error at all', /^no error at all$/],
  ] as const)
    it(`is said of ${thrown instanceof Error ? String((thrown.cause as Error | undefined)?.message ?? thrown.name) : thrown}: ${words.source}`, () =>
      assert.match(whyUnreachable(english, thrown), words));
});
