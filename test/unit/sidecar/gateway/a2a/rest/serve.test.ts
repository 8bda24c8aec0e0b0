import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { BackendRequest } from '../../../../../../sidecar/gateway/backends/net/exchange.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import { answerOf, type FrontSetup } from '../../../../../support/a2a/frontUnderTest.ts';
import { agent, bodyOf, json, openOneAgent, type Said, type Saying } from '../../../../../support/a2a/oneAgent.ts';
import { verifies } from '../../../../../support/verifies.ts';

const base = 'https://agent.test/agents/weather';
const rest = 'https://agent.test/api';
const card = { supportedInterfaces: [{ url: rest, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }] };
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'what is it?!' }] };
const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
const saying = (body: unknown, status = 200): Said => ({ status, headers: json, body: JSON.stringify(body) });
const notFound = (id: string) =>
  saying({ error: { code: 404, message: `no ${id}`, details: [info('TASK_NOT_FOUND')] } }, 404);
const info = (reason: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason });

/** The last part of the path of a request, without its action. */
const idIn = ({ url }: BackendRequest) => new URL(url).pathname.split('/tasks/')[1]?.split(/[:/]/)[0] ?? '';

/** An agent that has one task, and that names its address for HTTP+JSON only in its card. */
function open(answer: (request: BackendRequest) => Said | Error, setup: Partial<FrontSetup> = {}) {
  const said: Saying = (request) =>
    request.url.includes('/.well-known/') ? saying({ name: 'Weather', ...card }) : answer(request);
  const found = openOneAgent(said, { agents: [{ agent, url: base }], ...setup });
  const ask = async (place: string, body?: unknown, headers: Record<string, string> = {}) => {
    const [method = '', path = ''] = place.split(' ');
    const request = new Request(`https://gateway.test/a2a/weather/${path}`, {
      method,
      headers: { ...json, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await answerOf(found.front, request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : parsed(text) };
  };
  /** Without requests for the card. */
  const called = () => found.heard.splice(0).filter((it) => !it.url.includes('/.well-known/'));
  return { ...found, ask, called };
}
function parsed(text: string): { readonly error?: { readonly code: number; readonly message: string } } {
  return text.startsWith('{')
    ? (JSON.parse(text) as { readonly error?: { readonly code: number; readonly message: string } })
    : {};
}
const mine = (request: BackendRequest) =>
  request.method === 'POST' && !idIn(request)
    ? saying({ task })
    : idIn(request) === 't'
      ? saying(task)
      : notFound(idIn(request));

describe('a call over HTTP+JSON', () => {
  it("goes to the address in the agent's card, and its card is fetched only once", async () => {
    verifies('gateway.a2a.http-json', 'gateway.a2a.endpoint');
    const { ask, heard } = open(mine);
    assert.deepEqual((await ask('POST message:send', { message })).body, { task });
    assert.equal((await ask('GET tasks/t?historyLength=2')).status, 200);
    assert.deepEqual(
      heard.map((it) => `${it.method} ${it.url}`),
      [`GET ${base}/.well-known/agent-card.json`, `POST ${rest}/message:send`, `GET ${rest}/tasks/t?historyLength=2`],
    );
  });

  it('has one record with its cost and its route', async () => {
    const priced = { ...agent, gateway_params: { input_cost_per_token: 1, output_cost_per_token: 10 } };
    const answered = { ...task, artifacts: [{ parts: [{ text: 'rain' }] }] };
    const { ask, records, admitted } = open(() => saying({ task: answered }), {
      agents: [{ agent: priced, url: base }],
    });
    await ask('POST message:send', { message });
    await ask('POST v1/message:send', { request: { ...message, parts: undefined, content: message.parts } });
    const { call_type, model, status, spend, prompt_tokens, completion_tokens } = records[0] ?? {};
    assert.deepEqual(
      [call_type, model, status, spend, prompt_tokens, completion_tokens],
      ['asend_message', 'a2a_agent/weather', 'success', 13, 3, 1],
    );
    assert.deepEqual(
      records.map((it) => [it.endpoint, it.spend]),
      [
        ['/a2a/{agent_id}/message:send', 13],
        ['/a2a/{agent_id}/v1/message:send', 13],
      ],
    );
    assert.deepEqual(admitted, [
      { cost: 3, spend: 13 },
      { cost: 3, spend: 13 },
    ]);
  });

  it('is refused for an agent that the caller cannot use, for an agent that does not exist, and without a budget', async () => {
    const refused = open(mine, { agents: [{ agent, url: base, allowed: false }] });
    assert.equal((await refused.ask('POST message:send', { message })).status, 403);
    const missing = open(mine, { agents: [] });
    const { status, body } = await missing.ask('GET tasks/t');
    assert.deepEqual([status, body?.error?.code, body?.error?.message], [404, 404, 'A2A agent not found.']);
    assert.deepEqual((await missing.ask('GET v1/tasks/t')).body, { code: -32000, message: 'A2A agent not found.' });
    const poor = open(mine, { more: { admit: () => Promise.reject(new Fault('budget_exceeded', 'Spent!')) } });
    assert.equal((await poor.ask('POST message:send', { message })).status, 429);
    const traced = { ...agent, gateway_params: { require_trace_id_on_calls_to_agent: true } };
    const untraced = open(mine, { agents: [{ agent: traced, url: base }] });
    assert.equal((await untraced.ask('POST message:send', { message })).status, 400);
    for (const { heard, records } of [refused, missing, poor, untraced]) {
      assert.equal(heard.length, 0);
      assert.ok(records.length > 0 && records.every((it) => it.status === 'failure' && it.spend === 0));
    }
  });

  it('counts against the limits of a session', async () => {
    const limited = { ...agent, gateway_params: { max_iterations: 1 } };
    const { ask } = open(mine, { agents: [{ agent: limited, url: base }] });
    const session = { 'x-gateway-session-id': 'session-1' };
    assert.equal((await ask('POST message:send', { message }, session)).status, 200);
    assert.equal((await ask('GET tasks/t', undefined, session)).status, 200);
    assert.equal((await ask('POST v1/message:stream', { message }, session)).status, 429);
  });

  for (const place of [
    'GET tasks/t',
    'POST tasks/t:cancel',
    'GET tasks/t:subscribe',
    'POST v1/tasks/t:cancel',
    'GET v1/tasks/t/pushNotificationConfigs',
    'DELETE tasks/t/pushNotificationConfigs/c',
  ])
    it(`for the task of another caller gets the same answer as for one that does not exist (a foreign contextId or taskId): ${place}`, async () => {
      verifies('security.foreign-conversation');
      const { ask, called } = open(mine);
      await ask('POST message:send', { message });
      called();
      const foreign = await ask(place, undefined, { authorization: 'Bearer other' });
      const missing = await ask(place.replace('tasks/t', 'tasks/none'), undefined, { authorization: 'Bearer other' });
      assert.deepEqual([foreign.status, foreign.body?.error?.message], [404, 'no t']);
      assert.deepEqual([missing.status, missing.text], [404, foreign.text.replace('no t', 'no none')]);
      assert.ok(called().every((it) => !['t', 'none'].includes(idIn(it))));
    });

  it('with the task or context of another caller in a message (a foreign contextId or taskId) is refused, and the agent is not called', async () => {
    verifies('security.foreign-conversation');
    const { ask, called } = open(mine);
    await ask('POST message:send', { message });
    called();
    for (const more of [{ taskId: 't' }, { contextId: 'c' }, { referenceTaskIds: ['t'] }]) {
      const body = { message: { ...message, ...more } };
      const { status } = await ask('POST message:send', body, { authorization: 'Bearer other' });
      assert.deepEqual([status, called().length], [404, 0]);
    }
  });

  it('for a list returns only the tasks of the caller', async () => {
    const others = { ...task, id: 'u' };
    const { ask } = open((request) =>
      request.method === 'POST' ? saying({ task }) : saying({ tasks: [task, others], totalSize: 2 }),
    );
    await ask('POST message:send', { message });
    assert.deepEqual((await ask('GET tasks')).body, { tasks: [task], totalSize: 1 });
    assert.deepEqual((await ask('GET tasks', undefined, { authorization: 'Bearer other' })).body, {
      tasks: [],
      totalSize: 0,
    });
  });

  for (const [place, body] of [
    ['POST tasks/t/pushNotificationConfigs', { id: 'c', url: 'https://inside.example/' }],
    [
      'POST v1/tasks/t/pushNotificationConfigs',
      { name: 'tasks/t/pushNotificationConfigs/c', pushNotificationConfig: { url: 'http://hooks.example/' } },
    ],
    [
      'POST v1/tasks/t/pushNotificationConfigs',
      { parent: 'tasks/t', configId: 'c', config: { pushNotificationConfig: { url: 'https://localhost/' } } },
    ],
  ] as const)
    it(`with a webhook on a private network (push notifications to inside) does not reach the agent: ${place} ${JSON.stringify(body)}`, async () => {
      verifies('security.inside-notifications');
      const { ask, called } = open((request) =>
        request.url.includes('pushNotificationConfigs') ? saying({ id: 'c' }) : mine(request),
      );
      await ask('POST message:send', { message });
      called();
      const { status, text } = await ask(place, body);
      assert.equal(status, 400);
      assert.match(text, /must use https and point to a public address/);
      const sent = called();
      assert.equal(sent.length, 1);
      const [{ url } = { url: '' }] = sent;
      assert.doesNotMatch(`${url} ${sent.map(bodyOf).join()}`, /tasks\/t\b|inside|hooks|localhost/);
    });

  it('is streamed event by event, and a broken stream ends with an error in the format of the era', async () => {
    const events = `data: ${JSON.stringify({ task })}\n\ndata: {"a":1,"a":\n\n`;
    const { ask, records } = open(() => ({ headers: { 'content-type': 'text/event-stream' }, body: events }));
    const modern = await ask('POST message:stream', { message });
    const legacy = await ask('POST v1/message:stream', { message });
    assert.equal(modern.headers.get('content-type'), 'text/event-stream');
    const [first, last] = modern.text.trimEnd().split('\n\n');
    assert.equal(first, `data: ${JSON.stringify({ task })}`);
    assert.match(last ?? '', /^event: error\ndata: \{"error":\{"code":500,"status":"INTERNAL","message":"The stream/);
    assert.match(legacy.text, /event: error\ndata: \{"code":-32603,"message":"The stream/);
    assert.deepEqual(
      records.map((it) => [it.call_type, it.status, it.error_code]),
      Array(2).fill(['asend_message_streaming', 'failure', 'garbage']),
    );
  });

  it('returns the media type of A2A, an empty response, and headers of the protocol as the agent does', async () => {
    const said: Said = {
      headers: { 'content-type': 'application/a2a+json', 'a2a-version': '1.0', 'set-cookie': 'a=b' },
      body: JSON.stringify({ task }),
    };
    const { ask } = open((request) => (request.method === 'DELETE' ? { status: 204 } : said));
    const { headers } = await ask('POST message:send', { message });
    assert.deepEqual(
      [headers.get('content-type'), headers.get('a2a-version'), headers.get('set-cookie')],
      ['application/a2a+json', '1.0', null],
    );
    const deleted = await ask('DELETE tasks/t/pushNotificationConfigs/c');
    assert.deepEqual([deleted.status, deleted.text], [204, '']);
  });

  it('is not one if no operation has its action or method', async () => {
    const { ask, heard, records } = open(mine);
    for (const place of ['POST tasks/t', 'POST tasks/t:other', 'POST tasks/:cancel', 'GET message:send', 'PUT tasks/t'])
      assert.equal((await ask(place)).status, 404, place);
    assert.deepEqual([heard.length, records.length], [0, 0]);
  });

  it('fails if the agent returns something that is not an answer of the protocol, or cannot be reached', async () => {
    for (const said of [
      saying('hi'),
      saying({ task }, 500),
      { status: 404 },
      { status: 302 },
      { status: 401 },
      new Error('connect ECONNREFUSED canary'),
    ]) {
      const { ask, records } = open(() => said);
      const { status, body } = await ask('POST message:send', { message });
      assert.deepEqual([status, body?.error?.code], [500, 500]);
      assert.doesNotMatch(String(body?.error?.message), /canary/);
      assert.deepEqual([records.length, records[0]?.status, records[0]?.spend], [1, 'failure', 0]);
    }
  });

  it('goes to the registered address for HTTP+JSON without asking for a card, or below the registered URL without any', async () => {
    const registered = {
      ...agent,
      agent_card_params: { additionalInterfaces: [{ url: 'https://other.test/r', transport: 'HTTP+JSON' }] },
    };
    const named = open(mine, { agents: [{ agent: registered, url: base }] });
    await named.ask('POST message:send', { message });
    assert.deepEqual(
      named.heard.map((it) => it.url),
      ['https://other.test/r/message:send'],
    );
    const bare = openOneAgent((it) => (it.method === 'GET' ? { status: 404 } : mine(it)), {
      agents: [{ agent, url: base }],
    });
    const request = new Request('https://gateway.test/a2a/weather/v1/message:send', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ message }),
    });
    assert.equal((await answerOf(bare.front, request)).status, 200);
    assert.equal(bare.heard.at(-1)?.url, `${base}/v1/message:send`);
  });
});
