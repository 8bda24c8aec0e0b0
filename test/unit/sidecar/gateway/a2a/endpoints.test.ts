import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { BackendRequest } from '../../../../../sidecar/gateway/backends/net/exchange.ts';
import type { AgentRecord } from '../../../../../sidecar/protocol/gateway/agent.ts';
import { answerOf } from '../../../../support/a2a/frontUnderTest.ts';
import { agent, fine, json, openOneAgent, rpc, type Said, send } from '../../../../support/a2a/oneAgent.ts';
import { verifies } from '../../../../support/verifies.ts';

const base = 'https://agent.test/agents/weather';
const rpcUrl = 'https://agent.test/rpc';
const modern = (url: string, protocolVersion = '1.0') => ({ protocolBinding: 'JSONRPC', protocolVersion, url });

/** An agent that is registered by its base address. It serves a card there, and JSON-RPC at another path. */
function openBase(card: object | undefined, endpoints: readonly string[] = [rpcUrl], none: Said = { status: 404 }) {
  const registered: AgentRecord = { ...agent, agent_card_params: { name: 'Registered', url: base } };
  const answer = ({ method, url }: BackendRequest): Said => {
    if (method === 'GET') return card ? { headers: json, body: JSON.stringify({ name: 'Own', ...card }) } : none;
    return endpoints.includes(url) ? fine : none;
  };
  const found = openOneAgent(answer, { agents: [{ agent: registered, url: base }] });
  const called = () => found.heard.splice(0).map((it) => `${it.method} ${it.url}`);
  return { ...found, called };
}
const cardUrl = `GET ${base}/.well-known/agent-card.json`;

describe('the endpoint of an agent that is registered by its base address', () => {
  const cards: readonly [says: string, card: object][] = [
    [
      '1.0',
      { supportedInterfaces: [{ ...modern('https://agent.test/grpc'), protocolBinding: 'GRPC' }, modern(rpcUrl)] },
    ],
    ['0.3', { url: rpcUrl, preferredTransport: 'JSONRPC' }],
    [
      '0.3 with another transport before it',
      {
        url: 'https://agent.test/grpc',
        preferredTransport: 'GRPC',
        additionalInterfaces: [{ transport: 'jsonrpc', url: rpcUrl }],
      },
    ],
  ];
  for (const [says, card] of cards)
    it(`is the one in its ${says} card, and is remembered`, async () => {
      verifies('gateway.a2a.endpoint');
      const { post, called, records } = openBase(card);
      assert.equal((await post(send)).code, undefined);
      assert.deepEqual(called(), [`POST ${base}`, cardUrl, `POST ${rpcUrl}`]);
      assert.equal((await post(send)).code, undefined);
      assert.deepEqual(called(), [`POST ${rpcUrl}`]);
      assert.deepEqual(
        records.map((it) => it.status),
        ['success', 'success'],
      );
    });

  it('is the one for the version of the request if the card has one for each version', async () => {
    const card = { supportedInterfaces: [modern('https://agent.test/new'), modern('https://agent.test/old', '0.3')] };
    const { post, called } = openBase(card, ['https://agent.test/new', 'https://agent.test/old']);
    await post(rpc('ListTasks', {}));
    await post(send);
    assert.deepEqual(
      called().filter((it) => !it.includes('weather')),
      ['POST https://agent.test/new', 'POST https://agent.test/old'],
    );
  });

  it('is looked up for probes, and also if the registered address returns 405 with a JSON body', async () => {
    const none = { status: 405, headers: json, body: '{"detail":"Method Not Allowed"}' };
    const { post, called } = openBase({ url: rpcUrl, preferredTransport: 'JSONRPC' }, [rpcUrl], none);
    assert.equal((await post(rpc('GetTask', { id: 't' }))).code, -32001);
    assert.deepEqual(called(), [`POST ${base}`, cardUrl, `POST ${rpcUrl}`]);
  });

  for (const [says, url] of [
    ['at another host', 'https://evil.test/rpc'],
    ['at another port', 'https://agent.test:8443/rpc'],
    ['without TLS', 'http://agent.test/rpc'],
    ['of a metadata service', 'http://169.254.169.254/rpc'],
    ['with a user name', 'https://a:b@agent.test/rpc'],
    ['with a query', 'https://agent.test/rpc?to=http://10.0.0.1/'],
    ['that is not a URL', 'rpc'],
    ['without a host', 'data:application/json,{}'],
  ] as const)
    it(`is never an unregistered address ${says}: that is not called, and the call fails`, async () => {
      verifies('gateway.a2a.endpoint');
      for (const card of [{ url, preferredTransport: 'JSONRPC' }, { supportedInterfaces: [modern(url)] }]) {
        const { post, called } = openBase(card, [url]);
        assert.equal((await post(send)).code, -32603);
        assert.deepEqual(called(), [`POST ${base}`, cardUrl]);
        assert.equal((await post(send)).code, -32603);
        assert.deepEqual(called(), [`POST ${base}`]);
      }
    });

  it('is never an unregistered address on another origin for HTTP+JSON, and a card does not show such an address', async () => {
    verifies('gateway.a2a.endpoint');
    for (const url of [
      'https://evil.test/rest',
      'http://169.254.169.254/',
      'https://agent.test/rest?to=x',
      'nowhere',
    ]) {
      const card = { supportedInterfaces: [modern(rpcUrl), { ...modern(url), protocolBinding: 'HTTP+JSON' }] };
      const { call, called, front } = openBase(card, []);
      await call('{"message":{"parts":[]}}', {}, '/a2a/weather/message:send');
      assert.deepEqual(called(), [cardUrl, `POST ${base}/message:send`]);
      const request = new Request('https://gateway.test/a2a/weather/.well-known/agent-card.json');
      assert.ok(!(await (await answerOf(front, request)).text()).includes('HTTP+JSON'), url);
    }
  });

  it('can be on another host if it is part of the registration', async () => {
    const agent_card_params = { url: base, supportedInterfaces: [modern('https://other.test/rpc')] };
    const { post, heard } = openOneAgent(({ url }) => (url === 'https://other.test/rpc' ? fine : { status: 404 }), {
      agents: [{ agent: { ...agent, agent_card_params }, url: base }],
    });
    assert.equal((await post(send)).code, undefined);
    assert.equal(heard.at(-1)?.url, 'https://other.test/rpc');
  });

  it('is not looked up if the registered address returns any other answer', async () => {
    const error = '{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"Task not found"}}';
    for (const said of [
      { status: 404, headers: json, body: error },
      { status: 500 },
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>hello</h1>' },
      { status: 302, headers: { location: rpcUrl } },
    ]) {
      const { post, heard } = openOneAgent(said);
      await post(send);
      assert.equal(heard.length, 1);
    }
  });
});
