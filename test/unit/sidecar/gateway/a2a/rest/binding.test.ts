import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { invalidParams, noSuchAgent, noSuchTask, Refusal } from '../../../../../../sidecar/gateway/a2a/refusal.ts';
import { refuseRest, restBinding } from '../../../../../../sidecar/gateway/a2a/rest/binding.ts';
import {
  type Operation,
  operations,
  type RestCall,
  type RestForm,
} from '../../../../../../sidecar/gateway/a2a/rest/operations.ts';
import { verifies } from '../../../../../support/verifies.ts';

const base = 'https://agent.test/api/?key=k#x';
const operation = (method: string, verb?: string) =>
  operations.find((it) => it.method === method && (verb === undefined || it.verb === verb)) as Operation;
const call = (method: string, more: Partial<RestCall> = {}, verb?: string): RestCall => ({
  operation: operation(method, verb),
  isLegacy: false,
  ...more,
});
const webhook = { id: 'c', url: 'https://hooks.example/' };
const old = { isLegacy: true };

describe('a request to an agent over HTTP+JSON', () => {
  const json: RestForm = { type: 'application/json' };
  const rows: readonly [says: string, call: RestCall, form: RestForm, params: object, sent: string, body?: object][] = [
    ['a message', call('SendMessage'), json, { message: {} }, 'POST /api/message:send?key=k', { message: {} }],
    [
      'a message of 0.3',
      call('SendMessage', old),
      json,
      { message: {} },
      'POST /api/v1/message:send?key=k',
      { message: {} },
    ],
    [
      'a stream',
      call('SendStreamingMessage', { tenant: 'a b' }),
      json,
      { tenant: 'a b', message: {} },
      'POST /api/a%20b/message:stream?key=k',
      { message: {} },
    ],
    [
      'a version',
      call('SendMessage'),
      { ...json, version: '1.0' },
      { message: {} },
      'POST /api/message:send?key=k&A2A-Version=1.0',
      { message: {} },
    ],
    [
      'a task, by the ID that was judged',
      call('GetTask', { task: 'asked' }),
      {},
      { id: 'a:b c', historyLength: '3' },
      'GET /api/tasks/a%3Ab%20c?key=k&historyLength=3',
    ],
    [
      'no member that is not a text in the query',
      call('ListTasks'),
      {},
      { pageSize: 3, contextId: 'c&d', tenant: 'x', other: 'y' },
      'GET /api/tasks?key=k&tenant=x&contextId=c%26d',
    ],
    [
      'the tenant of the path only there',
      call('ListTasks', { tenant: 'x' }),
      {},
      { tenant: 'x' },
      'GET /api/x/tasks?key=k',
    ],
    ['a cancellation without a body', call('CancelTask'), {}, { id: 't' }, 'POST /api/tasks/t:cancel?key=k'],
    ['a cancellation with an empty body', call('CancelTask'), json, { id: 't' }, 'POST /api/tasks/t:cancel?key=k', {}],
    [
      'a cancellation with the name of the task that was judged',
      call('CancelTask', old),
      json,
      { id: 't', name: 'tasks/asked', metadata: {} },
      'POST /api/v1/tasks/t:cancel?key=k',
      { name: 'tasks/t', metadata: {} },
    ],
    ['a subscription', call('SubscribeToTask', old, 'GET'), {}, { id: 't' }, 'GET /api/v1/tasks/t:subscribe?key=k'],
    [
      'a subscription by POST',
      call('SubscribeToTask', {}, 'POST'),
      {},
      { id: 't' },
      'POST /api/tasks/t:subscribe?key=k',
    ],
    [
      'a config',
      call('CreateTaskPushNotificationConfig'),
      json,
      { ...webhook, taskId: 't' },
      'POST /api/tasks/t/pushNotificationConfigs?key=k',
      { ...webhook, taskId: 't' },
    ],
    [
      'a config of 0.3 with the name of the task that was judged',
      call('CreateTaskPushNotificationConfig', old),
      json,
      { name: 'tasks/asked/pushNotificationConfigs/c', pushNotificationConfig: webhook, taskId: 't' },
      'POST /api/v1/tasks/t/pushNotificationConfigs?key=k',
      { name: 'tasks/t/pushNotificationConfigs/c', pushNotificationConfig: webhook },
    ],
    [
      'a config of 0.3 with a name in any case',
      call('CreateTaskPushNotificationConfig', old),
      {},
      { pushNotificationConfig: webhook, taskId: 't' },
      'POST /api/v1/tasks/t/pushNotificationConfigs?key=k',
      { name: 'tasks/t/pushNotificationConfigs/c', pushNotificationConfig: webhook },
    ],
    [
      "a config of 0.3 in protobuf's request message",
      call('CreateTaskPushNotificationConfig', old),
      { ...json, isWrapped: true },
      { configId: 'c', name: 'tasks/asked/pushNotificationConfigs/c', pushNotificationConfig: webhook, taskId: 't' },
      'POST /api/v1/tasks/t/pushNotificationConfigs?key=k',
      {
        parent: 'tasks/t',
        configId: 'c',
        config: { name: 'tasks/t/pushNotificationConfigs/c', pushNotificationConfig: webhook },
      },
    ],
    [
      'a config by its ID',
      call('DeleteTaskPushNotificationConfig'),
      {},
      { taskId: 't', id: 'c' },
      'DELETE /api/tasks/t/pushNotificationConfigs/c?key=k',
    ],
  ];
  for (const [says, asked, form, params, sent, body] of rows)
    it(`is written with ${says}`, () => {
      verifies('gateway.a2a.http-json');
      const request = { jsonrpc: '2.0', method: asked.operation.method, params } as const;
      const written = restBinding(asked, form).write(request, base);
      const url = new URL(written.url);
      assert.deepEqual(
        [`${written.method} ${url.pathname}${url.search}`, url.origin, url.hash],
        [sent, 'https://agent.test', ''],
      );
      assert.deepEqual(written.body === undefined ? undefined : JSON.parse(written.body), body);
      assert.equal(written.type, body && 'application/json');
    });
});

describe('an answer over HTTP+JSON', () => {
  const info = (reason: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason });
  const modern = (code: number, details: unknown = []) => JSON.stringify({ error: { code, message: 'no', details } });
  const reasons = [
    ['TASK_NOT_FOUND', -32001],
    ['TASK_NOT_CANCELABLE', -32002],
    ['PUSH_NOTIFICATION_NOT_SUPPORTED', -32003],
    ['UNSUPPORTED_OPERATION', -32004],
    ['CONTENT_TYPE_NOT_SUPPORTED', -32005],
    ['INVALID_AGENT_RESPONSE', -32006],
    ['EXTENDED_AGENT_CARD_NOT_CONFIGURED', -32007],
    ['EXTENSION_SUPPORT_REQUIRED', -32008],
    ['VERSION_NOT_SUPPORTED', -32009],
  ] as const;
  type Row = readonly [says: string, status: number, text: string, read: number | 'result' | undefined];
  const rows: readonly Row[] = [
    ...reasons.map(([reason, code]): Row => [`with the reason ${reason}`, 400, modern(400, [{}, info(reason)]), code]),
    ['with an unknown reason', 404, modern(404, [info('OTHER')]), 404],
    ['without a number', 500, '{"error":{"message":"no"}}', 500],
    ['of A2A 0.3', 404, '{"code":-32001,"message":"no"}', -32001],
    ['of A2A 0.3 with a code that is not a whole number', 404, '{"code":1.5,"message":"no"}', undefined],
    ['of a web framework', 404, '{"detail":"Not Found"}', undefined],
    ['that is a page', 404, '<h1>Not Found</h1>', undefined],
    ['that is a result', 200, '{"task":{"id":"t"}}', 'result'],
    ['that is a list', 200, '[]', 'result'],
    ['that is only a text', 200, '"hi"', undefined],
    ['that has a task twice', 200, '{"task":{"id":"t"},"task":{"id":"u"}}', undefined],
    ['that has an ID twice', 200, '{"task":{"id":"t","id":"u"}}', undefined],
    ['that is empty', 200, '', undefined],
  ];
  for (const [says, status, text, read] of rows)
    it(`${says} is ${read === undefined ? 'not one' : `read as ${read}`}`, () => {
      const answer = restBinding(call('SendMessage'), {}).readAnswer(text, status);
      assert.equal(answer && (answer.error === undefined ? 'result' : answer.error.code), read);
      const event = { data: text, ...(status >= 400 && { event: 'error' }) };
      assert.deepEqual(restBinding(call('SendMessage'), {}).readEvent(event), answer);
    });

  it('to a deletion may be empty', () => {
    const { readAnswer } = restBinding(call('DeleteTaskPushNotificationConfig'), {});
    assert.deepEqual([readAnswer('', 204), readAnswer('', 404)], [{ jsonrpc: '2.0', result: null }, undefined]);
  });
});

describe('an error of the gateway over HTTP+JSON', () => {
  const rows: readonly [refusal: Refusal, status: number, name: string][] = [
    [invalidParams('x'), 400, 'INVALID_ARGUMENT'],
    [noSuchTask(null, true), 404, 'NOT_FOUND'],
    [noSuchAgent(), 404, 'NOT_FOUND'],
    [new Refusal(-32601, 'x', null), 501, 'UNIMPLEMENTED'],
    [new Refusal(-32603, 'x', null), 500, 'INTERNAL'],
    [new Refusal(-32000, 'x', null), 500, 'INTERNAL'],
    [new Refusal(-32600, 'x', null, { status: 413, headers: { allow: 'GET' } }), 413, 'INVALID_ARGUMENT'],
  ];
  for (const [refusal, status, name] of rows)
    it(`${refusal.code} has the status ${status} and the format of the era`, async () => {
      verifies('gateway.a2a.http-json');
      const { message, data, code } = refusal.error;
      const modern = { error: { code: status, status: name, message, details: data ?? [] } };
      for (const [isLegacy, body] of [
        [false, modern],
        [true, { code, message }],
      ] as const) {
        const response = refuseRest(refusal, { isLegacy });
        assert.deepEqual([response.status, await response.json()], [status, body]);
        assert.equal(response.headers.get('allow'), refusal.headers['allow'] ?? null);
        const event = restBinding(call('SendMessage', { isLegacy }), {}).lastEvent(refusal);
        assert.equal(event, `event: error\ndata: ${JSON.stringify(body)}\n\n`);
      }
    });
});
