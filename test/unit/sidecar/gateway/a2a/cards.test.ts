import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'mocha';
import type { A2aDeps } from '../../../../../sidecar/gateway/a2a/a2aDeps.ts';
import type { BackendResponse } from '../../../../../sidecar/gateway/backends/net/exchange.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { AgentRecord } from '../../../../../sidecar/protocol/gateway/agent.ts';
import { answerOf } from '../../../../support/a2a/frontUnderTest.ts';
import { agent, json, openOneAgent, type Said, type Saying } from '../../../../support/a2a/oneAgent.ts';

const url = 'https://user:word@agent.test/rpc/?key=secret';
const own = { headers: json, body: '{"name":"Own","url":"http://inside.test"}' };
const registered: AgentRecord = { ...agent, agent_card_params: { name: 'Registered', url: 'http://inside.test' } };
const places = [
  'https://agent.test/rpc/.well-known/agent-card.json',
  'https://agent.test/.well-known/agent-card.json',
  'https://agent.test/rpc/.well-known/agent.json',
  'https://agent.test/.well-known/agent.json',
];

/** Asks for a card of the one agent. */
function open(saying: Saying, one: { agent: AgentRecord; url?: string; allowed?: boolean } = { agent, url }) {
  const found = openOneAgent(saying, { agents: [one], options: { maxCardBytes: 1_000 } });
  const get = async (file = 'agent-card.json', init: RequestInit = {}) => {
    const request = new Request(`https://gateway.test/a2a/weather/.well-known/${file}`, init);
    const response = await answerOf(found.front, request);
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    return { response, status: response.status, body, name: body['name'] };
  };
  return { ...found, get };
}

describe('a card that a caller asks for', () => {
  it('is that of the agent, rewritten, with the headers of the protocol and one record', async () => {
    const said = { ...own, headers: { ...json, 'a2a-version': '0.3', 'set-cookie': 'a=b' } };
    const { get, heard, added, records } = open(said);
    const { response, body } = await get('agent-card.json', { headers: { 'a2a-version': '1.0' } });
    const etag = response.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]{43}"$/);
    assert.deepEqual([response.status, body['name'], body['url']], [200, 'Own', 'https://gateway.test/a2a/agent-1']);
    assert.deepEqual(
      [...response.headers],
      [
        ['a2a-version', '0.3'],
        ['cache-control', 'private, max-age=300'],
        ['content-type', 'application/json'],
        ['etag', etag],
        ['vary', 'A2A-Version'],
      ],
    );
    const headers = { accept: 'application/json', 'a2a-version': '1.0' };
    assert.deepEqual(heard, [{ method: 'GET', url: places[0], headers }]);
    assert.deepEqual(added, [{ 'X-Gateway-Trace-Id': 'request-1', 'X-Gateway-Agent-Id': 'agent-1' }]);
    assert.deepEqual(records, [
      {
        endpoint: '/a2a/{agent_id}/.well-known/agent-card.json',
        call_type: 'a2a:agent_card',
        model: 'a2a_agent/weather',
        agent_id: 'agent-1',
        api_base: 'https://agent.test/rpc/',
        status: 'success',
        spend: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
      },
    ]);
  });

  for (const [style, body] of [
    ['0.3', own.body],
    ['1.0', '{"name":"Own","supportedInterfaces":[{"url":"http://inside.test","protocolBinding":"JSONRPC"}]}'],
  ] as const)
    it(`of version ${style} is answered with 304 if the caller already has it, until it changes`, async () => {
      let said = body;
      const { get, front, records } = open(() => ({ headers: json, body: said }));
      const ask = async (known: string) =>
        answerOf(
          front,
          new Request('https://gateway.test/a2a/weather/.well-known/agent-card.json', {
            headers: { 'if-none-match': known },
          }),
        );
      const etag = (await get()).response.headers.get('etag') ?? '';
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const response = await ask(known);
        assert.deepEqual(
          [response.status, await response.text(), response.headers.get('etag'), response.headers.get('cache-control')],
          [304, '', etag, 'private, max-age=300'],
          known,
        );
      }
      assert.equal((await ask('"other"')).status, 200);
      said = body.replace('Own', 'New');
      const changed = await ask(etag);
      assert.equal(changed.status, 200);
      assert.notEqual(changed.headers.get('etag'), etag);
      assert.equal(records[0]?.status, 'success');
    });

  for (const [said, kept] of [
    [undefined, 'private, max-age=300'],
    ['public, max-age=60', 'private, max-age=60'],
    ['max-age=999999', 'private, max-age=3600'],
    ['max-age=0', 'private, max-age=0'],
    ['no-cache', 'no-cache'],
    ['private, no-store, max-age=60', 'no-cache'],
    ['max-age=many', 'private, max-age=300'],
  ] as const)
    it(`can be cached as "${kept}" if its agent says ${said ?? 'nothing'}`, async () => {
      const { get } = open({ ...own, headers: { ...json, ...(said !== undefined && { 'cache-control': said }) } });
      assert.equal((await get()).response.headers.get('cache-control'), kept);
    });

  it('is looked for in four places, the file that was asked for first', async () => {
    const { get, heard } = open({ status: 404 });
    const older = open({ status: 404 });
    await get();
    await older.get('agent.json');
    assert.deepEqual(
      heard.map((it) => it.url),
      places,
    );
    assert.deepEqual(
      older.heard.map((it) => it.url),
      [...places.slice(2), ...places.slice(0, 2)],
    );
  });

  const none: readonly [says: string, said: Said & { readonly body: string }][] = [
    ['of another status', { ...own, status: 201 }],
    ['that is packed', { ...own, headers: { ...json, 'content-encoding': 'gzip' } }],
    ['that is called a page', { ...own, headers: { 'content-type': 'text/html' } }],
    ['of no type', { ...own, headers: {} }],
    ['that is no JSON', { headers: json, body: '{' }],
    ['that is a list', { headers: json, body: '[]' }],
    ['without a name', { headers: json, body: '{"url":"http://inside.test"}' }],
  ];
  for (const [says, said] of none) {
    it(`is not an answer ${says}, whose connection is let go: the next place is asked`, async () => {
      const body = Readable.from([Buffer.from(said.body)]);
      const fine = { ...own, headers: { 'content-type': 'application/a2a+json; charset=utf-8' } };
      const { get, heard } = open((request) => (request.url === places[0] ? { ...said, body } : fine));
      assert.deepEqual([(await get()).name, heard.length, body.destroyed], ['Own', 2, true]);
    });
  }

  const failing: readonly [says: string, said: Saying, asked: number, logged: number][] = [
    ['cannot be reached', new Error('connect ECONNREFUSED canary'), 1, 1],
    ['may not be reached', new Fault('forbidden', 'canary'), 1, 1],
    ['gives one that is too large', { headers: json, body: `{"name":"${'x'.repeat(1_000)}"}` }, 1, 1],
    ['gives none', { status: 404 }, 4, 0],
  ];
  for (const [says, said, asked, logged] of failing) {
    it(`is the registered one where the agent ${says}, and 503 without one`, async () => {
      const { get, heard, logLines } = open(said, { agent: registered, url });
      const { status, name, body } = await get();
      assert.deepEqual([status, name, body['url']], [200, 'Registered', 'https://gateway.test/a2a/agent-1']);
      assert.deepEqual([heard.length, logLines.length], [asked, logged]);
      for (const agent_card_params of [{}, { url: 'http://inside.test' }]) {
        const bare = open(said, { agent: { ...agent, agent_card_params }, url });
        const answer = await bare.get();
        assert.equal(answer.status, 503);
        assert.match(
          JSON.stringify(answer.body),
          /The A2A agent did not return a card\. Check that it is running and that its registered URL is correct/,
        );
        assert.doesNotMatch(JSON.stringify(answer.body), /canary/);
        assert.deepEqual([bare.records.length, bare.records[0]?.status], [1, 'failure']);
      }
    });
  }

  it('is the registered one of an agent that has no address, or none that is one', async () => {
    for (const one of [{ agent: registered }, { agent: registered, url: 'nowhere' }]) {
      const { get, heard, records, logLines } = open(own, one);
      assert.deepEqual([(await get()).name, heard.length, logLines.length], ['Registered', 0, 0]);
      assert.deepEqual([records[0]?.status, 'api_base' in (records[0] ?? {})], ['success', false]);
    }
  });

  it("is refused for an agent that is not there or not the caller's, and nobody is asked", async () => {
    const refused = open(own, { agent: registered, url, allowed: false });
    const missing = open(own, { agent: { ...registered, agent_id: 'a', agent_name: 'b' }, url });
    assert.deepEqual([(await refused.get()).status, (await missing.get()).status], [403, 404]);
    for (const { records, heard } of [refused, missing])
      assert.deepEqual(
        [heard.length, records.length, records[0]?.status, records[0]?.call_type],
        [0, 1, 'failure', 'a2a:agent_card'],
      );
    assert.deepEqual([refused.records[0]?.agent_id, missing.records[0]?.agent_id], ['agent-1', undefined]);
  });

  /** An agent that answers nothing until its call is given up. */
  const silent =
    (onCall: () => void): A2aDeps['outbound'] =>
    () => ({
      send: (_request, signal) =>
        new Promise<BackendResponse>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
          onCall();
        }),
    });
  const request = (signal?: AbortSignal) =>
    new Request('https://gateway.test/a2a/weather/.well-known/agent.json', signal ? { signal } : {});

  it('is the registered one where the agent takes too long, in all places together', async () => {
    let calls = 0;
    const { front } = openOneAgent(undefined, {
      agents: [{ agent: registered, url }],
      outbound: silent(() => {
        calls += 1;
      }),
      options: { cardTimeoutMs: 1 },
    });
    const response = await answerOf(front, request());
    assert.deepEqual([response.status, calls], [200, 1]);
  });

  it("is nobody's any more when the caller left", async () => {
    const caller = new AbortController();
    const { front, records } = openOneAgent(undefined, {
      agents: [{ agent: registered, url }],
      outbound: silent(() => caller.abort()),
    });
    assert.equal((await answerOf(front, request(caller.signal))).status, 503);
    assert.deepEqual([records[0]?.status, records[0]?.error], ['failure', 'the caller disconnected']);
  });
});
