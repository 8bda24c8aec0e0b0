import assert from 'node:assert/strict';
import type { Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { after, before, describe, it } from 'mocha';
import { type A2aGateway, registration, startA2aGateway } from '../../support/a2a/gateway.ts';
import { agentPath, type Era, type failures, type SdkAgent, startSdkAgent } from '../../support/a2a/sdkAgent.ts';
import {
  asCaller,
  connectSdkClient,
  connectSdkClientTo,
  type SdkBinding,
  saying,
} from '../../support/a2a/sdkClient.ts';
import { verifies } from '../../support/verifies.ts';

/** What a program can learn from an error. */
interface Learned {
  readonly name: string;
  readonly message: string;
  readonly [more: string]: unknown;
}

function learn(thrown: unknown): Learned {
  assert.ok(thrown instanceof Error, 'nothing failed');
  const { name, message, cause } = thrown;
  const { reason, metadata, envelopeCode, data, statusCode, transport } = thrown as unknown as Record<string, unknown>;
  const inner = cause instanceof Error ? learn(cause) : undefined;
  return { name, message, reason, metadata, envelopeCode, data, statusCode, transport, inner };
}

const errorOf = (work: Promise<unknown>): Promise<Learned> => work.then(() => learn(undefined), learn);

interface Asking {
  readonly says: string;
  /** Of JSON-RPC. */
  readonly code: number;
  readonly error: string;
  /** Of an agent that takes no webhooks and has no extended card. */
  readonly isPlain?: boolean;
  ask(client: Client): Promise<unknown>;
}

const tenant = '';
const nobodys = 'no-such-task';
const url = 'https://hooks.example/';
const webhook = { tenant, id: 'config-1', taskId: nobodys, url, token: '', authentication: undefined };

/** Every error that an agent has, from whatever a client can ask. */
const table: readonly Asking[] = [
  {
    says: 'reading a task that is not there',
    code: -32001,
    error: 'TaskNotFoundError',
    ask: (client) => client.getTask({ tenant, id: nobodys, historyLength: undefined }),
  },
  {
    says: 'cancelling a task that is not there',
    code: -32001,
    error: 'TaskNotFoundError',
    ask: (client) => client.cancelTask({ tenant, id: nobodys, metadata: undefined }),
  },
  {
    says: 'subscribing to a task that is not there',
    code: -32001,
    error: 'TaskNotFoundError',
    ask: (client) => client.resubscribeTask({ tenant, id: nobodys }).next(),
  },
  {
    says: 'asking for the webhook of a task that is not there',
    code: -32001,
    error: 'TaskNotFoundError',
    ask: (client) => client.getTaskPushNotificationConfig({ tenant, taskId: nobodys, id: 'config-1' }),
  },
  {
    says: 'cancelling a task that has ended',
    code: -32002,
    error: 'TaskNotCancelableError',
    async ask(client) {
      const { id } = (await client.sendMessage(saying('hello'))) as Task;
      // Each task has another id, and errors say it.
      const { message, ...named } = await errorOf(client.cancelTask({ tenant, id, metadata: undefined }));
      throw Object.assign(new Error(message.replaceAll(id, 'the task')), named);
    },
  },
  {
    says: 'setting a webhook where the agent calls none',
    code: -32003,
    error: 'PushNotificationNotSupportedError',
    isPlain: true,
    ask: (client) => client.createTaskPushNotificationConfig(webhook),
  },
  {
    says: 'setting a webhook that leads inside where the agent calls none',
    code: -32003,
    error: 'PushNotificationNotSupportedError',
    isPlain: true,
    ask: (client) => client.createTaskPushNotificationConfig({ ...webhook, url: 'http://127.0.0.1:1/' }),
  },
  {
    says: 'asking for an extended card that there is none of',
    code: -32007,
    error: 'ExtendedAgentCardNotConfiguredError',
    isPlain: true,
    ask: (client) => client.getAgentCard(),
  },
  ...(
    [
      [-32004, 'UnsupportedOperationError'],
      [-32005, 'ContentTypeNotSupportedError'],
      [-32006, 'InvalidAgentResponseError'],
      [-32008, 'ExtensionSupportRequiredError'],
      [-32009, 'VersionNotSupportedError'],
    ] as const satisfies readonly (readonly [number, keyof typeof failures])[]
  ).flatMap(([code, error]): Asking[] => [
    {
      says: `a message that the agent answers with ${error}`,
      code,
      error,
      ask: (it) => it.sendMessage(saying(`fail ${error}`)),
    },
    {
      says: `a stream that the agent refuses with ${error}`,
      code,
      error,
      ask: (it) => it.sendMessageStream(saying(`fail ${error}`)).next(),
    },
  ]),
];

const eras: readonly Era[] = ['0.3', '1.0'];
const bindings: readonly SdkBinding[] = ['JSONRPC', 'HTTP+JSON'];

for (const era of eras)
  for (const isPlain of [false, true])
    describe(`an SDK client of an agent of A2A ${era}${isPlain ? ' without extras' : ''}, direct and through the gateway`, () => {
      let agent: SdkAgent;
      let gateway: A2aGateway;
      before(async () => {
        agent = await startSdkAgent(era, { isHonest: true, isPlain });
        gateway = await startA2aGateway([{ agent: registration(), url: `${agent.url}${agentPath}` }]);
      });
      after(async () => {
        await gateway.close();
        await agent.close();
      });

      for (const binding of bindings)
        for (const { says, code, error, ask } of table.filter((it) => (it.isPlain ?? false) === isPlain))
          it(`reads the same error over ${binding} from ${says}: ${code}`, async () => {
            verifies('gateway.a2a.own-errors');
            const direct = await errorOf(ask(await connectSdkClientTo(`${agent.url}${agentPath}/`, binding)));
            const through = await errorOf(ask(await connectSdkClient(gateway.base, 'weather', binding)));
            assert.deepEqual(through, direct);
            assert.ok(JSON.stringify(direct).includes(error) || era === '0.3', JSON.stringify(direct));
            const record = gateway.records.at(-1);
            assert.deepEqual([record?.status, record?.error_code, record?.spend], ['failure', String(code), 0]);
          });
    });

/** Requests that no client of an SDK makes. */
const raw: readonly [says: string, body: string, code: number, isAgents: boolean, type?: string][] = [
  ['no JSON', '{', -32700, false],
  ['no request', '{"jsonrpc":"2.0","id":7}', -32600, false],
  ['a member twice', '{"jsonrpc":"2.0","id":7,"method":"a","method":"b"}', -32600, false],
  ['an unknown method', '{"jsonrpc":"2.0","id":7,"method":"no/such","params":{}}', -32601, true],
  ['a message without parameters', '{"jsonrpc":"2.0","id":7,"method":"SEND"}', -32602, true],
  ['another content type', '{"jsonrpc":"2.0","id":7,"method":"SEND"}', -32005, false, 'text/plain'],
];
for (const era of eras)
  describe(`a request to an agent of A2A ${era} that no SDK makes`, () => {
    let agent: SdkAgent;
    let gateway: A2aGateway;
    before(async () => {
      agent = await startSdkAgent(era, { isHonest: true });
      gateway = await startA2aGateway([{ agent: registration(), url: `${agent.url}${agentPath}` }]);
    });
    after(async () => {
      await gateway.close();
      await agent.close();
    });

    for (const [says, body, code, isAgents, type = 'application/json'] of raw)
      it(`over JSON-RPC with ${says} is answered 200 and ${code}${isAgents ? ', as the agent answers it' : ''}`, async () => {
        verifies('gateway.a2a.own-errors');
        const sent = body.replace('SEND', era === '1.0' ? 'SendMessage' : 'message/send');
        const post = async (to: string) => {
          const response = await asCaller(to, { method: 'POST', body: sent, headers: { 'content-type': type } });
          const answer = (await response.json()) as { readonly error: { readonly code: number } };
          return { status: response.status, answer };
        };
        const through = await post(`${gateway.base}/a2a/weather`);
        assert.deepEqual([through.status, through.answer.error.code], [200, code]);
        if (isAgents) assert.deepEqual(through, await post(`${agent.url}${agentPath}`));
      });

    const prefix = era === '1.0' ? '' : 'v1/';
    const overHttp: readonly [says: string, place: string, body: string | undefined, status: number, type?: string][] =
      [
        ['no JSON', 'POST message:send', '{', 400],
        ['a member twice', 'POST message:send', '{"message":{},"message":{}}', 400],
        ['another content type', 'POST message:send', '{"message":{}}', 400, 'text/plain'],
        ['an unknown query parameter', 'GET tasks/t?verbose=1', undefined, 400],
        ['a task that does not exist', 'GET tasks/t', undefined, 404],
        ['an unknown address', 'GET nothing', undefined, 404],
      ];
    for (const [says, place, body, status, type = 'application/json'] of overHttp)
      it(`over HTTP+JSON with ${says} is answered ${status} in the format of its version`, async () => {
        verifies('gateway.a2a.own-errors', 'gateway.a2a.http-json');
        const [method = '', path = ''] = place.split(' ');
        const response = await asCaller(`${gateway.base}/a2a/weather/${prefix}${path}`, {
          method,
          ...(body !== undefined && { body }),
          headers: { 'content-type': type },
        });
        const answer = (await response.json()) as {
          readonly error?: { readonly message?: string };
          readonly message?: string;
        };
        const isOwnFormat = path !== 'nothing' && era === '0.3';
        assert.equal(response.status, status);
        assert.equal(typeof (isOwnFormat ? answer.message : answer.error?.message), 'string', JSON.stringify(answer));
      });

    it('is answered 200 and -32603 where the agent cannot be reached, and 404 and -32000 where there is none', async () => {
      const gone = await startA2aGateway([{ agent: registration(), url: 'http://127.0.0.1:1/' }]);
      const ask = async (name: string) => {
        const response = await asCaller(`${gone.base}/a2a/${name}`, {
          method: 'POST',
          body: '{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t"}}',
          headers: { 'content-type': 'application/json' },
        });
        const { error } = (await response.json()) as { readonly error: { readonly code: number } };
        return [response.status, error.code];
      };
      assert.deepEqual(await ask('weather'), [200, -32603]);
      assert.deepEqual(await ask('nobody'), [404, -32000]);
      await gone.close();
    });
  });
