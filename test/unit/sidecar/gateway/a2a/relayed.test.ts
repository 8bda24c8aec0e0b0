import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { answerOf } from '../../../../support/a2a/frontUnderTest.ts';
import {
  agent,
  checkError,
  fine,
  gatewayError,
  json,
  message,
  openOneAgent,
  rpc,
  send,
} from '../../../../support/a2a/oneAgent.ts';

describe('limits on calls to an agent', () => {
  it('that the caller has reached go through as the fault they are, and the record is failed', async () => {
    const fault = new Fault('budget_exceeded', 'Budget has been exceeded!');
    const { post, records, heard } = openOneAgent(fine, { more: { admit: () => Promise.reject(fault) } });
    const answer = await post(send);
    assert.equal(answer.status, 429);
    checkError(answer.body, 429, gatewayError('budget_exceeded', 'exceeded'));
    assert.deepEqual([records.length, records[0]?.status, records[0]?.error], [1, 'failure', fault.message]);
    assert.equal(heard.length, 0);
  });

  it('of a session are answered 429, for the messages of this session alone', async () => {
    const limited = { ...agent, gateway_params: { max_iterations: 1, cost_per_query: 2 } };
    const { post, admitted } = openOneAgent(fine, { agents: [{ agent: limited, url: 'https://agent.test' }] });
    const session = { 'x-gateway-session-id': 'session-1' };
    assert.equal((await post(send, session)).status, 200);
    assert.equal((await post(rpc('tasks/get', { id: 't' }), session)).status, 200);
    const refused = await post(send, session);
    assert.equal(refused.status, 429);
    checkError(refused.body, 429, gatewayError('budget_exceeded', '1 messages'));
    assert.equal((await post(send, { 'x-gateway-session-id': 'session-2' })).status, 200);
    assert.equal((await post(send, { ...session, authorization: 'Bearer other' })).status, 200);
    assert.deepEqual(
      admitted.map((it) => it.spend),
      [2, 0, 0, 2, 2],
    );
  });

  it('of a session at one agent leave a session of the same name at another agent alone', async () => {
    const limited = { ...agent, gateway_params: { max_iterations: 1 } };
    const agents = [limited, { ...limited, agent_id: 'agent-2', agent_name: 'news' }];
    const { post } = openOneAgent(fine, { agents: agents.map((it) => ({ agent: it, url: 'https://agent.test' })) });
    const statuses: number[] = [];
    for (const path of ['/a2a/weather', '/a2a/news', '/a2a/weather', '/a2a/news'])
      statuses.push((await post(send, { 'x-gateway-session-id': 'session-1' }, path)).status);
    assert.deepEqual(statuses, [200, 200, 429, 429]);
  });

  it('of a session count the messages of a conversation where the caller names no session', async () => {
    const limited = { ...agent, gateway_params: { max_iterations: 1 } };
    const { post } = openOneAgent(fine, { agents: [{ agent: limited, url: 'https://agent.test' }] });
    const inContext = (contextId: string) => rpc('message/send', { message: { ...message, contextId } });
    const statuses: number[] = [];
    for (const it of [inContext('a'), inContext('a'), inContext('b'), send, send])
      statuses.push((await post(it)).status);
    assert.deepEqual(statuses, [200, 429, 200, 200, 200]);
  });
});

describe('a relayed call', () => {
  it('leaves as it was judged, with the headers of the protocol; the answer comes byte for byte', async () => {
    const said = {
      headers: { ...json, 'a2a-version': '1.0', 'set-cookie': 'a=b' },
      body: '{"jsonrpc":"2.0",  "id":7, "result": 1e400}',
    };
    const { front, heard, records } = openOneAgent(said);
    const body =
      '{ "id": 12345678901234567890, "jsonrpc":"2.0","method":"message/send","trace":1,"params":{"message":{"messageId":"m","role":"user","parts":[]}, "n": 1.0} }';
    const sent =
      '{"jsonrpc":"2.0","id":12345678901234567890,"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":[]},"n":1.0}}';
    const headers = {
      ...json,
      'a2a-version': '1.0',
      'a2a-extensions': 'https://e.test/1',
      cookie: 'a=b',
      'x-else': '1',
    };
    const request = new Request('https://gateway.test/a2a/agent-1/message/send/', { method: 'POST', body, headers });
    const response = await answerOf(front, request);
    assert.equal(await response.text(), said.body);
    assert.deepEqual([...response.headers.keys()].sort(), ['a2a-version', 'cache-control', 'content-type']);
    assert.deepEqual(heard, [
      {
        method: 'POST',
        url: 'https://agent.test/rpc',
        body: sent,
        isLongLived: false,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'a2a-version': '1.0',
          'a2a-extensions': 'https://e.test/1',
        },
      },
    ]);
    assert.deepEqual(records, [
      {
        endpoint: '/a2a/{agent_id}/message/send',
        call_type: 'asend_message',
        model: 'a2a_agent/weather',
        agent_id: 'agent-1',
        api_base: 'https://agent.test/rpc',
        status: 'success',
        spend: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
      },
    ]);
  });

  it('of 1.0 may be written in snake_case, and leaves in camelCase, with free members as they are', async () => {
    const { post, heard } = openOneAgent(fine);
    const snake = {
      message: {
        message_id: 'm1',
        context_id: 'c1',
        role: 'ROLE_USER',
        reference_task_ids: ['t'],
        parts: [{ text: 'hi', media_type: 'text/plain', metadata: { a_b: 1 } }, { data: { some_name: 1 } }],
      },
      configuration: { history_length: 1, accepted_output_modes: [] },
      metadata: { a_b: 1 },
    };
    const camel = {
      message: {
        messageId: 'm1',
        contextId: 'c1',
        role: 'ROLE_USER',
        referenceTaskIds: ['t'],
        parts: [{ text: 'hi', mediaType: 'text/plain', metadata: { a_b: 1 } }, { data: { some_name: 1 } }],
      },
      configuration: { historyLength: 1, acceptedOutputModes: [] },
      metadata: { a_b: 1 },
    };
    // The answer gives the task to the caller.
    await post(send);
    assert.equal((await post(rpc('SendMessage', snake))).status, 200);
    const body = heard[1]?.body;
    assert.ok(typeof body === 'string');
    assert.deepEqual((JSON.parse(body) as { params: unknown }).params, camel);
    assert.equal((await post(rpc('message/send', snake))).code, -32602);
    assert.equal(heard.length, 2);
  });

  it('is not answered with what readers understand differently', async () => {
    for (const body of [
      '{"jsonrpc":"2.0","id":7,"result":{},"result":{"a":1}}',
      '{"jsonrpc":"2.0","id":7,"id":8,"result":{}}',
      '{"jsonrpc":"2.0","id":7,"result":{},"Result":{}}',
      '{"jsonrpc":"2.0","id":7,"result":{"kind":"task","kind":"message"}}',
      '{"jsonrpc":"2.0","id":7,"result":{"task":{"id":"one","id":"two"}}}',
      '{"jsonrpc":"2.0","id":7,"result":{"task":{"id":"one"}},"error":{"code":1,"message":"m"}}',
    ]) {
      const { post } = openOneAgent({ headers: json, body });
      const { status, body: answer } = await post(send);
      assert.deepEqual([status, (answer['error'] as { code: number }).code], [200, -32603]);
    }
  });

  it('never carries the key, also where the caller puts it into a header of the protocol', async () => {
    const { post, heard, added } = openOneAgent();
    const canary = 'sk-canary-key-0001';
    await post(send, {
      authorization: `Bearer ${canary}`,
      'x-gateway-trace-id': canary,
      'a2a-extensions': `https://e.test/${canary}`,
      'x-gateway-end-user-id': 'canary-user',
    });
    assert.equal(heard.length, 1);
    assert.doesNotMatch(JSON.stringify([heard, added]), /canary/);
  });

  it('to an id goes to that agent, also where another is called so', async () => {
    const named = { agent: { ...agent, agent_id: 'agent-2', agent_name: 'agent-1' }, url: 'https://other.test' };
    const { post, heard } = openOneAgent(fine, { agents: [named, { agent, url: 'https://agent.test/rpc' }] });
    await post(send, {}, '/a2a/agent-1');
    assert.equal(heard[0]?.url, 'https://agent.test/rpc');
  });

  it('to an extended card answers it rewritten, and refuses one that is none', async () => {
    const card = { name: 'W', url: 'http://inside.test', preferredTransport: 'GRPC' };
    const ask = rpc('agent/getAuthenticatedExtendedCard', undefined);
    const { post } = openOneAgent({ headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: 7, result: card }) });
    const answer = await post(ask);
    const result = answer.body['result'] as Record<string, unknown>;
    assert.deepEqual([answer.body['id'], result['url']], [7, 'https://gateway.test/a2a/agent-1']);
    const streamed = { headers: { 'content-type': 'text/event-stream' }, body: `data: ${fine.body}\n\n` };
    const nameless = { headers: json, body: '{"jsonrpc":"2.0","id":7,"result":{"url":"http://inside.test"}}' };
    for (const said of [streamed, nameless, fine]) {
      const { post: again, records } = openOneAgent(said);
      assert.deepEqual([(await again(ask)).status, records[0]?.error_code], [200, 'garbage']);
    }
  });
});
