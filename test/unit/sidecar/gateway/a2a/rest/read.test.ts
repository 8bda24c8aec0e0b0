import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Refusal } from '../../../../../../sidecar/gateway/a2a/refusal.ts';
import {
  legacyCard,
  type Operation,
  operations,
  type RestCall,
  type RestForm,
} from '../../../../../../sidecar/gateway/a2a/rest/operations.ts';
import { readRest } from '../../../../../../sidecar/gateway/a2a/rest/read.ts';
import { verifies } from '../../../../../support/verifies.ts';

const all: readonly Operation[] = [...operations, legacyCard];
function operation(method: string, verb?: string): Operation {
  const found = all.find((it) => it.method === method && (verb === undefined || it.verb === verb));
  assert.ok(found, method);
  return found;
}

interface Asked {
  readonly method: string;
  readonly isLegacy?: boolean;
  readonly at?: Pick<RestCall, 'tenant' | 'task' | 'config'>;
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly verb?: string;
}

const json = { 'content-type': 'application/json' };
function read({ method, isLegacy = false, at = {}, query = '', body, headers = json, verb }: Asked) {
  const call: RestCall = { operation: operation(method, verb), isLegacy, ...at };
  const isPost = call.operation.verb === 'POST';
  const request = new Request(`https://gateway.test/a2a/weather/any${query}`, {
    method: call.operation.verb,
    headers,
    ...(isPost && body !== undefined && { body }),
  });
  return readRest(call, request, 1_000);
}
const at = { task: 't' };
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const webhook = { id: 'c', url: 'https://hooks.example/' };
const send = (body: unknown): Asked => ({ method: 'SendMessage', body: JSON.stringify(body) });
const create = (body: unknown, isLegacy = false): Asked => ({
  method: 'CreateTaskPushNotificationConfig',
  isLegacy,
  at,
  body: JSON.stringify(body),
});
const cancel = (body: unknown): Asked => ({ method: 'CancelTask', at, body: JSON.stringify(body) });

describe('a request over HTTP+JSON', () => {
  const rows: readonly [says: string, asked: Asked, params: object, form?: RestForm][] = [
    ['a message in its body', send({ message }), { message }],
    [
      'a message in snake_case',
      send({ message: { ...message, context_id: 'c' } }),
      { message: { ...message, contextId: 'c' } },
    ],
    [
      'a message of A2A 0.3 by its other name',
      { ...send({ request: { content: [] } }), isLegacy: true },
      { message: { content: [] } },
    ],
    ['an empty body', { method: 'SendMessage', body: '' }, {}, {}],
    ['a body of null without a content type', { method: 'CancelTask', at, body: 'null', headers: {} }, { id: 't' }, {}],
    [
      'the media type of A2A',
      { ...cancel({ metadata: {} }), headers: { 'content-type': 'application/a2a+json; charset=utf-8' } },
      { metadata: {}, id: 't' },
      { type: 'application/a2a+json' },
    ],
    ['a task in its path', { method: 'GetTask', at, query: '?historyLength=3' }, { historyLength: '3', id: 't' }, {}],
    [
      'a query in snake_case',
      { method: 'GetTask', at, query: '?history_length=3' },
      { historyLength: '3', id: 't' },
      {},
    ],
    [
      'values that the agent is to judge',
      { method: 'ListTasks', query: '?pageSize=many&status=&contextId=c%20d' },
      { pageSize: 'many', status: '', contextId: 'c d' },
      {},
    ],
    ['a task to subscribe to', { method: 'SubscribeToTask', verb: 'POST', at }, { id: 't' }, {}],
    ['a version in the query', { method: 'GetTask', at, query: '?A2A-Version=1.0' }, { id: 't' }, { version: '1.0' }],
    [
      'a version in the query of a message',
      { ...send({ message }), query: '?A2A-Version=0.3' },
      { message },
      { type: 'application/json', version: '0.3' },
    ],
    [
      'the same version in the query and the header',
      { method: 'GetTask', at, query: '?A2A-Version=1.0', headers: { 'a2a-version': '1.0' } },
      { id: 't' },
      { version: '1.0' },
    ],
    [
      'a tenant in the path and the body',
      { ...send({ tenant: 'x', message }), at: { tenant: 'x' } },
      { tenant: 'x', message },
    ],
    [
      'an empty tenant in the body',
      { ...send({ tenant: '', message }), at: { tenant: 'x' } },
      { tenant: 'x', message },
    ],
    [
      'the config in its path',
      { method: 'DeleteTaskPushNotificationConfig', at: { ...at, config: 'c' } },
      { taskId: 't', id: 'c' },
      {},
    ],
    ['a push notification config', create({ ...webhook, task_id: 't' }), { ...webhook, taskId: 't' }],
    [
      'one of A2A 0.3 with its name',
      create({ name: 'tasks/t/pushNotificationConfigs/c', pushNotificationConfig: webhook }, true),
      { name: 'tasks/t/pushNotificationConfigs/c', pushNotificationConfig: webhook, taskId: 't' },
    ],
    [
      "one of A2A 0.3 in protobuf's request message",
      create(
        {
          parent: 'tasks/t',
          config_id: 'c',
          config: { name: 'tasks/t/pushNotificationConfigs/c', push_notification_config: webhook },
        },
        true,
      ),
      { configId: 'c', name: 'tasks/t/pushNotificationConfigs/c', pushNotificationConfig: webhook, taskId: 't' },
      { type: 'application/json', isWrapped: true },
    ],
    ['unknown members', send({ message, later: { X: 1 } }), { message, later: { X: 1 } }],
    ['the name of the task in its body', cancel({ name: 'tasks/t' }), { name: 'tasks/t', id: 't' }],
    ['no parameters', { method: 'GetExtendedAgentCard', query: '?tenant=x' }, { tenant: 'x' }, {}],
  ];
  for (const [says, asked, params, form = { type: 'application/json' }] of rows)
    it(`is read with ${says}`, async () => {
      verifies('gateway.a2a.http-json');
      const { judged, form: found } = await read(asked);
      assert.deepEqual(judged.request, { jsonrpc: '2.0', method: asked.method, params });
      assert.deepEqual(found, { isWrapped: false, ...form });
    });

  const refused: readonly [says: string, asked: Asked, code: number, words: RegExp][] = [
    ['that is not JSON', { method: 'SendMessage', body: '{' }, -32700, /Parse error/],
    ['that is a list', send([]), -32600, /must be a JSON object/],
    [
      'of another media type',
      { ...send({ message }), headers: { 'content-type': 'text/plain' } },
      -32005,
      /text\/plain/,
    ],
    ['that is too large', send({ message: 'x'.repeat(2_000) }), -32600, /larger than 1000 bytes/],
    ['that has a member twice', { method: 'SendMessage', body: '{"message":{},"message":{}}' }, -32600, /message/],
    ['that has a member in two spellings', send({ message: { contextId: 'a', context_id: 'b' } }), -32602, /contextId/],
    ['that has a member in another case', send({ Message: message }), -32602, /Message/],
    ['that has a member in another case below an old name', send({ request: { taskID: 't' } }), -32602, /taskID/],
    ['with a message that is not an object', send({ message: 'hi' }), -32602, /params\.message/],
    ['with a message under two names', send({ message, request: message }), -32602, /'message' is given twice/],
    ['with another task than its path', cancel({ id: 'u' }), -32602, /'id' is given twice/],
    ['with a task that is not a text', cancel({ id: 7 }), -32602, /'id' is given twice/],
    ['with the name of another task', cancel({ name: 'tasks/u' }), -32602, /'name' must be/],
    ['with a name that is not a text', cancel({ name: ['tasks/t'] }), -32602, /'name' must be/],
    [
      'with another tenant than its path',
      { ...send({ tenant: 'y' }), at: { tenant: 'x' } },
      -32602,
      /'tenant' is given twice/,
    ],
    ['with a webhook for another task', create({ ...webhook, taskId: 'u' }), -32602, /'taskId' is given twice/],
    [
      'with the name of another task in a config',
      create({ name: 'tasks/u/pushNotificationConfigs/c' }, true),
      -32602,
      /'name' must be/,
    ],
    ['with another task as the parent', create({ parent: 'tasks/u', config: {} }, true), -32602, /'parent' must be/],
    [
      'with the name of another task in a wrapped config',
      create({ config: { name: 'tasks/u/x' } }, true),
      -32602,
      /'name' must be/,
    ],
    [
      'with a wrapped config for another task',
      create({ config: { taskId: 'u' } }, true),
      -32602,
      /'taskId' is given twice/,
    ],
    [
      'with a config in and around a wrapper',
      create({ config: { name: 'tasks/t' }, name: 'tasks/t' }, true),
      -32602,
      /'name' is given twice/,
    ],
  ];
  for (const [says, asked, code, words] of refused)
    it(`is refused if its body is one ${says}`, async () => {
      verifies('gateway.a2a.http-json');
      await assert.rejects(read(asked), (thrown) => {
        assert.ok(thrown instanceof Refusal);
        assert.match(thrown.message, words);
        assert.equal(thrown.code, String(code));
        return true;
      });
    });

  const queries: readonly [query: string, words: RegExp, asked?: Asked][] = [
    ['?historyLength=1&historyLength=2', /'historyLength' is given twice/],
    ['?historyLength=1&history_length=2', /'historyLength' is given twice/],
    ['?HistoryLength=1', /'HistoryLength' is not supported/],
    ['?historyLength[]=1', /is not supported/],
    ['?id=u', /'id' is not supported/],
    ['?taskId=u', /is not supported/],
    ['?__proto__=1', /is not supported/],
    ['?a2a-version=1.0', /is not supported/],
    ['?A2A-Version=1.0%0d%0a', /'A2A-Version' is not valid/],
    ['?A2A-Version=1.0', /'A2A-Version' is given twice/, { method: 'GetTask', at, headers: { 'a2a-version': '0.3' } }],
    ['?contextId=c', /'contextId' is not supported/, send({ message })],
    ['?tenant=y', /'tenant' is given twice/, { method: 'GetTask', at: { ...at, tenant: 'x' } }],
  ];
  for (const [query, words, asked = { method: 'GetTask', at }] of queries)
    it(`is refused if the query of its ${asked.method} is ${query}`, async () => {
      await assert.rejects(
        read({ ...asked, query }),
        (thrown) => thrown instanceof Refusal && words.test(thrown.message),
      );
    });
});
