import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { eventOf } from '../../../../../../sidecar/gateway/backends/mcp/streamEvent.ts';
import {
  namespacedEvent,
  namespacedEventId,
  namespacedId,
  placeOf,
  readNamespaced,
  readNamespacedId,
} from '../../../../../../sidecar/gateway/mcp/aggregation/aggregation.ts';
import { maskCredential } from '../../../../../../sidecar/gateway/mcp/transport/debugHeaders.ts';
import { formatEvent } from '../../../../../../sidecar/gateway/mcp/transport/responses.ts';
import { readRpc } from '../../../../../../sidecar/protocol/gateway/mcpWire.ts';

describe('ids on a stream of several servers', () => {
  it('name their server and replica, and are restored when they come back', () => {
    const id = fc.oneof(fc.string(), fc.maxSafeInteger());
    const replicas = fc.option(fc.uuid(), { nil: undefined });
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), replicas, id, fc.string(), (serverId, replica, own, eventId) => {
        const place = placeOf(serverId, replica);
        assert.deepEqual(readNamespacedId(namespacedId(place, own)), { serverId, replica, rest: own });
        assert.deepEqual(readNamespaced(namespacedEventId(place, eventId)), { serverId, replica, rest: eventId });
      }),
    );
  });

  it('that are none of ours mean nothing', () => {
    for (const odd of [undefined, 5, '', ':', 'a', 'a:', 'a:{', 'a:{}', '%:1', ':1']) {
      assert.equal(readNamespacedId(odd), undefined, String(odd));
    }
  });

  const text = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });
  const rows: readonly [string, string, string][] = [
    ['questions get an owned id', text({ id: 1, method: 'roots/list' }), text({ id: 'a:1', method: 'roots/list' })],
    [
      'so does the token under which their progress is told',
      text({ id: 1, method: 'a', params: { _meta: { progressToken: 't', x: 1 } } }),
      text({ id: 'a:1', method: 'a', params: { _meta: { progressToken: 'a:"t"', x: 1 } } }),
    ],
    [
      'taken back questions too',
      text({ method: 'notifications/cancelled', params: { requestId: 'q' } }),
      text({ method: 'notifications/cancelled', params: { requestId: 'a:"q"' } }),
    ],
    [
      'so do questions whose server escapes the name of a member',
      String.raw`{"jsonrpc":"2.0","id":1,"m\u0065thod":"roots/list"}`,
      text({ id: 'a:1', method: 'roots/list' }),
    ],
    [
      'so do those that it takes back',
      String.raw`{"jsonrpc":"2.0","m\u0065thod":"notifications/cancelled","params":{"requestId":1}}`,
      text({ method: 'notifications/cancelled', params: { requestId: 'a:1' } }),
    ],
    [
      'answers pass as they are',
      '{"jsonrpc": "2.0", "id": 1, "result": {}}',
      '{"jsonrpc": "2.0", "id": 1, "result": {}}',
    ],
    [
      'progress passes as it is',
      text({ method: 'notifications/progress', params: {} }),
      text({ method: 'notifications/progress', params: {} }),
    ],
  ];
  for (const [what, data, expected] of rows) {
    it(what, () => {
      const message = readRpc(JSON.parse(data));
      assert.ok(message);
      const { data: sent, id, message: left } = namespacedEvent('a', { ...eventOf(message, data), id: 'e' });
      assert.deepEqual([sent.toString(), id, left?.message], [expected, 'a:e', JSON.parse(expected)]);
    });
  }
});

describe('an event on the wire', () => {
  it('has its id, its time to wait and every line of its data', () => {
    assert.equal(formatEvent({ id: '1', retryMs: 5, data: 'a\nb' }), 'id: 1\nretry: 5\ndata: a\ndata: b\n\n');
    assert.equal(formatEvent({ event: 'endpoint', data: '/sse' }), 'event: endpoint\ndata: /sse\n\n');
  });
});

describe('a shown credential', () => {
  const rows: readonly [string | null, string][] = [
    [null, '(none)'],
    ['', '(none)'],
    ['Bearer sk-0123456789abcdef', 'Bearer ***cdef'],
    ['Bearer short', 'Bearer ***'],
    ['sk-0123456789abcdef', '***cdef'],
    ['Basic dXNlcjpwYXNzd29yZDE=', 'Basic ***ZDE='],
  ];
  for (const [value, shown] of rows) it(`${value} is ${shown}`, () => assert.equal(maskCredential(value), shown));
});
