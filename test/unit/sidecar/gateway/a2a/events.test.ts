import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { agent, json, message, methodOf, openOneAgent, rpc, type Said } from '../../../../support/a2a/oneAgent.ts';
import { verifies } from '../../../../support/verifies.ts';

const streamed = (body: string | Readable): Said => ({ headers: { 'content-type': 'text/event-stream' }, body });
const update = (text: string) =>
  `{"jsonrpc":"2.0","id":7,"result":{"kind":"artifact-update","taskId":"t","artifact":{"parts":[{"text":"${text}"}]}}}`;
const first = `data: ${update('1234')}\n\n`;
const ask = rpc('message/stream', { message });
const costly = [{ agent: { ...agent, gateway_params: { output_cost_per_token: 1 } }, url: 'https://agent.test' }];

describe('an event of an agent', () => {
  const large = update('x'.repeat(2_000));
  const rows: readonly [says: string, data: string, error: RegExp, code: string][] = [
    [
      'with a second id of the call',
      '{"jsonrpc":"2.0","id":7,"id":8,"result":{}}',
      /The stream from the A2A agent contained an event that is not a valid protocol response/,
      'garbage',
    ],
    [
      'with a second result',
      '{"jsonrpc":"2.0","id":7,"result":{},"result":{}}',
      /The stream from the A2A agent contained an event that is not a valid protocol response/,
      'garbage',
    ],
    [
      'with a result in capitals',
      '{"jsonrpc":"2.0","id":7,"result":{},"Result":{}}',
      /The stream from the A2A agent contained an event that is not a valid protocol response/,
      'garbage',
    ],
    [
      'with a second kind',
      '{"jsonrpc":"2.0","id":7,"result":{"kind":"task","kind":"message"}}',
      /The stream from the A2A agent contained an event that is not a valid protocol response/,
      'garbage',
    ],
    [
      'with a second id of its task',
      '{"jsonrpc":"2.0","id":7,"result":{"task":{"id":"one","id":"two"}}}',
      /The stream from the A2A agent contained an event that is not a valid protocol response/,
      'garbage',
    ],
    [
      'that is a result and an error',
      '{"jsonrpc":"2.0","id":7,"result":{"task":{"id":"one"}},"error":{"code":1,"message":"m"}}',
      /The stream from the A2A agent contained an event that is not a valid protocol response/,
      'garbage',
    ],
    [
      'that is no answer',
      '{"jsonrpc":"2.0","id":7,"method":"x"}',
      /The stream from the A2A agent contained an event that is not a valid protocol response/,
      'garbage',
    ],
    [
      'that is a list',
      `[${update('1')}]`,
      /The stream from the A2A agent contained an event that is not a valid protocol response/,
      'garbage',
    ],
    [
      'that is no JSON',
      '{no json}',
      /The stream from the A2A agent contained an event that is not a valid protocol response/,
      'garbage',
    ],
    ['that is larger than an answer may be', large, /larger than 1000 bytes/, 'too_large'],
  ];
  for (const [says, data, error, code] of rows) {
    it(`${says} ends the stream with an error to the caller, a failed record, and nothing of it`, async () => {
      verifies('gateway.messages.events');
      const pieces = [first, `data: ${data.slice(0, 20)}`, `${data.slice(20)}`, '\n\n', first];
      const body = Readable.from(pieces.map((it) => Buffer.from(it)));
      const { stream, records, admitted, logLines } = openOneAgent(streamed(body), {
        agents: costly,
        options: { maxResponseBytes: 1_000 },
      });
      const text = await stream(ask);
      assert.ok(text.startsWith(first), text);
      const last = /^data: (.*)\n\n$/.exec(text.slice(first.length))?.[1] ?? '';
      const answer = JSON.parse(last) as { readonly id: number; readonly error: { code: number; message: string } };
      assert.deepEqual([answer.id, answer.error.code], [7, -32603]);
      assert.match(answer.error.message, error);
      assert.deepEqual(
        [records.length, records[0]?.status, records[0]?.error_code, records[0]?.spend],
        [1, 'failure', code, 0],
      );
      assert.deepEqual([admitted, body.destroyed, logLines.length], [[{ cost: 0, spend: 0 }], true, 1]);
    });
  }

  it('of two megabytes gives its task to the caller', async () => {
    verifies('gateway.messages.events');
    const body = `data: ${update('x'.repeat(2_000_000))}\n\n`;
    const pieces = Array.from({ length: 21 }, (_, n) => Buffer.from(body.slice(n * 100_000, (n + 1) * 100_000)));
    const { stream, post } = openOneAgent((request) =>
      methodOf(request) === 'message/stream' ? streamed(Readable.from(pieces)) : { headers: json, body: update('') },
    );
    assert.equal(await stream(ask), body);
    assert.equal((await post(rpc('GetTask', { id: 't' }))).status, 200);
  });

  it('is written anew, the same in whatever pieces and with whatever ends of lines it came', async () => {
    const said = [
      '\ufeff: hello',
      '',
      'retry: 1',
      'id: 5',
      'event: message',
      'ignored: 1',
      'data: {"jsonrpc":"2.0",',
      'data:"id":7,"result":{"parts":[{"text":"ü€𝄞"}],"n":1.0}}',
      '',
      'data:',
      '',
      'event: error',
      'data: {"jsonrpc":"2.0","id":7,"error":{"code":-32004,"message":"no"}}',
      '',
      'data: {"jsonrpc":"2.0","id":7,"result"',
    ];
    const sent =
      'id: 5\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: "id":7,"result":{"parts":[{"text":"ü€𝄞"}],"n":1.0}}\n\n' +
      'event: error\ndata: {"jsonrpc":"2.0","id":7,"error":{"code":-32004,"message":"no"}}\n\n';
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('\n', '\r\n', '\r'), fc.integer({ min: 1, max: 40 }), async (end, size) => {
        const bytes = Buffer.from(said.join(end));
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
          bytes.subarray(n * size, (n + 1) * size),
        );
        const { stream, records } = openOneAgent(streamed(Readable.from(pieces)));
        assert.equal(await stream(ask), sent);
        assert.deepEqual([records[0]?.status, records[0]?.error], ['failure', 'JSON-RPC error -32004']);
      }),
      { numRuns: 40 },
    );
  });

  it('that breaks off leaves the caller an error, and nothing of the piece', async () => {
    async function* dying() {
      yield Buffer.from(first + first.slice(0, 40));
      await Promise.reject(new Error('secret at 10.0.0.7'));
    }
    const { stream, records } = openOneAgent(streamed(Readable.from(dying())), { agents: costly });
    const text = await stream(ask);
    assert.match(text.slice(first.length), /^data: .*-32603.*The stream from the A2A agent was interrupted\..*\n\n$/);
    assert.doesNotMatch(text, /secret/);
    assert.deepEqual(
      [records[0]?.status, records[0]?.error, records[0]?.error_code, records[0]?.spend],
      ['failure', 'the stream was interrupted', 'ended', 0],
    );
  });

  it('counts with those before it for what the call used', async () => {
    const { stream, records } = openOneAgent(streamed(first + first), { agents: costly });
    await stream(ask);
    assert.deepEqual([records[0]?.status, records[0]?.completion_tokens, records[0]?.spend], ['success', 2, 2]);
  });
});
