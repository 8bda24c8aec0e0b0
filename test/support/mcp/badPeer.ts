import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { endListener, listenOnLoopback } from './loopback.ts';

export interface BadPeer {
  readonly url: string;
  /** JSON-RPC methods that arrived. */
  readonly methods: string[];
  /** Answers that their client left before the end. */
  readonly left: () => number;
  close(): Promise<void>;
}

type Message = { readonly id?: number | string; readonly method: string; readonly params?: Record<string, unknown> };
export type Misbehave = (message: Message, response: ServerResponse, request: IncomingMessage) => void;

/** A server that shakes hands as it should, and does with everything else what a test says. */
export async function badPeer(misbehave: Misbehave): Promise<BadPeer> {
  const methods: string[] = [];
  let left = 0;
  const listener = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) left += 1;
    });
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message;
      methods.push(message.method);
      if (message.method === 'initialize') answer(response, message, hello);
      else if (message.method === 'server/discover') response.writeHead(400).end();
      else if (message.id === undefined) response.writeHead(202).end();
      else misbehave(message, response, request);
    });
  });
  const origin = await listenOnLoopback(listener);
  return { url: `${origin}/mcp`, methods, left: () => left, close: () => endListener(listener) };
}

const hello = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'bad', version: '1' } };

export function answer(response: ServerResponse, { id }: Message, result: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** Opens a stream of events and says something on it. */
export function say(response: ServerResponse, ...messages: readonly object[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const it of messages) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...it })}\n\n`);
}
