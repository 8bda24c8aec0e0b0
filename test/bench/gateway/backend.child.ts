import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { answerOrders } from './child.ts';
import { answerMcp, toolsOf } from './mcpAnswers.ts';

/**
 * The server behind everything that is measured: MCP over HTTP at `/mcp`, as fast as Node answers, a server with many tools
 * at each `/many/{number}`, and an A2A agent at `/agent` whose streams end after a pause and a second event, or stay open until the caller leaves if the message asks for no rest.
 */
/** Longer than the first event takes to reach the caller. */
const PAUSE_MS = 5;
const heard: Record<string, number> = {};
/** A handshake is counted by who introduces themselves. */
const countedAs = ({ method, params }: Message) =>
  method === 'initialize' ? `initialize of ${params?.clientInfo?.name}` : method;

interface Message {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: { readonly clientInfo?: { readonly name?: string } };
}

const server = createServer((request, response) => {
  const answer = request.url === '/agent' ? stream : answerOne;
  answer(request, response).catch((thrown: unknown) => response.destroy(thrown as Error));
});

async function answerOne(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const message = JSON.parse(await text(request)) as Message;
  const name = countedAs(message);
  heard[name] = (heard[name] ?? 0) + 1;
  const many = /^\/many\/(\d+)$/.exec(request.url ?? '')?.[1];
  const answer = answerMcp(message, many === undefined ? undefined : toolsOf(Number(many)));
  if (answer === undefined) return void response.writeHead(202).end();
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
    .end(answer);
}

async function stream(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const said = await text(request);
  const { id } = JSON.parse(said) as { id: unknown };
  const say = (state: string, final: boolean) => {
    const result = { kind: 'status-update', taskId: 't', contextId: 'c', status: { state }, final };
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  say('working', false);
  if (said.includes('rest never')) return;
  await delay(PAUSE_MS);
  say('completed', true);
  response.end();
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  answerOrders(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => heard);
});
