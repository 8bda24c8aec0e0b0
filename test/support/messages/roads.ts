import { Readable } from 'node:stream';
import type { McpDeps, McpServer } from '../../../sidecar/gateway/mcp/mcpDeps.ts';
import { mcpRoutes, restRoutes } from '../../../sidecar/gateway/mcp/routes.ts';
import { openOneAgent } from '../a2a/oneAgent.ts';
import { callContext } from '../gateway/callContext.ts';
import { serveRoute } from '../gateway/serveRoute.ts';
import { type TestGateway, testGateway } from '../mcp/gateway.ts';
import type { WholeRequest } from '../network/askWhole.ts';
import type { Road } from './drive.ts';
import { type ReadCall, readLast } from './readers.ts';
import { agentStyles, allowedTools, argumentNames, isOverHttpJson, type Style } from './twins.ts';

/** What the caller of all roads may use. */
const rules = {
  allowed_params: Object.fromEntries(allowedTools.map((it) => [it, [...argumentNames]])),
};

/** The MCP front with a server behind it that writes down what it gets. */
export interface Recorded {
  readonly gateway: TestGateway;
  readonly sent: string[];
  readonly judged: ReadCall[];
}

/** @param server over sockets; absent: what leaves is caught before any */
export async function recordingGateway(server?: Partial<McpServer>): Promise<Recorded> {
  const sent: string[] = [];
  const judged: ReadCall[] = [];
  const outbound: McpDeps['outbound'] = () => ({
    identity: 'all',
    send({ method, body = '' }) {
      if (method !== 'POST') return Promise.resolve(answer(405, ''));
      const { id, method: asked } = JSON.parse(body) as { id?: unknown; method?: string };
      if (asked === 'initialize') return Promise.resolve(answer(200, result(id, hello)));
      if (asked?.startsWith('notifications/')) return Promise.resolve(answer(202, ''));
      sent.push(body);
      return Promise.resolve(answer(200, result(id, { content: [] })));
    },
  });
  const gateway = await testGateway({
    servers: [{ server_id: 'git', alias: 'git', transport: 'http', url: 'http://git.test/mcp', ...rules, ...server }],
    tools: { caller: { git: allowedTools } },
    more: {
      ...(!server && { outbound }),
      preMcpCall({ tool, arguments: args }) {
        const call = { method: 'tools/call', params: { name: tool, arguments: args } };
        judged.push(readLast(JSON.stringify(call)));
        return Promise.resolve({});
      },
    },
  });
  return { gateway, sent, judged };
}

const hello = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'r', version: '1' } };
const result = (id: unknown, value: object) => JSON.stringify({ jsonrpc: '2.0', id, result: value });
const answer = (status: number, text: string) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Readable.from([Buffer.from(text)]),
  text: () => Promise.resolve(text),
});

/** Each way into the MCP front: its path, what is around a message there, and whether a session carries it. */
const ways = [
  { name: '/{server}/mcp', path: '/git/mcp', prefix: '', hasSession: false, isBatch: false },
  { name: '/{server}/mcp in a session', path: '/git/mcp', prefix: '', hasSession: true, isBatch: false },
  { name: '/mcp', path: '/mcp', prefix: 'git__', hasSession: false, isBatch: false },
  { name: '/mcp in a session', path: '/mcp', prefix: 'git__', hasSession: true, isBatch: false },
  { name: 'a batch', path: '/git/mcp', prefix: '', hasSession: true, isBatch: true },
  { name: 'REST', path: '/mcp-rest/tools/call', prefix: 'git__', hasSession: false, isBatch: false },
] as const;
export const mcpRoadNames = ways.map(({ name }) => `MCP, ${name}`);

/** The roads of MCP, each asked by `ask`: in one process, or over a socket. */
export async function mcpRoads(
  { gateway, sent, judged }: Recorded,
  ask: (path: string, request: WholeRequest) => Promise<Response>,
): Promise<readonly Road[]> {
  const roads: Road[] = [];
  for (const { name, path, prefix, hasSession, isBatch } of ways) {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: 'Bearer caller',
    };
    if (hasSession) {
      const begin = { jsonrpc: '2.0', id: 'begin', method: 'initialize', params: introduction };
      const opened = await ask(path, { method: 'POST', headers, body: JSON.stringify(begin) });
      headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
    }
    roads.push({
      name: `MCP, ${name}`,
      style: name === 'REST' ? 'rest' : 'mcp',
      prefix,
      async post(text) {
        const response = await ask(path, { method: 'POST', headers, body: isBatch ? `[${text}]` : text });
        await response.text();
        gateway.records.splice(0);
        const calls = judged.splice(0);
        return sent.splice(0).map((it, at) => ({ sent: it, judged: calls[at] }));
      },
    });
  }
  return roads;
}
const introduction = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'g', version: '1' } };

/** Asks the front without a socket. */
export function asker({ gateway }: Recorded): (path: string, asked: WholeRequest) => Promise<Response> {
  return async (path, { method = 'GET', headers, body }) => {
    const init = { method, headers, ...(body !== undefined && { body }) };
    const request = new Request(`http://gateway.test${path}`, init);
    const context = callContext({
      caller: { key: { token: 'caller' }, isAdmin: false, debug: false },
      requestId: 'r',
      baseUrl: 'http://gateway.test',
      headers: new Map(request.headers),
      signal: request.signal,
    });
    try {
      return await serveRoute([...mcpRoutes, ...restRoutes], gateway.front.room, request, context);
    } catch {
      return new Response('', { status: 400 }); // a fault: the doors make an answer of it
    }
  };
}

/** The roads of A2A, in one process: what is judged there is what a plain parser reads. */
export function a2aRoads(): readonly Road[] {
  return agentStyles.map((style): Road => {
    const { post, heard, records, admitted } = openOneAgent();
    return {
      name: style.replace('a2a', 'A2A'),
      style,
      async post(text) {
        await post(text, {}, agentPathOf(style));
        records.splice(0);
        admitted.splice(0);
        return heard
          .splice(0)
          .filter(({ method }) => method === 'POST')
          .map(({ body }) => leftAs(style, text, typeof body === 'string' ? body : ''));
      },
    };
  });
}

/** Where a message of a style goes in. */
export function agentPathOf(style: Style): string {
  if (!isOverHttpJson(style)) return '/a2a/weather';
  return style.startsWith('a2a 0.3') ? '/a2a/weather/v1/message:send' : '/a2a/weather/message:send';
}

/** A message that an agent got, and the call that was judged. Over HTTP+JSON the path says the method, and the body is the params. */
export function leftAs(style: Style, text: string, sent: string): { readonly sent: string; readonly judged: ReadCall } {
  const whole = (body: string) =>
    isOverHttpJson(style) ? `{"jsonrpc":"2.0","method":"SendMessage","params":${body}}` : body;
  return { sent: whole(sent), judged: readLast(camelCased(whole(text))) };
}

/** With the names of 1.0's protobuf in the spelling in which the gateway judges them. */
const camelCased = (text: string) =>
  text.replace(/"(message_id|task_id|context_id)"(?=\s*:)/g, (it) =>
    it.replace(/_(.)/, (_, c: string) => c.toUpperCase()),
  );

/** A relay as many are: it judges what a parser reads, and sends what the caller wrote. */
export function relayOfBytes(): Road {
  return {
    name: 'a relay that sends the bytes of its caller',
    style: 'mcp',
    post(text) {
      const judged = readLast(text);
      const isAllowed = allowedTools.some((it) => judged.name === JSON.stringify(it));
      return Promise.resolve(isAllowed ? [{ sent: text, judged }] : []);
    },
  };
}
