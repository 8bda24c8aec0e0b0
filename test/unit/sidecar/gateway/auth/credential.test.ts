import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Credential, readCredential } from '../../../../../sidecar/gateway/auth/credential.ts';
import { HeaderList, type Surface } from '../../../../../sidecar/gateway/auth/headerList.ts';

type Sent = readonly (readonly [name: string, value: string])[];
const listOf = (sent: Sent) => new HeaderList(sent.flat());

describe('the key of a caller', () => {
  const rows: readonly [says: string, Surface, Sent, Credential | undefined][] = [
    ['no header', 'rest', [], undefined],
    ['an empty header', 'rest', [['x-api-key', '  ']], undefined],
    ['the preferred header', 'mcp', [['X-Gateway-Api-Key', 'Bearer K']], { key: 'K', header: 'x-gateway-api-key' }],
    ['the preferred header, bare', 'rest', [['x-gateway-api-key', 'K']], { key: 'K', header: 'x-gateway-api-key' }],
    ['Authorization', 'mcp', [['Authorization', 'Bearer K']], { key: 'K', header: 'authorization' }],
    [
      'Authorization in small letters',
      'rest',
      [['authorization', 'bearer  K ']],
      { key: 'K', header: 'authorization' },
    ],
    ['Authorization, bare', 'rest', [['authorization', 'K']], { key: 'K', header: 'authorization' }],
    [
      'the preferred header before Authorization, whose bearer is the caller’s own',
      'mcp',
      [
        ['authorization', 'Bearer mine'],
        ['x-gateway-api-key', 'Bearer K'],
      ],
      { key: 'K', header: 'x-gateway-api-key', bearer: 'mine' },
    ],
    [
      'the preferred header before all, whatever it holds',
      'rest',
      [
        ['x-api-key', 'right'],
        ['x-gateway-api-key', 'wrong'],
      ],
      { key: 'wrong', header: 'x-gateway-api-key' },
    ],
    ['API-Key', 'rest', [['API-Key', 'K']], { key: 'K', header: 'api-key' }],
    ['x-api-key', 'rest', [['x-api-key', 'K']], { key: 'K', header: 'x-api-key' }],
    ['a vendor’s', 'rest', [['x-goog-api-key', 'K']], { key: 'K', header: 'x-goog-api-key' }],
    [
      'a subscription key',
      'rest',
      [['Ocp-Apim-Subscription-Key', 'K']],
      { key: 'K', header: 'ocp-apim-subscription-key' },
    ],
    ['API-Key, which the MCP routes do not parse', 'mcp', [['API-Key', 'K']], undefined],
    ['x-api-key, which the MCP routes do not parse', 'mcp', [['x-api-key', 'K']], undefined],
    ['a vendor’s, which the MCP routes do not parse', 'mcp', [['x-goog-api-key', 'K']], undefined],
    ['a subscription key, which the MCP routes do not parse', 'mcp', [['ocp-apim-subscription-key', 'K']], undefined],
  ];
  for (const [says, surface, headers, expected] of rows) {
    it(`${surface}: ${says}`, () => assert.deepEqual(readCredential(listOf(headers), surface), expected));
  }

  it('may stand in the header that a pass-through endpoint names', () => {
    const options = { subscriptionKeyHeaders: [], passThroughHeader: 'x-mine' };
    assert.deepEqual(readCredential(listOf([['X-Mine', 'K']]), 'rest', options), { key: 'K', header: 'x-mine' });
  });

  const refusals: readonly [says: string, Surface, Sent, field: string][] = [
    ['bare in the preferred header of an MCP route', 'mcp', [['x-gateway-api-key', 'K']], 'x-gateway-api-key'],
    ['nothing after Bearer', 'rest', [['authorization', 'Bearer']], 'authorization'],
    [
      'Authorization twice',
      'mcp',
      [
        ['authorization', 'Bearer K'],
        ['Authorization', 'Bearer K'],
      ],
      'authorization',
    ],
    [
      'any credential header twice, also one that would not have counted',
      'rest',
      [
        ['x-gateway-api-key', 'K'],
        ['x-api-key', 'a'],
        ['x-api-key', 'b'],
      ],
      'x-api-key',
    ],
    ['a value longer than a header may be', 'rest', [['x-api-key', 'k'.repeat(8_193)]], 'x-api-key'],
  ];
  for (const [says, surface, headers, field] of refusals) {
    it(`${surface}: refuses ${says}, by name and without the value`, () =>
      assert.throws(
        () => readCredential(listOf(headers), surface),
        (it: { code: string; data: unknown; message: string }) => {
          assert.deepEqual([it.code, it.data], ['invalid_params', { field }]);
          return it.message.length < 120 && !/ K\b/.test(it.message);
        },
      ));
  }
});
