import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { keptOwners } from '../../../../support/a2a/frontUnderTest.ts';
import {
  agent,
  bodyOf,
  checkError,
  json,
  message,
  methodOf,
  openOneAgent,
  rpc,
  rpcError,
  send,
} from '../../../../support/a2a/oneAgent.ts';
import { verifies } from '../../../../support/verifies.ts';

const given =
  '{"jsonrpc":"2.0","id":7,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"working"}}}';
const begun = { headers: json, body: given };
const owner = { authorization: 'Bearer one.first' };
const url = 'https://hooks.example/';
const inMessage = (more: object) => ({ message: { ...message, ...more } });
const inContext = (contextId: string) => rpc('message/send', inMessage({ contextId }));

/** Every place of a request where an agent may read whose task or context is meant. */
const places: readonly [method: string, params: object][] = [
  ...['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage'].flatMap((method): [string, object][] => [
    [method, inMessage({ taskId: 't1' })],
    [method, inMessage({ contextId: 'c1' })],
    [method, inMessage({ referenceTaskIds: ['t1'] })],
    [method, { message, configuration: { pushNotificationConfig: { url, taskId: 't1' } } }],
    [method, { message, configuration: { taskPushNotificationConfig: { url, taskId: 't1' } } }],
    [method, { message, taskId: 't1' }],
  ]),
  ...['tasks/get', 'tasks/cancel', 'tasks/resubscribe', 'GetTask', 'CancelTask', 'SubscribeToTask'].map(
    (method): [string, object] => [method, { id: 't1' }],
  ),
  ['tasks/pushNotificationConfig/set', { taskId: 't1', pushNotificationConfig: { url } }],
  ['tasks/pushNotificationConfig/get', { id: 't1' }],
  ['tasks/pushNotificationConfig/list', { id: 't1' }],
  ['tasks/pushNotificationConfig/delete', { id: 't1', pushNotificationConfigId: 'x' }],
  ['CreateTaskPushNotificationConfig', { taskId: 't1', url, id: 'x' }],
  ['GetTaskPushNotificationConfig', { taskId: 't1', id: 'x' }],
  ['ListTaskPushNotificationConfigs', { taskId: 't1' }],
  ['DeleteTaskPushNotificationConfig', { taskId: 't1', id: 'x' }],
  ['tasks/list', { contextId: 'c1' }],
  ['ListTasks', { contextId: 'c1' }],
];

describe('a task or context that an agent gave to a caller (a foreign contextId or taskId)', () => {
  it('may be named by that caller, also after its key was rotated, and reaches the agent from nobody else', async () => {
    verifies('security.foreign-conversation');
    const listed = { headers: json, body: '{"jsonrpc":"2.0","id":7,"result":{"tasks":[]}}' };
    const { post, heard, records } = openOneAgent((it) => (/list/i.test(methodOf(it)) ? listed : begun));
    await post(send, owner);
    for (const [method, params] of places) {
      const says = JSON.stringify([method, params]);
      const request = rpc(method, params);
      const before = heard.length;
      assert.ok('result' in (await post(request, { authorization: 'Bearer one.second' })).body, says);
      assert.equal(heard.length, before + 1, says);
      for (const other of [
        { authorization: 'Bearer two.first' },
        { ...owner, 'x-gateway-end-user-id': 'somebody' },
        {},
      ]) {
        const { status, body } = await post(request, other);
        assert.equal(status, 200, says);
        checkError(body, status, rpcError(-32001, /^Task not found$/));
        for (const told of heard.splice(before + 1).map(bodyOf)) assert.doesNotMatch(told, /"[tc]1"/, says);
        assert.equal(JSON.stringify(body).includes('"reason":"TASK_NOT_FOUND"'), !method.includes('/'), says);
        assert.equal(records.at(-1)?.status, 'failure', says);
      }
      assert.equal(heard.length, before + 1, says);
    }
  });

  it('is not that of another agent that is called alike', async () => {
    const agents = [
      { agent, url: 'https://agent.test/rpc' },
      { agent: { ...agent, agent_id: 'agent-2', agent_name: 'other' }, url: 'https://other.test/rpc' },
    ];
    const { post, heard } = openOneAgent(begun, { agents });
    await post(send, owner);
    const ask = rpc('GetTask', { id: 't1' });
    assert.deepEqual(
      [(await post(ask, owner, '/a2a/agent-2')).code, (await post(ask, owner, '/a2a/agent-1')).code],
      [-32001, undefined],
    );
    assert.deepEqual(
      heard.map((it) => bodyOf(it).includes('"t1"')),
      [false, false, true],
    );
  });

  it('is a task or a context, and not the other', async () => {
    const { post } = openOneAgent(begun);
    await post(send, owner);
    for (const it of [rpc('GetTask', { id: 'c1' }), rpc('ListTasks', { contextId: 't1' })])
      assert.equal((await post(it, owner)).code, -32001, it);
  });

  it('stays that of whoever had it first, when the agent gives it to another', async () => {
    const { post } = openOneAgent(begun);
    await post(send, owner);
    const other = { authorization: 'Bearer two' };
    await post(send, other);
    const ask = rpc('GetTask', { id: 't1' });
    assert.deepEqual([(await post(ask, owner)).code, (await post(ask, other)).code], [undefined, -32001]);
  });

  it('belongs to nobody where no answer gave it, and a new context to whoever names it first in a message', async () => {
    const { post, heard } = openOneAgent();
    for (const it of [
      rpc('GetTask', { id: 'new' }),
      rpc('ListTasks', { contextId: 'new' }),
      rpc('SendMessage', inMessage({ taskId: 'new' })),
      rpc('SendMessage', inMessage({ referenceTaskIds: ['new'] })),
    ])
      assert.equal((await post(it, owner)).code, -32001, it);
    const { body } = await post('{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"new"}}', owner);
    assert.equal(body['id'], null);
    for (const told of heard.splice(0).map(bodyOf)) assert.doesNotMatch(told, /"new"/);
    await post(inContext('new'), owner);
    assert.equal(heard.length, 1);
    const refused = await post(inContext('new'), { authorization: 'Bearer two' });
    checkError(refused.body, 200, rpcError(-32001, 'Task not found'));
    assert.equal(heard.length, 1);
  });

  it('is not taken by a message that is refused', async () => {
    const { post } = openOneAgent(begun);
    await post(send, owner);
    const both = rpc('message/send', inMessage({ contextId: 'new', taskId: 't1' }));
    checkError((await post(both, { authorization: 'Bearer two' })).body, 200, rpcError(-32001, 'Task not found'));
    assert.ok('result' in (await post(inContext('new'), owner)).body);
  });

  it('is had by one of two who name a new context at two replicas at the same time', async () => {
    const owners = keptOwners();
    const replicas = ['one', 'two', 'three'].map((key) => {
      const { post, heard } = openOneAgent(undefined, { more: { owners } });
      return { heard, post: () => post(inContext('new'), { authorization: `Bearer ${key}` }) };
    });
    const answers = await Promise.all(replicas.map((it) => it.post()));
    assert.deepEqual(answers.filter((it) => 'result' in it.body).length, 1);
    assert.deepEqual(replicas.flatMap((it) => it.heard).length, 1);
  });
});

describe('the id of a task or context in a request', () => {
  const rows: readonly [method: string, params: object, field: string][] = [
    ['message/send', inMessage({ taskId: 7 }), 'params.message.taskId must be a string'],
    ['message/send', inMessage({ contextId: ['c1'] }), 'params.message.contextId must be a string'],
    ['SendMessage', inMessage({ contextId: {} }), 'params.message.contextId must be a string'],
    ['SendMessage', inMessage({ referenceTaskIds: ['', 7] }), 'params.message.referenceTaskIds.1 must be a string'],
    ['SendMessage', inMessage({ referenceTaskIds: 't1' }), 'referenceTaskIds must be a list of at most 100 entries'],
    [
      'SendMessage',
      inMessage({ referenceTaskIds: Array(101).fill('t1') }),
      'referenceTaskIds must be a list of at most',
    ],
    ['ListTasks', { contextId: false }, 'params.contextId must be a string'],
    [
      'message/send',
      { message, configuration: { pushNotificationConfig: { url, taskId: 0 } } },
      'params.configuration.pushNotificationConfig.taskId must be a string',
    ],
    [
      'tasks/pushNotificationConfig/set',
      { taskId: 't1', id: 7, pushNotificationConfig: { url } },
      'params.id must be a string',
    ],
  ];
  for (const [method, params, says] of rows) {
    it(`of ${method} is refused with the field where it is none: ${says}`, async () => {
      const { post, heard } = openOneAgent(begun);
      await post(send, owner);
      const { status, body } = await post(rpc(method, params), owner);
      assert.equal(status, 200);
      checkError(body, 200, rpcError(-32602, says));
      assert.equal(heard.length, 1);
    });
  }

  it('may be left empty, and a message may refer to a hundred tasks', async () => {
    const { post } = openOneAgent(begun);
    await post(send, owner);
    for (const params of [
      inMessage({ taskId: null, contextId: '', referenceTaskIds: null }),
      inMessage({ taskId: '', contextId: null, referenceTaskIds: [''] }),
      inMessage({ referenceTaskIds: Array(100).fill('t1') }),
      { message, configuration: null },
      { message, configuration: { pushNotificationConfig: null } },
    ])
      assert.ok('result' in (await post(rpc('message/send', params), owner)).body, JSON.stringify(params));
  });
});
