import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import type { Heard } from '../../../support/backends/echoBackend.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

interface Ids {
  readonly task: string;
  readonly context: string;
}
interface Who {
  readonly says: string;
  readonly key: () => string;
  readonly endUser?: string;
  readonly at: () => string;
}
interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly data?: readonly { readonly reason: string }[] };
}

const message = (more: object) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ kind: 'text', text: 'hi' }], ...more },
});
const url = 'https://93.184.216.34/a2a';

/** Every method that can name a context or a task, with each place where it can. */
const requests: readonly [method: string, says: string, params: (ids: Ids) => object][] = [
  ...['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage'].flatMap(
    (method): [string, string, (ids: Ids) => object][] => [
      [method, 'in a context', ({ context }) => message({ contextId: context })],
      [method, 'to a task', ({ task }) => message({ taskId: task })],
      [method, 'in a context, to a task', ({ task, context }) => message({ taskId: task, contextId: context })],
      [method, 'that refers to a task', ({ task }) => message({ referenceTaskIds: [task] })],
    ],
  ),
  [
    'message/send',
    'with a notification about a task',
    ({ task }) => ({ ...message({}), configuration: { pushNotificationConfig: { taskId: task, url } } }),
  ],
  [
    'SendMessage',
    'with a notification about a task',
    ({ task }) => ({ ...message({}), configuration: { taskPushNotificationConfig: { taskId: task, url } } }),
  ],
  ['SendMessage', 'in snake_case, to a task', ({ task }) => message({ task_id: task })],
  ['SendMessage', 'in snake_case, in a context', ({ context }) => message({ context_id: context })],
  ...['tasks/get', 'tasks/cancel', 'tasks/resubscribe', 'GetTask', 'CancelTask', 'SubscribeToTask'].map(
    (method): [string, string, (ids: Ids) => object] => [method, 'of a task', ({ task }) => ({ id: task })],
  ),
  ['GetTask', 'with a task under a second name', ({ task }) => ({ id: task, taskId: task })],
  ...['tasks/list', 'ListTasks'].map((method): [string, string, (ids: Ids) => object] => [
    method,
    'of a context',
    ({ context }) => ({ contextId: context }),
  ]),
  [
    'tasks/pushNotificationConfig/set',
    'of a task',
    ({ task }) => ({ taskId: task, pushNotificationConfig: { id: 'config', url } }),
  ],
  ...['get', 'list', 'delete'].map((it): [string, string, (ids: Ids) => object] => [
    `tasks/pushNotificationConfig/${it}`,
    'of a task',
    ({ task }) => ({ id: task, pushNotificationConfigId: 'config' }),
  ]),
  ['CreateTaskPushNotificationConfig', 'of a task', ({ task }) => ({ taskId: task, id: 'config', url })],
  ...['GetTaskPushNotificationConfig', 'DeleteTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs'].map(
    (method): [string, string, (ids: Ids) => object] => [
      method,
      'of a task',
      ({ task }) => ({ taskId: task, id: 'config' }),
    ],
  ),
];

describe('a foreign contextId or taskId', () => {
  let stand: Stand;
  let replica: Stand;
  let restarted: Stand;
  let owner: string;
  let other: string;
  let ids: Ids;
  let restartedIds: Ids;
  let made = 0;

  /** One agent, which sees one credential and takes every id for its caller's. */
  function speakTasks({ body }: Heard, response: ServerResponse): void {
    const { id, method, params } = JSON.parse(body.toString()) as {
      readonly id: unknown;
      readonly method: string;
      readonly params: { readonly message?: Readonly<Record<string, unknown>>; readonly id?: string };
    };
    made += 1;
    const { message: sent } = params;
    const task = {
      id: sent ? (sent['taskId'] ?? `task-${made}`) : (params.id ?? 'none'),
      contextId: sent?.['contextId'] ?? `context-${made}`,
      status: { state: 'TASK_STATE_WORKING' },
    };
    const isLegacy = method.includes('/');
    const result = /list/i.test(method)
      ? { tasks: [task, ...allTasks], totalSize: allTasks.length + 1, nextPageToken: '' }
      : isLegacy || !sent
        ? { kind: 'task', ...task }
        : { task };
    const text = JSON.stringify({ jsonrpc: '2.0', id, result });
    if (!/stream|subscribe/i.test(method)) return void response.setHeader('content-type', 'application/json').end(text);
    response.setHeader('content-type', 'text/event-stream').end(`data: ${text}\n\n`);
  }
  const allTasks: { readonly id: string }[] = [];

  async function ask(at: string, key: string, method: string, params: object, endUser?: string) {
    const response = await fetch(`${at}/a2a/weather`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gateway-api-key': `Bearer ${key}`,
        ...(endUser !== undefined && { 'x-gateway-end-user-id': endUser }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    });
    const text = (await response.text()).replace(/^data: /, '');
    return { status: response.status, answer: JSON.parse(text) as Answer };
  }

  async function begin(at: string, key: string, method = 'message/send', more: object = {}, endUser = 'ada') {
    const { answer } = await ask(at, key, method, message(more), endUser);
    const task = (answer.result?.['task'] ?? answer.result) as { readonly id: string; readonly contextId: string };
    return { task: task.id, context: task.contextId };
  }

  /** What the agent received from `work` on. */
  async function received(work: () => Promise<unknown>): Promise<readonly string[]> {
    stand.backend.heard.splice(0);
    await work();
    return stand.backend.heard.map(({ body }) => body.toString());
  }

  async function isRefused(at: string, key: string, method: string, params: object, endUser?: string): Promise<void> {
    let found: Awaited<ReturnType<typeof ask>> | undefined;
    const calls = await received(async () => {
      found = await ask(at, key, method, params, endUser);
    });
    const says = JSON.stringify([method, params, endUser]);
    assert.equal(found?.answer.error?.code, -32001, says);
    // A message never reaches the agent. Other requests name a task that does not exist, so that the agent returns its own error.
    assert.equal(calls.length, /message/i.test(method) ? 0 : 1, says);
    for (const id of Object.values({ ...ids, ...restartedIds, ...params }).filter((it) => typeof it === 'string'))
      assert.ok(id === 'config' || id === url || !calls.join().includes(id), `${says} told the agent ${id}`);
    const isProtobuf = !method.includes('/');
    assert.deepEqual(
      [found?.status, found?.answer.error?.data?.[0]?.reason],
      [200, isProtobuf ? 'TASK_NOT_FOUND' : undefined],
      says,
    );
  }

  before(async function start() {
    stand = await openStand();
    stand.backend.answer = speakTasks;
    await stand.addAgent({ agent_id: 'weather-id', agent_name: 'weather' });
    const first = await stand.addKey();
    other = await stand.addKey();
    const before = await stand.replica();
    restartedIds = await begin(before.base, first);
    await before.gateway.close(0);
    ids = await begin(stand.base, first);
    const rotated = await stand.manage('POST', `/key/${first}/regenerate`, {});
    owner = String(rotated['key']);
    replica = await stand.replica();
    restarted = await stand.replica();
  });
  after(() => stand.close());

  const strangers: readonly Who[] = [
    { says: 'another key', key: () => other, endUser: 'ada', at: () => stand.base },
    { says: 'the same key for another end user', key: () => owner, endUser: 'bob', at: () => stand.base },
    { says: 'the same key for nobody', key: () => owner, at: () => stand.base },
    { says: "an administrator's key", key: () => stand.adminKey, endUser: 'ada', at: () => stand.base },
    { says: 'another key at another replica', key: () => other, endUser: 'ada', at: () => replica.base },
  ];
  for (const [method, says, params] of requests) {
    it(`never reaches an agent through ${method} ${says} from another caller`, async () => {
      verifies('security.foreign-conversation');
      for (const { key, endUser, at } of strangers) await isRefused(at(), key(), method, params(ids), endUser);
      await isRefused(restarted.base, other, method, params(restartedIds), 'ada');
    });

    it(`is the caller's own by ${method} ${says}, after a rotation, a restart and at another replica`, async () => {
      for (const [at, named] of [
        [stand.base, ids],
        [replica.base, ids],
        [restarted.base, restartedIds],
      ] as const) {
        let answer: Answer | undefined;
        const calls = await received(async () => {
          ({ answer } = await ask(at, owner, method, params(named), 'ada'));
        });
        assert.deepEqual([calls.length, answer?.error], [1, undefined], `${method} ${JSON.stringify(params(named))}`);
      }
    });
  }

  for (const method of ['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage'])
    it(`is known at every replica as soon as the answer to ${method} gave it`, async () => {
      verifies('security.foreign-conversation');
      const given = await begin(stand.base, owner, method);
      await isRefused(replica.base, other, 'tasks/get', { id: given.task });
      await isRefused(replica.base, other, 'message/send', message({ contextId: given.context }));
      const { answer } = await ask(replica.base, owner, 'tasks/get', { id: given.task }, 'ada');
      assert.equal(answer.error, undefined);
    });

  it('that no answer gave is refused for a task; a context that a client makes up is its own from then on', async () => {
    for (const method of ['tasks/get', 'GetTask']) await isRefused(stand.base, owner, method, { id: 'made-up' }, 'ada');
    await isRefused(stand.base, owner, 'message/send', message({ taskId: 'made-up', contextId: 'with-it' }), 'ada');
    const own = await begin(stand.base, other, 'message/send', { contextId: 'with-it' });
    assert.equal(own.context, 'with-it');
    await isRefused(replica.base, owner, 'message/send', message({ contextId: 'with-it' }), 'ada');
  });

  it("that two make up at the same time at two replicas is one caller's", async () => {
    const bound = await Promise.all([
      ask(stand.base, owner, 'message/send', message({ contextId: 'raced' })),
      ask(replica.base, other, 'message/send', message({ contextId: 'raced' })),
    ]);
    assert.deepEqual(
      bound.map(({ answer }) => answer.error?.code ?? 0).sort((a, b) => a - b),
      [-32001, 0],
    );
  });

  it('that is no text is refused, since agents may read it as the text of another', async () => {
    for (const params of [message({ contextId: [ids.context] }), message({ taskId: 7 })]) {
      const calls = await received(async () => {
        const { answer } = await ask(stand.base, other, 'message/send', params);
        assert.equal(answer.error?.code, -32602);
      });
      assert.deepEqual(calls, []);
    }
  });

  it('is not shown by a list: it has the tasks of the caller alone, and their number', async () => {
    verifies('security.foreign-conversation');
    const mine = await begin(stand.base, other);
    allTasks.splice(0, allTasks.length, { id: ids.task }, { id: mine.task }, { id: restartedIds.task });
    for (const method of ['tasks/list', 'ListTasks']) {
      const { answer } = await ask(replica.base, other, method, {}, 'ada');
      assert.deepEqual(answer.result, { tasks: [{ id: mine.task }], totalSize: 1, nextPageToken: '' });
    }
  });

  it('is in the log as a refused call of whoever sent it', async () => {
    verifies('security.foreign-conversation');
    const key = await stand.addKey();
    await isRefused(stand.base, key, 'tasks/cancel', { id: ids.task });
    const { store } = stand.gateway;
    const rows = async () => {
      await store.logLines.enterAll();
      return store.database.reports
        .selectFrom('spend_logs')
        .select(['status', 'error_code', 'error'])
        .where('api_key', '=', hashKey(key))
        .execute();
    };
    await until('it is in the log', async () => (await rows()).length > 0);
    const found = await rows();
    assert.deepEqual(found, [{ status: 'failure', error_code: '-32001', error: found[0]?.error }]);
    assert.match(found[0]?.error ?? '', /refused/);
  });
});
