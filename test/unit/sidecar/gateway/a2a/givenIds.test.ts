import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { keptOwners } from '../../../../support/a2a/frontUnderTest.ts';
import {
  checkError,
  json,
  message,
  methodOf,
  openOneAgent,
  rpc,
  rpcError,
  type Said,
  send,
} from '../../../../support/a2a/oneAgent.ts';
import { verifies } from '../../../../support/verifies.ts';

const answer = (result: unknown): Said => ({ headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: 7, result }) });
const eventOf = (result: unknown) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 7, result })}\n\n`;
const events = (...results: unknown[]): Said => ({
  headers: { 'content-type': 'text/event-stream' },
  body: results.map(eventOf).join(''),
});
const state = { state: 'working' };

describe('an answer of an agent', () => {
  const rows: readonly [result: unknown, tasks: readonly string[], contexts: readonly string[]][] = [
    [{ kind: 'task', id: 't', contextId: 'c' }, ['t'], ['c']],
    [{ id: 't', contextId: 'c', status: state }, ['t'], ['c']],
    [{ task: { id: 't', contextId: 'c' } }, ['t'], ['c']],
    [{ kind: 'message', messageId: 'm', id: 'm', taskId: 't', contextId: 'c' }, ['t'], ['c']],
    [{ message: { messageId: 'm', id: 'm', taskId: 't', contextId: 'c' } }, ['t'], ['c']],
    [{ kind: 'status-update', taskId: 't', contextId: 'c', status: state }, ['t'], ['c']],
    [{ statusUpdate: { taskId: 't', contextId: 'c', status: state } }, ['t'], ['c']],
    [{ artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'm', parts: [] } } }, ['t'], ['c']],
    [{ id: 'm', taskId: 't', url: 'https://hooks.example/' }, ['t'], []],
    [{ task: { id: 7, contextId: '' }, message: 'm', statusUpdate: [], artifactUpdate: null }, [], []],
    [{ kind: 'task', id: '', contextId: 'c', status: 'm' }, [], ['c']],
    [null, [], []],
    ['t', [], []],
    [[{ kind: 'task', id: 't', contextId: 'c' }], [], []],
  ];
  for (const [result, tasks, contexts] of rows) {
    for (const [way, said, method] of [
      ['at once', answer(result), 'message/send'],
      ['in a stream', events(result), 'message/stream'],
    ] as const) {
      it(`${way} gives the caller the tasks and contexts in ${JSON.stringify(result)}, and no other id`, async () => {
        const { post, stream } = openOneAgent((request) =>
          methodOf(request) === method ? said : answer({ tasks: [] }),
        );
        if (method === 'message/stream') await stream(rpc(method, { message }));
        else assert.equal((await post(send)).status, 200);
        const passes = async (request: string) => (await post(request)).code !== -32001;
        const found = { tasks: [] as string[], contexts: [] as string[] };
        for (const id of ['t', 'c', 'm', '7']) {
          if (await passes(rpc('GetTask', { id }))) found.tasks.push(id);
          if (await passes(rpc('ListTasks', { contextId: id }))) found.contexts.push(id);
        }
        assert.deepEqual(found, { tasks, contexts });
      });
    }
  }
});

describe('a list of the tasks of an agent (a foreign contextId or taskId)', () => {
  const mine = { id: 'mine', status: state, artifacts: [] };
  const strangers = [{ id: 'theirs', status: state }, { status: state }, { id: 7 }, null, 'mine', ['mine']];
  const rows: readonly [method: string, result: unknown, shown: unknown][] = [
    [
      'ListTasks',
      { tasks: [mine, ...strangers], totalSize: 7, nextPageToken: 'next', pageSize: 50 },
      { tasks: [mine], totalSize: 1, nextPageToken: 'next', pageSize: 50 },
    ],
    ['ListTasks', { tasks: strangers }, { tasks: [] }],
    ['ListTasks', {}, { tasks: [] }],
    ['tasks/list', [...strangers, mine], [mine]],
  ];
  for (const [method, result, shown] of rows) {
    it(`shows its caller its own alone, and how many those are: ${method} of ${JSON.stringify(result).length} characters`, async () => {
      verifies('security.foreign-conversation');
      const begins = answer({ kind: 'task', id: 'mine', status: state });
      const owners = keptOwners();
      const asks = (begun: Said) =>
        openOneAgent((request) => (methodOf(request) === 'message/send' ? begun : answer(result)), {
          more: { owners },
        });
      const one = asks(begins);
      await one.post(send, { authorization: 'Bearer one' });
      await asks(answer({ kind: 'task', id: 'theirs', status: state })).post(send, { authorization: 'Bearer two' });
      const { status, body } = await one.post(rpc(method, {}), { authorization: 'Bearer one' });
      assert.deepEqual([status, body], [200, { jsonrpc: '2.0', id: 7, result: shown }]);
    });
  }

  it('that is none fails, and gives nothing', async () => {
    for (const result of ['mine', null, { tasks: 'mine' }, { tasks: { mine } }]) {
      const { post, records } = openOneAgent(answer(result));
      const { status, body } = await post(rpc('ListTasks', {}));
      checkError(body, status, rpcError(-32603, ''));
      assert.deepEqual([status, records[0]?.status], [200, 'failure']);
    }
  });
});
