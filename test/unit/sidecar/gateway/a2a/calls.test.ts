import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { a2aRoutes } from '../../../../../sidecar/gateway/a2a/routes.ts';
import { Progress } from '../../../../../sidecar/gateway/auth/progress.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { OpenGatewayParams } from '../../../../../sidecar/protocol/gateway/agent.ts';
import { a2aContextOf } from '../../../../support/a2a/frontUnderTest.ts';
import {
  agent,
  checkError,
  fine,
  gatewayError,
  json,
  message,
  openOneAgent,
  rpc,
  rpcError,
  type Saying,
  send,
} from '../../../../support/a2a/oneAgent.ts';
import { serveRoute } from '../../../../support/gateway/serveRoute.ts';

/** One agent with these parameters, at this address. */
const open = (
  gateway_params: OpenGatewayParams,
  url: string | undefined = 'https://agent.test',
  saying: Saying = fine,
) => openOneAgent(saying, { agents: [{ agent: { ...agent, gateway_params }, ...(url !== undefined && { url }) }] });

describe('the record of a call', () => {
  const types: readonly [method: string, params: object, type: string][] = [
    ['message/send', { message }, 'asend_message'],
    ['SendMessage', { message }, 'asend_message'],
    ['message/stream', { message }, 'asend_message_streaming'],
    ['SendStreamingMessage', { message }, 'asend_message_streaming'],
    ['tasks/list', {}, 'a2a:tasks/list'],
    ['ListTasks', {}, 'a2a:ListTasks'],
  ];
  for (const [method, params, type] of types) {
    it(`calls ${method} ${type}`, async () => {
      const { post, records } = openOneAgent();
      await post(rpc(method, params));
      assert.equal(records[0]?.call_type, type);
    });
  }

  it('has the address without its secrets, the provider, and the session, else the trace', async () => {
    const { post, records } = open({ custom_llm_provider: 'langgraph' }, 'https://user:word@agent.test/rpc?key=secret');
    await post(send, { 'x-gateway-session-id': 'session-1', 'x-gateway-trace-id': 'trace-1' });
    await post(send, { 'x-gateway-trace-id': 'trace-1' });
    assert.deepEqual(
      records.map((it) => [it.api_base, it.custom_llm_provider, it.session_id]),
      ['session-1', 'trace-1'].map((it) => ['https://agent.test/rpc', 'langgraph', it]),
    );
  });

  it('has no address where the agent has none, or none that is one', async () => {
    const fault = new Fault('invalid_params', "'url' must be an http or https URL.");
    const without = openOneAgent(fine, { agents: [{ agent }] });
    const wrong = open({}, 'nowhere', fault);
    const [first, second] = [await without.post(send), await wrong.post(send)];
    checkError(first.body, first.status, rpcError(-32000, 'This A2A agent has no URL'));
    checkError(second.body, second.status, rpcError(-32603, "'url' must be"));
    assert.equal(without.heard.length, 0);
    for (const { records } of [without, wrong])
      assert.deepEqual([records.length, records[0]?.status, 'api_base' in (records[0] ?? {})], [1, 'failure', false]);
  });
});

describe('what a call costs', () => {
  it('is reserved for messages alone', async () => {
    const { post, admitted } = open({ cost_per_query: 3 });
    await post(send);
    await post(rpc('ListTasks', {}));
    assert.deepEqual(
      admitted.map((it) => it.cost),
      [3, 0],
    );
  });

  it('counts for the session when it is known, which ends at its budget', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, result: { metadata: { response_cost: 2 } } });
    const { post, heard } = open({ max_budget_per_session: 3 }, 'https://agent.test', { headers: json, body });
    const inSession = async (id: string) => post(send, { 'x-gateway-session-id': id });
    assert.deepEqual([(await inSession('a')).status, (await inSession('a')).status], [200, 200]);
    const refused = await inSession('a');
    checkError(refused.body, refused.status, gatewayError('budget_exceeded', 'Current cost: 4, Max budget: 3'));
    assert.deepEqual([(await inSession('b')).status, heard.length], [200, 3]);
  });
});

describe('a call on its way to an agent', () => {
  it('has no header that the protocol does not allow, and the id of the request instead of such a trace', async () => {
    const { front, heard, added } = openOneAgent();
    const headers = { ...json, 'a2a-extensions': 'x'.repeat(8_193), 'x-a2a-extensions': 'https://e.test/1' };
    const request = new Request('https://gateway.test/a2a/weather', { method: 'POST', body: send, headers });
    const context = a2aContextOf(request);
    await serveRoute(a2aRoutes, front, request, { ...context, caller: { ...context.caller, traceId: 'trace\n1' } });
    assert.deepEqual(Object.keys(heard[0]?.headers ?? {}), ['accept', 'content-type', 'x-a2a-extensions']);
    assert.equal(added[0]?.['X-Gateway-Trace-Id'], 'request-1');
  });

  it('is waited for under the progress of its request, until the whole answer is there', async () => {
    const { front } = openOneAgent();
    const request = new Request('https://gateway.test/a2a/weather', { method: 'POST', body: send, headers: json });
    let waits = 0;
    const progress = Object.assign(new Progress(() => 0), {
      during: <T>(work: Promise<T>) => {
        waits += 1;
        return work;
      },
    });
    await serveRoute(a2aRoutes, front, request, { ...a2aContextOf(request), progress });
    assert.equal(waits, 2);
  });

  it('reaches the agent with its JSON media type, and is refused without a media type', async () => {
    const { post, front, heard } = openOneAgent();
    await post(send, { 'content-type': 'Application/A2A+json; charset=utf-8' });
    assert.equal(heard[0]?.headers['content-type'], 'application/a2a+json');
    const bytes = new TextEncoder().encode(send);
    const request = new Request('https://gateway.test/a2a/weather', { method: 'POST', body: bytes });
    const response = await serveRoute(a2aRoutes, front, request, a2aContextOf(request));
    const { error } = (await response.json()) as { readonly error: { readonly code: number } };
    assert.deepEqual([error.code, heard.length], [-32005, 1]);
  });

  it('is answered by what the agent says without a type, too', async () => {
    const { post } = openOneAgent({ ...fine, headers: {} });
    assert.equal((await post(send)).status, 200);
  });
});
