import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { openAddressGuard } from '../../../../../sidecar/gateway/http/addressGuard.ts';

describe('the names that a gateway answers to', () => {
  const guard = openAddressGuard({ hosts: ['127.0.0.1:4000', 'Gateway.Example'], origins: ['https://Pages.example'] });
  for (const [host, origin, wrong] of [
    [['127.0.0.1:4000'], [], undefined],
    [['GATEWAY.example'], [], undefined],
    [['127.0.0.1'], [], 'Host'],
    [['127.0.0.1:4001'], [], 'Host'],
    [[], [], 'Host'],
    [['127.0.0.1:4000', '127.0.0.1:4000'], [], 'Host'],
    [['evil.example'], ['http://127.0.0.1:4000'], 'Host'],
    [['gateway.example'], ['http://127.0.0.1:4000'], undefined],
    [['gateway.example'], ['https://gateway.example'], undefined],
    [['gateway.example'], ['https://PAGES.example'], undefined],
    [['gateway.example'], ['http://pages.example'], 'Origin'],
    [['gateway.example'], ['null'], 'Origin'],
    [['gateway.example'], [''], 'Origin'],
    [['gateway.example'], ['https://gateway.example', 'https://gateway.example'], 'Origin'],
  ] as const)
    it(`${wrong === undefined ? 'are' : 'are not'} '${host.join(', ')}' for a page of '${origin.join(', ')}'`, () => {
      assert.equal(guard.check({ host, origin }), wrong);
    });
});
