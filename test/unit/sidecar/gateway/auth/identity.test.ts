import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { HeaderList, type Surface } from '../../../../../sidecar/gateway/auth/headerList.ts';
import { type IdentifyingBody, type Identity, readIdentity } from '../../../../../sidecar/gateway/auth/identity.ts';
import type { Fault } from '../../../../../sidecar/platform/faults.ts';

type Sent = readonly (readonly [name: string, value: string])[];
const listOf = (sent: Sent) => new HeaderList(sent.flat());

describe('what a caller says beside its key (spec, Caller to gateway)', () => {
  const rows: readonly [says: string, Surface, Sent, IdentifyingBody, Partial<Identity>][] = [
    ['nothing', 'rest', [], {}, {}],
    ['end user', 'mcp', [['x-gateway-end-user-id', 'u1']], {}, { endUserId: 'u1' }],
    ['end user by the alias', 'rest', [['x-gateway-customer-id', 'c1']], {}, { endUserId: 'c1' }],
    [
      'end user and alias that say the same',
      'rest',
      [
        ['x-gateway-end-user-id', 'u1'],
        ['x-gateway-customer-id', ' u1 '],
      ],
      {},
      { endUserId: 'u1' },
    ],
    [
      'an end user, and a name that is empty',
      'mcp',
      [
        ['x-gateway-customer-id', ''],
        ['x-gateway-end-user-id', 'u1'],
      ],
      {},
      { endUserId: 'u1' },
    ],
    ['end user in the body', 'rest', [], { user: 'u1', safety_identifier: 'u4' }, { endUserId: 'u1' }],
    [
      'in the gateway’s metadata',
      'rest',
      [],
      { gateway_metadata: { user: 'u2' }, metadata: { user_id: 'u3' } },
      { endUserId: 'u2' },
    ],
    ['in the metadata', 'rest', [], { metadata: { user_id: 'u3' }, safety_identifier: 'u4' }, { endUserId: 'u3' }],
    ['as safety identifier', 'rest', [], { safety_identifier: 'u4' }, { endUserId: 'u4' }],
    ['an end user that is no text', 'rest', [], { user: 7, metadata: ['user_id'] }, {}],
    ['the agent that calls', 'mcp', [['x-gateway-agent-id', 'a1']], {}, { agentId: 'a1' }],
    ['trace', 'mcp', [['x-gateway-trace-id', 't1']], {}, { traceId: 't1' }],
    [
      'session, which is the trace too',
      'mcp',
      [['x-gateway-session-id', 's1']],
      {},
      { traceId: 's1', sessionId: 's1' },
    ],
    [
      'trace before session',
      'rest',
      [
        ['x-gateway-session-id', 's1'],
        ['x-gateway-trace-id', 't1'],
      ],
      {},
      { traceId: 't1', sessionId: 's1' },
    ],
    ['a vendor’s session', 'rest', [['X-Claude-Code-Session-Id', 'abcd_1234']], {}, { traceId: 'abcd_1234' }],
    ['a vendor’s session that is no id', 'rest', [['x-claude-session-id', 'yes']], {}, {}],
    ['the session of MCP, which never counts', 'mcp', [['mcp-session-id', 'abcdefgh1234']], {}, {}],
    ['tags', 'rest', [['x-gateway-tags', ' a, ,b ,']], {}, { tags: ['a', 'b'] }],
    ['tags, which the MCP routes do not parse', 'mcp', [['x-gateway-tags', 'a']], {}, {}],
    ['tags of the body instead', 'rest', [['x-gateway-tags', 'a']], { tags: ['c', ' d ', ''] }, { tags: ['c', 'd'] }],
    ['no tags in the body instead', 'rest', [['x-gateway-tags', 'a']], { tags: [] }, { tags: [] }],
    ['debug', 'mcp', [['x-gateway-mcp-debug', 'true']], {}, { debug: true }],
    ['debug, said otherwise', 'mcp', [['x-gateway-mcp-debug', 'Yes']], {}, { debug: true }],
    ['no debug', 'mcp', [['x-gateway-mcp-debug', 'no']], {}, {}],
    ['debug, which the other routes do not parse', 'rest', [['x-gateway-mcp-debug', 'true']], {}, {}],
    ['servers', 'mcp', [['x-mcp-servers', 'a, b']], {}, { mcpServers: ['a', 'b'] }],
    ['access groups', 'mcp', [['x-mcp-access-groups', 'a, b']], {}, { mcpAccessGroups: ['a', 'b'] }],
    ['servers, none of them', 'mcp', [['x-mcp-servers', ' ']], {}, { mcpServers: [] }],
    ['servers, which the other routes do not parse', 'rest', [['x-mcp-servers', 'a']], {}, {}],
  ];
  for (const [says, surface, headers, body, expected] of rows) {
    it(`${surface}: ${says}`, () =>
      assert.deepEqual(readIdentity(listOf(headers), surface, body), { tags: [], debug: false, ...expected }));
  }

  const doubtful: readonly [says: string, Sent, field: string, names: readonly string[]][] = [
    [
      'two end users by two names',
      [
        ['x-gateway-end-user-id', 'u1'],
        ['x-gateway-customer-id', 'u2'],
      ],
      'x-gateway-customer-id',
      ['x-gateway-end-user-id', 'x-gateway-customer-id'],
    ],
    [
      'an end user beside that of the deployment’s header',
      [
        ['x-my-user', 'u1'],
        ['X-Gateway-End-User-Id', 'u2'],
      ],
      'x-my-user',
      ['x-gateway-end-user-id', 'x-my-user'],
    ],
    [
      'two end users by one name',
      [
        ['x-gateway-end-user-id', 'u1'],
        ['x-gateway-end-user-id', 'u2'],
      ],
      'x-gateway-end-user-id',
      [],
    ],
    [
      'one end user twice by one name',
      [
        ['x-gateway-customer-id', 'u1'],
        ['X-Gateway-Customer-Id', 'u1'],
      ],
      'x-gateway-customer-id',
      [],
    ],
    ['two end users joined by a proxy', [['x-gateway-end-user-id', 'u1, u2']], 'x-gateway-end-user-id', []],
    [
      'two calling agents',
      [
        ['x-gateway-agent-id', 'a1'],
        ['x-gateway-agent-id', 'a2'],
      ],
      'x-gateway-agent-id',
      [],
    ],
    ['two calling agents joined by a proxy', [['x-gateway-agent-id', 'a1,a2']], 'x-gateway-agent-id', []],
  ];
  for (const [says, headers, field, names] of doubtful) {
    for (const surface of ['mcp', 'rest'] as const) {
      it(`${surface}: refuses ${says}`, () => {
        const options = { endUserHeader: 'x-my-user' };
        assert.throws(
          () => readIdentity(listOf(headers), surface, {}, options),
          (thrown: Fault) =>
            thrown.code === 'invalid_params' &&
            (thrown.data as { field: string }).field === field &&
            names.every((it) => thrown.message.includes(it)),
        );
      });
    }
  }

  it('finds the end user in the header of the deployment, before the body', () => {
    const options = { endUserHeader: 'x-my-user' };
    assert.equal(readIdentity(listOf([['X-My-User', 'u9']]), 'rest', { user: 'u1' }, options).endUserId, 'u9');
  });
});
