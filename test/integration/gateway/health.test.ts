import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { McpCredentials, McpServerRecord } from '../../../sidecar/protocol/gateway/mcpServer.ts';
import type { Heard } from '../../support/backends/echoBackend.ts';
import { speakMcp } from '../../support/gateway/backendAnswers.ts';
import { openStand, type Stand } from '../../support/gateway/stand.ts';
import { verifies } from '../../support/verifies.ts';

type Registered = Partial<McpServerRecord> & { readonly credentials?: McpCredentials };
const status =
  (code: number, headers: Record<string, string> = {}, body = '') =>
  (_: Heard, response: ServerResponse) =>
    void response.writeHead(code, headers).end(body);

/** Answers requests of the newer era alone. */
function speakModern(heard: Heard, response: ServerResponse): void {
  const { id, method } = JSON.parse(heard.body.toString() || '{}') as { id?: unknown; method?: string };
  const result = {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    serverInfo: { name: 'm', version: '1' },
  };
  const answer =
    method === 'server/discover' ? { result } : { error: { code: -32601, message: 'There is no such method.' } };
  response
    .writeHead(method === 'server/discover' ? 200 : 404, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
const withToken = (heard: Heard, response: ServerResponse) =>
  heard.headers.authorization === 'Bearer right' ? speakMcp(heard, response) : status(401)(heard, response);

describe('the health of what is registered', () => {
  let stand: Stand;
  before(async () => {
    stand = await openStand();
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  async function healthOf(server: Registered) {
    const at = { transport: 'http', url: `${stand.backend.url}/mcp`, allow_private_network: true };
    const { server_id } = await stand.manage('POST', '/v1/mcp/server', { ...at, ...server });
    const path = `/v1/mcp/server/health?server_ids=${String(server_id)}`;
    const [found] = (await stand.manage('GET', path)) as unknown as Record<string, unknown>[];
    const [listed] = (await stand.manage('GET', '/v1/mcp/server')) as unknown as Record<string, unknown>[];
    await stand.manage('DELETE', `/v1/mcp/server/${String(server_id)}`);
    assert.deepEqual(listed?.['status'], found?.['status'], 'lists say the same');
    return { is: found?.['status'], why: found?.['health_check_error'], tools: listed?.['tools'] };
  }

  const leads = 'The server returned HTTP 307, a redirect. Register the URL that it redirects to.';
  const notMcp =
    'The server returned a response that is not valid MCP. Check that the registered URL is its MCP endpoint and that the transport is correct.';
  const personal = 'Each caller sends their own credential, so only a call shows whether it works.';
  const credentials = { auth_value: 'wrong' };
  const cases: readonly {
    readonly title: string;
    readonly answer: (heard: Heard, response: ServerResponse) => void;
    readonly server?: Registered;
    readonly is: 'healthy' | 'unhealthy' | 'unknown';
    readonly why: string | null;
  }[] = [
    { title: 'an MCP server', answer: speakMcp, is: 'healthy', why: null },
    { title: 'one of the newer era alone', answer: speakModern, is: 'healthy', why: null },
    {
      title: 'one that takes its credential',
      answer: withToken,
      server: { auth_type: 'bearer_token', credentials: { auth_value: 'right' } },
      is: 'healthy',
      why: null,
    },
    {
      title: 'one that answers 307 to everything',
      answer: status(307, { location: '/elsewhere' }),
      is: 'unhealthy',
      why: leads,
    },
    {
      title: 'a web page',
      answer: status(200, { 'content-type': 'text/html' }, '<html></html>'),
      is: 'unhealthy',
      why: notMcp,
    },
    {
      title: 'JSON that is not MCP',
      answer: status(200, { 'content-type': 'application/json' }, '{}'),
      is: 'unhealthy',
      why: notMcp,
    },
    {
      title: 'an address without anything',
      answer: status(404),
      is: 'unhealthy',
      why: 'The server returned HTTP 404. Check the URL and the transport.',
    },
    {
      title: 'a server that fails',
      answer: status(503),
      is: 'unhealthy',
      why: 'The server returned HTTP 503. See its log for the reason.',
    },
    {
      title: 'one that refuses its credential',
      answer: withToken,
      server: { auth_type: 'bearer_token', credentials },
      is: 'unhealthy',
      why: 'The server rejected the registered credential (HTTP 401).',
    },
    {
      title: 'one that asks for what nobody registered',
      answer: withToken,
      is: 'unknown',
      why: 'A credential is required, but none is registered. Callers can send their own.',
    },
    {
      title: 'one to which each person brings a credential',
      answer: withToken,
      server: { is_byok: true, auth_type: 'bearer_token', credentials },
      is: 'unknown',
      why: personal,
    },
    {
      title: 'one to which each person signs in',
      answer: withToken,
      server: { auth_type: 'oauth2' },
      is: 'unknown',
      why: personal,
    },
    {
      title: 'one to which each person brings a credential, and that leads elsewhere',
      answer: status(307, { location: '/' }),
      server: { is_byok: true, auth_type: 'bearer_token', credentials },
      is: 'unhealthy',
      why: leads,
    },
  ];
  for (const { title, answer, server, is, why } of cases) {
    it(`is ${is} for ${title}`, async () => {
      verifies('gateway.health.handshake');
      stand.backend.answer = answer;
      const found = await healthOf({ alias: 'asked', ...server });
      assert.deepEqual([found.is, found.why], [is, why]);
    });
  }

  it('is known with the tools of the server', async () => {
    verifies('gateway.health.tools');
    stand.backend.answer = (heard, response) => speakMcp(heard, response, [{ name: 'b' }, { name: 'a' }]);
    assert.deepEqual((await healthOf({ alias: 'asked' })).tools, ['b', 'a']);
    stand.backend.answer = status(503);
    assert.equal((await healthOf({ alias: 'asked' })).tools, undefined);
  });

  it('of an agent is that it gives its card', async () => {
    verifies('gateway.health.agent-card');
    await stand.addAgent({ agent_name: 'weather' });
    const names = async () => {
      const found = (await stand.manage('GET', '/v1/agents?health_check=true')) as unknown as object[];
      return found.map((it) => (it as { agent_name: string }).agent_name);
    };
    const json = { 'content-type': 'application/json' };
    for (const answer of [status(307, { location: '/' }), status(200, json, '[]'), status(404), status(503)]) {
      stand.backend.answer = answer;
      assert.deepEqual(await names(), []);
    }
    stand.backend.answer = status(200, json, '{"name":"weather","url":"http://a.example"}');
    assert.deepEqual(await names(), ['weather']);
  });
});
