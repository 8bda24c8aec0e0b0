import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ownMethods, readClientMessage, relayedMethods } from '../../../../../sidecar/gateway/wire/mcpMessage.ts';
import { readStrict } from '../../../../../sidecar/gateway/wire/strictJson.ts';
import { withMethods } from '../../../../../sidecar/protocol/gateway/mcpMethods.ts';

function read(text: string, methods = ownMethods) {
  const strict = readStrict(text, { maxDepth: 64 });
  assert.ok(!('refused' in strict));
  return readClientMessage(strict, methods);
}
const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",${params}}}`;

describe('a message of an MCP client', () => {
  const taken: readonly [says: string, text: string, sent: string][] = [
    ['a request', call('"arguments":{"Name":1}'), call('"arguments":{"Name":1}')],
    ['members of params that extensions add', call('"acme":{"Task":1}'), call('"acme":{"Task":1}')],
    ['_meta with names of any form', call('"_meta":{"Name":1,"name":2}'), call('"_meta":{"Name":1,"name":2}')],
    ['numbers as they are spelled', call('"arguments":{"a":1.0}'), call('"arguments":{"a":1.0}')],
    [
      'no member of the envelope that JSON-RPC does not know',
      '{"jsonrpc":"2.0","id":1,"method":"ping","trace":{"a":1}}',
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    ],
    ['an id by its value', '{"jsonrpc":"2.0","id":1.0,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    [
      'a token of progress by its value',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7.0,"progress":0.50}}',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0.50}}',
    ],
    [
      'an answer without what else was in it',
      '{"jsonrpc":"2.0","id":1,"result":{"a":1e2},"x":1}',
      '{"jsonrpc":"2.0","id":1,"result":{"a":1e2}}',
    ],
    [
      'an error without what else was in it',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-1.0,"message":"m","data":[1.0],"x":1}}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[1.0]}}',
    ],
  ];
  for (const [says, text, sent] of taken) {
    it(`is written anew: ${says}`, () => {
      const message = read(text);
      assert.ok(message.kind !== 'refused', JSON.stringify(message));
      assert.equal(JSON.stringify(message.message), sent);
    });
  }

  const envelope = (member: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"},${member}}`;
  const refused: readonly [says: string, text: string, code: number, path: string][] = [
    ['a capital in the envelope', envelope('"Method":"x"'), -32600, "'Method'"],
    ['a long s in the envelope', envelope('"param\\u017f":{}'), -32600, "'param\\u017f'"],
    ['a NUL in the envelope', envelope('"method\\u0000":"x"'), -32600, "'method\\u0000'"],
    ['a twin of a member that a request has not', envelope('"Result":{}'), -32600, "'Result'"],
    ['a request that is an answer as well', envelope('"result":{}'), -32600, 'not a JSON-RPC message'],
    ['an answer of both kinds', '{"jsonrpc":"2.0","id":1,"result":{},"error":null}', -32600, 'not a JSON-RPC'],
    ['an id beyond whole numbers', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600, 'not a JSON-RPC'],
    ['a capital in params', call('"Name":"x"'), -32602, "'params.Name'"],
    ['a Kelvin sign in params', call('"tas\\u212a":{}'), -32602, "'params.tas\\u212a'"],
    ['arguments in capitals', call('"ARGUMENTS":{}'), -32602, "'params.ARGUMENTS'"],
    ['a twin of _meta', call('"meta":{}'), -32602, "'params.meta'"],
    [
      'a twin in what a completion refers to',
      '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","Name":"x"}}}',
      -32602,
      "'params.ref.Name'",
    ],
    [
      'a twin in an error',
      '{"jsonrpc":"2.0","id":1,"error":{"code":1,"Code":2,"message":"m"}}',
      -32600,
      "'error.Code'",
    ],
  ];
  for (const [says, text, code, words] of refused) {
    it(`is refused with the name of the member: ${says}`, () => {
      const message = read(text);
      assert.ok(message.kind === 'refused');
      assert.equal(message.code, code);
      assert.ok(message.words.includes(words), message.words);
    });
  }

  it('of a method that was added is judged by the members that were named', () => {
    const methods = relayedMethods(
      withMethods({ 'acme/search': { params: ['query'] }, 'notifications/acme/x': { params: [] } }),
    );
    const search = (member: string) => `{"jsonrpc":"2.0","id":1,"method":"acme/search","params":{"${member}":1}}`;
    assert.equal(read(search('query'), methods).kind, 'request');
    assert.equal(read(search('Query'), methods).kind, 'refused');
    assert.equal(methods.get('acme/search')?.judged, 'relayed');
    assert.equal(methods.get('notifications/acme/x')?.judged, 'notification');
    assert.equal(ownMethods.get('acme/search'), undefined);
  });
});
