import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'mocha';
import { judgeBody } from '../../../../sidecar/transport/judge.ts';

describe('a message to be judged', () => {
  for (const { body, code, id = null, answer = true } of [
    { body: '', code: -32700 },
    { body: '{', code: -32700 },
    { body: Buffer.from([0x22, 0xff, 0x22]), code: -32700 },
    { body: '[]', code: -32600 },
    { body: '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', code: -32600 },
    { body: 'null', code: -32600 },
    { body: '42', code: -32600 },
    { body: '"text"', code: -32600 },
    { body: '{}', code: -32600 },
    { body: '{"jsonrpc":"1.0","id":7,"method":"ping"}', code: -32600, id: 7 },
    { body: '{"id":7,"method":"ping"}', code: -32600, id: 7 },
    { body: '{"jsonrpc":"2.0","id":7}', code: -32600, id: 7 },
    { body: '{"jsonrpc":"2.0","id":7,"method":1}', code: -32600, id: 7 },
    { body: '{"jsonrpc":"2.0","id":7,"method":null,"result":1}', code: -32600, id: 7 },
    { body: '{"jsonrpc":"2.0","id":null,"method":"ping"}', code: -32600 },
    { body: '{"jsonrpc":"2.0","id":true,"method":"ping"}', code: -32600 },
    { body: '{"jsonrpc":"2.0","id":{},"method":"ping"}', code: -32600 },
    { body: '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', code: -32600 },
    { body: '{"jsonrpc":"2.0","id":"a","method":"ping","params":3}', code: -32600, id: 'a' },
    { body: '{"jsonrpc":"2.0","id":"a","method":"ping","params":null}', code: -32600, id: 'a' },
    { body: '{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}', code: -32600, answer: false },
    { body: '{"jsonrpc":"1.0","id":1,"result":1}', code: -32600, answer: false },
    { body: '{"jsonrpc":"2.0","id":[],"result":1}', code: -32600, answer: false },
    { body: '{"jsonrpc":"2.0","id":1,"error":"no"}', code: -32600, answer: false },
    { body: '{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}', code: -32600, answer: false },
  ] satisfies { body: string | Buffer; code: number; id?: number | string | null; answer?: boolean }[]) {
    it(`${body.toString().slice(0, 70) || 'without a byte'} is refused with ${code}${answer ? '' : ', and not answered'}`, () => {
      const verdict = judgeBody(Buffer.from(body as string));
      assert.ok(!verdict.ok);
      const { message, ...rest } = verdict.refusal;
      assert.deepEqual(rest, { code, id, answer });
      assert.match(message, /^[a-z]/);
    });
  }

  for (const body of [
    '{"jsonrpc":"2.0","id":0,"method":"ping"}',
    '{"jsonrpc":"2.0","id":"","method":"","params":[]}',
    '{"jsonrpc":"2.0","method":"note","params":{"__proto__":{"a":1}}}',
    '{"jsonrpc":"2.0","id":1,"result":null}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
  ]) {
    it(`${body} is delivered as it stands`, () => {
      assert.deepEqual(judgeBody(Buffer.from(body)), { ok: true, message: JSON.parse(body) });
    });
  }
});
