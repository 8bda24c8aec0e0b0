import { Buffer } from 'node:buffer';
import { bodyRow, type Row, rawRow } from './row.ts';

const parse = -32700;
const invalid = -32600;
/** The framing is lost: said once, then the connection ends. */
const lost = (message: string) => ({ error: { id: null, code: parse, message }, closes: true }) as const;
const refused = (message: string, id: number | string | null = null) =>
  ({ error: { id, code: invalid, message } }) as const;
const length = 'Content-Length must be a whole number of bytes, 0 or more';
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Bytes that are no frame of the base protocol of the Language Server Protocol. */
export const framingRows: readonly Row[] = [
  rawRow('a raw line of JSON', `${ping}\n`, lost('a message must begin with a Content-Length header')),
  rawRow('a line of HTTP', 'GET / HTTP/1.1\r\n\r\n', lost('a header does not have the form "name: value"')),
  rawRow('bytes of TLS', Buffer.from([0x16, 3, 1, 2]), lost('a message must begin with a Content-Length header')),
  rawRow('no Content-Length', 'Content-Type: a\r\n\r\n{}', lost('the header Content-Length is missing')),
  rawRow('a word for a length', 'Content-Length: two\r\n\r\n{}', lost(length)),
  rawRow('a negative length', 'Content-Length: -1\r\n\r\n', lost(length)),
  rawRow('a length with a fraction', 'Content-Length: 2.5\r\n\r\n{}', lost(length)),
  rawRow('an empty length', 'Content-Length:\r\n\r\n{}', lost(length)),
  rawRow(
    'two lengths',
    'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}',
    lost('the header content-length appears more than once'),
  ),
  rawRow('lines that end with LF', `Content-Length: 2\n\n{}`, lost('a header line must end with CR LF')),
  rawRow(
    'another charset',
    'Content-Length: 2\r\nContent-Type: x; charset=latin1\r\n\r\n{}',
    lost('Content-Type must specify the charset utf-8'),
  ),
  rawRow(
    'a message above the limit',
    'Content-Length: 4294967296\r\n\r\n',
    lost('Content-Length exceeds the limit of 33554432 bytes'),
  ),
  rawRow('headers without an end', `X-A: ${'a'.repeat(5_000)}`, lost('the headers are longer than 4096 bytes')),
];

/** Frames whose body is no message of JSON-RPC 2.0. */
export const jsonRpcRows: readonly Row[] = [
  bodyRow('an empty body', '', { error: { id: null, code: parse, message: 'the body is not valid JSON' } }),
  bodyRow('half an object', '{"jsonrpc":"2.0"', {
    error: { id: null, code: parse, message: 'the body is not valid JSON' },
  }),
  rawRow(
    'a body that is no UTF-8',
    Buffer.concat([Buffer.from('Content-Length: 3\r\n\r\n'), Buffer.from([0x22, 0xff, 0x22])]),
    {
      error: { id: null, code: parse, message: 'the body is not valid UTF-8' },
    },
  ),
  bodyRow('a batch', `[${ping}]`, refused('batches are not supported')),
  bodyRow('null', 'null', refused('a message must be an object')),
  bodyRow('a number', '42', refused('a message must be an object')),
  bodyRow('an empty object', '{}', refused('jsonrpc must be "2.0"')),
  bodyRow('no version', '{"id":1,"method":"ping"}', refused('jsonrpc must be "2.0"', 1)),
  bodyRow('another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', refused('jsonrpc must be "2.0"', 1)),
  bodyRow('no method', '{"jsonrpc":"2.0","id":1}', refused('method must be a string', 1)),
  bodyRow('a number for a method', '{"jsonrpc":"2.0","id":1,"method":4}', refused('method must be a string', 1)),
  bodyRow('null for an id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', refused('id must be a number or a string')),
  bodyRow(
    'an object for an id',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    refused('id must be a number or a string'),
  ),
  bodyRow(
    'an id beyond numbers',
    '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
    refused('id must be a number or a string'),
  ),
  bodyRow(
    'text for params',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}',
    refused('params must be an object or an array', 1),
  ),
  bodyRow(
    'null for params',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
    refused('params must be an object or an array', 1),
  ),
  bodyRow('lists in lists', '['.repeat(100_000), refused('nested more than 128 levels deep')),
  bodyRow(
    'objects in objects',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
    refused('nested more than 128 levels deep'),
  ),
  bodyRow('an answer to nothing', '{"jsonrpc":"2.0","id":77,"result":1}', { silence: true }),
  bodyRow('an answer of both kinds', '{"jsonrpc":"2.0","id":77,"result":1,"error":{"code":1,"message":""}}', {
    silence: true,
  }),
  bodyRow('an answer without a version', '{"id":77,"result":1}', { silence: true }),
];
