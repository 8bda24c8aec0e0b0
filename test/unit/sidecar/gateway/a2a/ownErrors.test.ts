import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { BackendRequest } from '../../../../../sidecar/gateway/backends/net/exchange.ts';
import { bodyOf, json, message, openOneAgent, rpc, type Said, send } from '../../../../support/a2a/oneAgent.ts';

interface Asked {
  readonly method: string;
  readonly params?: { readonly id?: string; readonly taskId?: string };
}
const asked = (request: BackendRequest) => JSON.parse(bodyOf(request)) as Asked;
const error = (code: number, words: string, data: unknown = [{ own: 1 }]) =>
  ({ jsonrpc: '2.0', id: 7, error: { code, message: words, data } }) as const;
const saying = (body: object) => ({ headers: json, body: JSON.stringify(body) }) satisfies Said;

/** An agent that answers every request with an error of its own. */
const own = (request: BackendRequest): Said => {
  const { method, params } = asked(request);
  if (/push/i.test(method)) return saying(error(-32003, 'no webhooks here'));
  if (method === 'message/send' || method === 'SendMessage') return saying(error(-32602, 'messageId, please'));
  if (/task/i.test(method)) return saying(error(-32001, `I have no ${params?.id ?? params?.taskId ?? 'task'}`, params));
  return saying(error(-32601, `what is ${method}?`));
};

describe("an agent's own error", () => {
  const webhook = { url: 'http://127.0.0.1/hook' };
  const rows: readonly [says: string, body: string, expected: object][] = [
    ['for an unknown method', rpc('no/such', { id: 'x' }), error(-32601, 'what is no/such?')],
    ['for a method that every object has', rpc('constructor', {}), error(-32601, 'what is constructor?')],
    ['for a message without parameters', rpc('message/send', undefined), error(-32602, 'messageId, please')],
    ['for a call without a message', rpc('SendMessage', {}), error(-32602, 'messageId, please')],
    [
      'for a message whose parts are not a list',
      rpc('SendMessage', { message: { ...message, parts: 'hi' } }),
      error(-32602, 'messageId, please'),
    ],
    ['for a task without an id', rpc('tasks/get', {}), error(-32001, 'I have no task', {})],
    [
      'for a task that it does not have, with the ID from the request',
      rpc('GetTask', { id: 'a "b"\n' }),
      error(-32001, 'I have no a "b"\n', { id: 'a "b"\n' }),
    ],
    [
      'for a webhook of a task that it does not have',
      rpc('tasks/pushNotificationConfig/set', {
        taskId: 't',
        pushNotificationConfig: { url: 'https://hooks.example/' },
      }),
      error(-32003, 'no webhooks here'),
    ],
    [
      'for a webhook on a private network, from an agent without push notifications',
      rpc('tasks/pushNotificationConfig/set', { taskId: 't', pushNotificationConfig: webhook }),
      error(-32003, 'no webhooks here'),
    ],
    [
      'for one of 1.0 that leads inside',
      rpc('CreateTaskPushNotificationConfig', { taskId: 't', ...webhook }),
      error(-32003, 'no webhooks here'),
    ],
  ];
  for (const [says, body, expected] of rows) {
    it(`${says} reaches the caller, and the call has one record, as a failure without cost`, async () => {
      const { post, heard, records } = openOneAgent(own);
      const answer = await post(body);
      assert.deepEqual([answer.status, answer.body], [200, expected]);
      assert.equal(heard.length, 1);
      assert.deepEqual(
        records.map((it) => [it.status, it.spend, Number(it.error_code)]),
        [['failure', 0, answer.code]],
      );
    });
  }

  it('is streamed if the agent streams it', async () => {
    const { call, heard } = openOneAgent((request) => ({
      headers: { 'content-type': 'text/event-stream' },
      body: `event: error\ndata: ${JSON.stringify(error(-32001, `no ${asked(request).params?.id}`))}\n\n`,
    }));
    const response = await call(rpc('SubscribeToTask', { id: 'x' }));
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(await response.text(), `event: error\ndata: ${JSON.stringify(error(-32001, 'no x'))}\n\n`);
    assert.ok(!heard.map(bodyOf).join().includes('"x"'));
  });

  it('is the only answer to a refused request that reaches the caller', async () => {
    const result = saying({ jsonrpc: '2.0', id: 7, result: { kind: 'task', id: 't', contextId: 'c' } });
    const tasks = saying({ jsonrpc: '2.0', id: 7, result: { tasks: [{ id: 't' }] } });
    const events: Said = { headers: { 'content-type': 'text/event-stream' }, body: `data: ${result.body}\n\n` };
    for (const said of [result, tasks, events])
      for (const [body, code] of [
        [rpc('no/such', { id: 't' }), -32601],
        [rpc('GetTask', { id: 't' }), -32001],
        [rpc('ListTasks', { contextId: 'c' }), -32001],
        [rpc('CreateTaskPushNotificationConfig', { taskId: 't', ...webhook }), -32602],
      ] as const) {
        const { post, heard } = openOneAgent(said);
        assert.deepEqual([(await post(body)).code, heard.length], [code, 1], body);
        // The caller does not become the owner of its contents either.
        assert.equal((await post(rpc('message/send', { message: { ...message, taskId: 't' } }))).code, -32001);
      }
  });

  it('is requested with empty parameters for an unknown method', async () => {
    const { post, heard } = openOneAgent(own);
    await post(rpc('tasks/everything', { id: 't', url: 'http://127.0.0.1/' }));
    assert.deepEqual(asked(heard[0] as BackendRequest), {
      jsonrpc: '2.0',
      id: 7,
      method: 'tasks/everything',
      params: {},
    });
  });

  it('does not reach the caller if it is about the task of a request with a refused webhook', async () => {
    const { post } = openOneAgent(() => saying(error(-32001, 'no such task')));
    const { code } = await post(rpc('CreateTaskPushNotificationConfig', { taskId: 't', ...webhook }));
    assert.equal(code, -32602);
  });

  it('is replaced by an internal error if the agent cannot be reached', async () => {
    for (const body of [rpc('no/such', {}), rpc('GetTask', { id: 't' })]) {
      const { post, records } = openOneAgent(new Error('connect ECONNREFUSED'));
      assert.equal((await post(body)).code, -32603);
      assert.deepEqual(
        records.map((it) => it.error_code),
        ['unreachable'],
      );
    }
    assert.equal((await openOneAgent({ status: 200, headers: json, body: '' }).post(send)).code, -32603);
  });
});
