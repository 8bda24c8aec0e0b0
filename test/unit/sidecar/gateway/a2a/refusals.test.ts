import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { answerOf } from '../../../../support/a2a/frontUnderTest.ts';
import {
  agent,
  checkError,
  type Expected,
  fine,
  gatewayError,
  message,
  openOneAgent,
  rpc,
  rpcError,
  send,
} from '../../../../support/a2a/oneAgent.ts';

describe('a request that is refused', () => {
  const rows: readonly [says: string, body: string, status: number, expected: Expected][] = [
    ['that is no JSON', '{', 200, rpcError(-32700, 'Parse', null)],
    ['that is empty', '', 200, rpcError(-32700, 'Parse', null)],
    ['of an older JSON-RPC', '{"jsonrpc":"1.0","id":7,"method":"x"}', 200, rpcError(-32600, 'Invalid request')],
    ['without a method', '{"jsonrpc":"2.0","id":7}', 200, rpcError(-32600, 'Invalid request')],
    ['that is null', 'null', 200, rpcError(-32600, 'Invalid request', null)],
    ['of several at once', `[${send}]`, 200, rpcError(-32600, 'Invalid request', null)],
    ['whose id is an object', '{"jsonrpc":"2.0","id":{},"method":"tasks/get"}', 200, rpcError(-32600, 'Invalid', null)],
    [
      'with a member twice',
      send.replace('{', '{"method":"tasks/get",'),
      200,
      rpcError(-32600, "the member 'method' appears more than once", null),
    ],
    ['with a method in capitals', send.replace('{', '{"Method":"tasks/get",'), 200, rpcError(-32600, "'Method'")],
    ['that is an answer as well', send.replace('{', '{"result":1,'), 200, rpcError(-32600, 'not a JSON-RPC request')],
    [
      'with a second message in capitals',
      rpc('message/send', { message, Message: message }),
      200,
      rpcError(-32602, "'params.Message' as 'message'"),
    ],
    [
      'with a twin in its message',
      rpc('message/send', { message: { ...message, context_id: 'c' } }),
      200,
      rpcError(-32602, "'params.message.context_id' as 'contextId'"),
    ],
    [
      'of 1.0 with a member in both spellings',
      rpc('SendMessage', { message: { ...message, message_id: 'other' } }),
      200,
      rpcError(-32602, "'params.message.message_id' as 'messageId'"),
    ],
    [
      'of 1.0 with a twin in a part',
      rpc('SendMessage', { message: { ...message, parts: [{ text: 'a', Text: 'b' }] } }),
      200,
      rpcError(-32602, "'params.message.parts.0.Text' as 'text'"),
    ],
    [
      'whose webhook stands in capitals where nothing is known',
      rpc('message/send', { message, configuration: { more: { URL: 'http://hooks.example/' } } }),
      200,
      rpcError(-32602, 'push notification'),
    ],
    ['of a method in other letters', rpc('sendMessage', { message }), 200, rpcError(-32601, 'Method not found')],
    ['of a method with an end in it', rpc('GetTask\0x', {}), 200, rpcError(-32601, 'Method not found')],
    ['with parameters in a list', rpc('message/send', [message]), 200, rpcError(-32602, /params$/)],
    ['whose message is a list', rpc('SendMessage', { message: [message] }), 200, rpcError(-32602, /params\.message$/)],
    [
      'whose configuration is a text',
      rpc('SendMessage', { message, configuration: '' }),
      200,
      rpcError(-32602, /params\.configuration$/),
    ],
    [
      'whose message brings a webhook that leads inside',
      rpc('message/send', { message, configuration: { pushNotificationConfig: { url: 'https://localhost/' } } }),
      200,
      rpcError(-32602, /push notification/),
    ],
    [
      'whose message of 1.0 brings one in another spelling',
      rpc('SendMessage', { message, configuration: { task_push_notification_config: { url: 'https://10.0.0.1/' } } }),
      200,
      rpcError(-32602, /push notification/),
    ],
  ];
  for (const [says, body, status, expected] of rows) {
    it(`${says} is answered ${status} ${expected.code}, leaves one failed record and reaches no agent`, async () => {
      const { post, records, heard, admitted } = openOneAgent();
      const answer = await post(body);
      assert.equal(answer.status, status);
      checkError(answer.body, status, expected);
      assert.deepEqual(
        [records.length, records[0]?.status, records[0]?.spend, records[0]?.error_code],
        [1, 'failure', 0, `${expected.code}`],
      );
      assert.deepEqual([heard.length, admitted.length], [0, 0]);
    });
  }

  it('to an unknown agent is answered 404 -32000 with its id', async () => {
    const { post, records } = openOneAgent();
    const answer = await post(send, {}, '/a2a/nobody');
    assert.equal(answer.status, 404);
    checkError(answer.body, 404, rpcError(-32000, 'agent not found'));
    assert.deepEqual([records[0]?.status, records[0]?.model], ['failure', 'a2a_agent']);
  });

  it('to an agent that the key may not use is answered 403 in the words of the gateway', async () => {
    const { post, records } = openOneAgent(fine, { agents: [{ agent, url: 'https://agent.test', allowed: false }] });
    const answer = await post(send);
    assert.equal(answer.status, 403);
    checkError(answer.body, 403, gatewayError('permission_error', 'weather'));
    assert.deepEqual([records.length, records[0]?.status], [1, 'failure']);
  });

  it('to an agent without an address is answered with 200 -32000', async () => {
    const { post } = openOneAgent(fine, { agents: [{ agent }] });
    const answer = await post(send);
    assert.equal(answer.status, 200);
    checkError(answer.body, 200, rpcError(-32000, 'has no URL'));
  });

  it('is answered with 200 -32005 for another content type, 413 for a body that is too long, and 405 for GET', async () => {
    const { post, front, records, heard } = openOneAgent(fine, { options: { maxBodyBytes: 50 } });
    const plain = await post(send, { 'content-type': 'text/plain; charset=utf-8' });
    assert.equal(plain.status, 200);
    checkError(plain.body, 200, rpcError(-32005, '^Unsupported Content-Type "text/plain; charset=utf-8"', null));
    assert.match(JSON.stringify(plain.body), /"reason":"CONTENT_TYPE_NOT_SUPPORTED"/);
    assert.equal(heard.length, 0);
    assert.equal((await post(send)).status, 413);
    const get = new Request('https://gateway.test/a2a/weather');
    const response = await answerOf(front, get);
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
    assert.deepEqual(
      records.map((it) => it.status),
      ['failure', 'failure', 'failure'],
    );
  });

  it('at another address is 404, and leaves no record here', async () => {
    const { post, records } = openOneAgent();
    assert.equal((await post(send, {}, '/a2a/weather/message/stream')).status, 404);
    assert.equal(records.length, 0);
  });
});

describe('a trace id', () => {
  const strict = { ...agent, gateway_params: { require_trace_id_on_calls_to_agent: true } };
  const agents = [{ agent: strict, url: 'https://agent.test' }];

  it('is asked for by an agent that wants one on calls to it, and the session id will do', async () => {
    const { post } = openOneAgent(fine, { agents });
    const without = await post(send);
    assert.equal(without.status, 400);
    checkError(without.body, 400, gatewayError('bad_request_error', 'x-gateway-trace-id'));
    assert.equal((await post(send, { 'x-gateway-trace-id': 'trace-1' })).status, 200);
    assert.equal((await post(send, { 'x-gateway-session-id': 'session-1' })).status, 200);
  });

  it('is asked for of a key whose agent wants one on calls by it', async () => {
    const { post } = openOneAgent(fine, {
      more: { callingAgentRequiresTrace: ({ caller }) => caller.key?.token === 'owned' },
    });
    assert.equal((await post(send, { authorization: 'Bearer owned' })).status, 400);
    assert.equal((await post(send, { authorization: 'Bearer free' })).status, 200);
    assert.equal((await post(send, { authorization: 'Bearer owned', 'x-gateway-trace-id': 'trace-1' })).status, 200);
  });

  it('goes to the agent with the agent id, and without one the id of the request does', async () => {
    const { post, added } = openOneAgent();
    await post(send, { 'x-gateway-trace-id': 'trace-1' });
    await post(send);
    assert.deepEqual(added, [
      { 'X-Gateway-Trace-Id': 'trace-1', 'X-Gateway-Agent-Id': 'agent-1' },
      { 'X-Gateway-Trace-Id': 'request-1', 'X-Gateway-Agent-Id': 'agent-1' },
    ]);
  });
});
