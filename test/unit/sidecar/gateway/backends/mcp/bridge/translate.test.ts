import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  legacyAnswer,
  modernRequest,
  paramHeaders,
} from '../../../../../../../sidecar/gateway/backends/mcp/bridge/translate.ts';
import { metaKeys } from '../../../../../../../sidecar/protocol/gateway/mcpWire.ts';

describe('a message that is translated between the eras', () => {
  it('introduces its client, even if the client wrote something else, and keeps the rest of `_meta`', () => {
    const client = {
      protocolVersion: '2025-06-18',
      capabilities: { roots: {} },
      clientInfo: { name: 'c', version: '1' },
    };
    const _meta = { progressToken: 7, [metaKeys.protocolVersion]: '1999-01-01', [metaKeys.clientInfo]: 'forged' };
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', _meta } } as const;
    assert.deepEqual(modernRequest(request, client, 'debug', { requestState: 's' }).params, {
      name: 't',
      requestState: 's',
      _meta: {
        progressToken: 7,
        [metaKeys.protocolVersion]: '2026-07-28',
        [metaKeys.clientCapabilities]: { roots: {} },
        [metaKeys.clientInfo]: { name: 'c', version: '1' },
        [metaKeys.logLevel]: 'debug',
      },
    });
  });

  it('loses only what the legacy era does not have', () => {
    const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [], _meta: { a: 1 } };
    assert.deepEqual(legacyAnswer({ jsonrpc: '2.0', id: 1, result }), {
      jsonrpc: '2.0',
      id: 1,
      result: { tools: [], _meta: { a: 1 } },
    });
  });

  it('repeats arguments in the headers that the schema of the tool names', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        count: { type: 'integer', 'x-mcp-header': 'Count' },
        where: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } },
        list: { type: 'array', 'x-mcp-header': 'List' },
        bad: { type: 'string', 'x-mcp-header': 'Bad Name\r\n' },
        plain: { type: 'string' },
      },
    };
    const rows: readonly [args: unknown, headers: object][] = [
      [{ region: 'eu', plain: 'x' }, { 'mcp-param-region': 'eu' }],
      [
        { count: 5, where: { city: 'Köln' } },
        { 'mcp-param-count': '5', 'mcp-param-city': '=?base64?S8O2bG4=?=' },
      ],
      [{ region: null, list: ['a'], bad: 'x', where: 'none' }, {}],
      ['no arguments', {}],
    ];
    for (const [args, headers] of rows) assert.deepEqual(paramHeaders({ name: 't', inputSchema }, args), headers);
    assert.deepEqual(paramHeaders(undefined, { region: 'eu' }), {});
  });
});
