import assert from 'node:assert/strict';
import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type A2aGateway, registration, startA2aGateway } from '../../../support/a2a/gateway.ts';
import { agentPath, type Era, type SdkAgent, startSdkAgent } from '../../../support/a2a/sdkAgent.ts';
import { asCaller, connectSdkClient, type SdkBinding, saying } from '../../../support/a2a/sdkClient.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const eras: readonly Era[] = ['0.3', '1.0'];
const bindings: readonly SdkBinding[] = ['JSONRPC', 'HTTP+JSON'];
for (const [era, binding] of eras.flatMap((it) => bindings.map((other) => [it, other] as const))) {
  describe(`an SDK client and an SDK agent of A2A ${era} over ${binding} with the gateway between them`, () => {
    let agent: SdkAgent;
    let gateway: A2aGateway;
    let client: Client;

    beforeEach(async () => {
      // Without JSON-RPC, only the card says where the agent is.
      agent = await startSdkAgent(era, { isHonest: binding === 'HTTP+JSON' });
      const prices = { input_cost_per_token: 1, output_cost_per_token: 10 };
      gateway = await startA2aGateway([{ agent: registration(prices), url: `${agent.url}${agentPath}` }]);
      client = await connectSdkClient(gateway.base, 'weather', binding);
    });
    afterEach(async () => {
      agent.executor.go();
      await gateway.close();
      await agent.close();
    });

    const lastRecord = () => gateway.records.at(-1);
    const asTask = (result: unknown) => result as Task;
    const textsOf = (task: Task) =>
      task.artifacts.map((it) =>
        it.parts.map((part) => (part.content?.$case === 'text' ? part.content.value : '')).join(''),
      );
    async function startSlow(): Promise<{ readonly id: string; readonly events: AsyncGenerator<StreamResponse> }> {
      const events = client.sendMessageStream(saying('slow'));
      const first = await events.next();
      const payload = first.value?.payload;
      if (payload?.$case !== 'task') throw new Error(`the stream began with ${payload?.$case}`);
      return { id: payload.value.id, events };
    }

    it('meet through a card that names the gateway alone', async () => {
      assert.equal(client.protocolVersion, era);
      const response = await asCaller(`${gateway.base}/a2a/agent-1/.well-known/agent-card.json`);
      const text = await response.text();
      assert.ok(text.includes(`${gateway.base}/a2a/agent-1`));
      assert.doesNotMatch(text, /169\.254|GRPC/);
      assert.deepEqual(
        gateway.records.map((it) => [it.endpoint, it.call_type, it.status]),
        Array(2).fill(['/a2a/{agent_id}/.well-known/agent-card.json', 'a2a:agent_card', 'success']),
      );
      await client.sendMessage(saying('hello'));
      const path = era === '1.0' ? 'message:send' : 'v1/message:send';
      const endpoint = binding === 'JSONRPC' ? '/a2a/{agent_id}' : `/a2a/{agent_id}/${path}`;
      assert.equal(lastRecord()?.endpoint, endpoint);
    });

    it('send a message and get a task, which is recorded and priced by its texts', async () => {
      const task = asTask(await client.sendMessage(saying('what is the weather?')));
      assert.deepEqual([task.status?.state, textsOf(task)], [TaskState.TASK_STATE_COMPLETED, ['sun']]);
      const { call_type, model, status, spend, prompt_tokens, completion_tokens } = lastRecord() ?? {};
      assert.deepEqual(
        [call_type, model, status, prompt_tokens, completion_tokens, spend],
        ['asend_message', 'a2a_agent/weather', 'success', 5, 1, 15],
      );
      assert.deepEqual(gateway.admitted, [{ cost: 5, spend: 15 }]);
    });

    it('stream: each piece arrives when it is said, and the price is known at the end', async () => {
      const { events } = await startSlow();
      const second = await events.next();
      assert.equal(second.value?.payload?.$case, 'artifactUpdate');
      assert.equal(lastRecord()?.status, undefined);
      agent.executor.go();
      const rest: string[] = [];
      for await (const it of events) rest.push(String(it.payload?.$case));
      assert.deepEqual(rest, ['artifactUpdate', 'statusUpdate']);
      await until('the record is finished', () => lastRecord()?.status !== undefined);
      const { call_type, status, spend, completion_tokens } = lastRecord() ?? {};
      assert.deepEqual([call_type, status, completion_tokens, spend], ['asend_message_streaming', 'success', 2, 21]);
    });

    it('read and cancel a task, for nothing', async () => {
      const { id, events } = await startSlow();
      const task = await client.getTask({ tenant: '', id, historyLength: undefined });
      assert.equal(task.id, id);
      const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
      assert.equal(cancelled.status?.state, TaskState.TASK_STATE_CANCELED);
      for await (const _ of events);
      const later = gateway.records
        .filter((it) => it.call_type.startsWith('a2a:') && it.model.endsWith('weather'))
        .slice(1);
      assert.deepEqual(
        later.map((it) => [it.status, it.spend]),
        [
          ['success', 0],
          ['success', 0],
        ],
      );
    });

    it('subscribe to a running task again and hear its end', async () => {
      const { id, events } = await startSlow();
      const again = client.resubscribeTask({ tenant: '', id });
      const first = await again.next();
      assert.equal(first.value?.payload?.$case, 'task');
      agent.executor.go();
      const kinds: string[] = [];
      for await (const it of again) kinds.push(String(it.payload?.$case));
      assert.equal(kinds.at(-1), 'statusUpdate');
      for await (const _ of events);
    });

    it('set, read, list and delete where notifications go, unless that is inside', async () => {
      const { id: taskId, events } = await startSlow();
      const config = {
        tenant: '',
        id: 'config-1',
        taskId,
        url: 'https://hooks.example/a2a',
        token: 'word',
        authentication: undefined,
      };
      assert.equal((await client.createTaskPushNotificationConfig(config)).url, config.url);
      const one = { tenant: '', taskId, id: 'config-1' };
      assert.equal((await client.getTaskPushNotificationConfig(one)).token, 'word');
      const list = { tenant: '', taskId, pageSize: 0, pageToken: '' };
      assert.equal((await client.listTaskPushNotificationConfig(list)).configs.length, 1);
      await client.deleteTaskPushNotificationConfig(one);
      assert.equal((await client.listTaskPushNotificationConfig(list)).configs.length, 0);
      for (const url of ['https://inside.example/', 'http://hooks.example/', 'https://169.254.169.254/']) {
        await assert.rejects(client.createTaskPushNotificationConfig({ ...config, url }), /push notification/, url);
      }
      assert.equal((await client.listTaskPushNotificationConfig(list)).configs.length, 0);
      agent.executor.go();
      for await (const _ of events);
    });

    it('get the extended card, which names the gateway too', async () => {
      const card = await client.getAgentCard();
      assert.equal(card.description, 'For those who are known.');
      assert.deepEqual([...new Set(card.supportedInterfaces.map((it) => it.url))], [`${gateway.base}/a2a/agent-1`]);
    });

    it("pass the agent's own errors on, with their number", async () => {
      const { id } = asTask(await client.sendMessage(saying('hello')));
      await assert.rejects(client.cancelTask({ tenant: '', id, metadata: undefined }), /cancel/i);
      const error = `${binding === 'JSONRPC' ? 'JSON-RPC' : binding} error -32002`;
      assert.deepEqual([lastRecord()?.status, lastRecord()?.error], ['failure', error]);
    });

    const methods = binding === 'JSONRPC' ? ['NoSuchMethod'] : [];
    for (const method of methods)
      it('get the same error for an unknown method, directly and through the gateway', async () => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: 'x' } });
        const headers = { 'content-type': 'application/json', 'a2a-version': era };
        const request = { method: 'POST', headers, body };
        const direct = await fetch(`${agent.url}${agentPath}`, {
          ...request,
          headers: { ...headers, authorization: 'Bearer agents-own-key' },
        });
        const through = await asCaller(`${gateway.base}/a2a/agent-1`, request);
        const said = (await direct.json()) as { readonly error: { readonly code: number } };
        assert.equal(said.error.code, -32601);
        assert.deepEqual([through.status, await through.json()], [direct.status, said]);
      });

    it('get the same error from the agent for a foreign contextId or taskId as for one that does not exist, and the agent does not learn the ID', async () => {
      verifies('security.foreign-conversation');
      const before = agent.heard.length;
      const refusals = [
        () => client.getTask({ tenant: '', id: 'nobody', historyLength: undefined }),
        () => client.cancelTask({ tenant: '', id: 'nobody', metadata: undefined }),
        () => client.resubscribeTask({ tenant: '', id: 'nobody' }).next(),
      ];
      for (const it of refusals) await assert.rejects(it, /Task not found: nobody/);
      const told = agent.heard.slice(before);
      assert.equal(told.length, refusals.length);
      assert.ok(!JSON.stringify(told).includes('nobody'));
      assert.deepEqual(
        [lastRecord()?.status, lastRecord()?.error],
        ['failure', 'refused: the task or context does not belong to the caller'],
      );
    });

    it('tell the agent the trace and its own id, and neither the key nor the end user', async () => {
      await client.sendMessage(saying('hello'));
      assert.ok(agent.heard.length >= 2);
      for (const { headers } of agent.heard) {
        assert.deepEqual(
          [headers['x-gateway-trace-id'], headers['x-gateway-agent-id'], headers.authorization],
          ['trace-1', 'agent-1', 'Bearer agents-own-key'],
        );
        assert.doesNotMatch(JSON.stringify(headers), /canary/);
      }
      const sent = agent.heard.at(-1)?.headers['a2a-version'];
      if (era === '1.0') assert.equal(sent, '1.0');
    });

    it('part when the caller leaves a stream, and what came until then is paid', async () => {
      const caller = new AbortController();
      const events = client.sendMessageStream(saying('slow'), { signal: caller.signal });
      await events.next();
      await events.next();
      caller.abort();
      await assert.rejects(events.next());
      await until('the record is finished', () => lastRecord()?.status !== undefined);
      const { status, error, spend } = lastRecord() ?? {};
      assert.deepEqual([status, error, spend], ['failure', 'the caller disconnected', 11]);
    });
  });
}
