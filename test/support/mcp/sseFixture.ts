import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { fixtureServer } from './fixtureServer.ts';
import { endListener, listenOnLoopback } from './loopback.ts';

export interface SseFixture {
  readonly url: string;
  readonly calls: string[];
  close(): Promise<void>;
}

/** The fixture over the transport of 2024-11-05, which the SDK no longer serves. */
export async function sseFixture(name = 'fixture'): Promise<SseFixture> {
  const calls: string[] = [];
  const sessions = new Map<string, Transport>();
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://fixture');
    if (request.method === 'GET') {
      const session = randomUUID();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages?session=${session}\n\n`);
      const transport = sseTransport(response);
      sessions.set(session, transport);
      void fixtureServer({ name, calls }).connect(transport);
      return;
    }
    const transport = sessions.get(url.searchParams.get('session') ?? '');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(transport ? 202 : 404).end();
      transport?.onmessage?.(JSON.parse(Buffer.concat(chunks).toString('utf8')) as JSONRPCMessage);
    });
  });
  const origin = await listenOnLoopback(listener);
  return {
    url: `${origin}/sse`,
    calls,
    async close() {
      await endListener(listener);
    },
  };
}

function sseTransport(response: ServerResponse): Transport {
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) => {
      response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      return Promise.resolve();
    },
    close: () => {
      response.end();
      return Promise.resolve();
    },
  };
  response.on('close', () => transport.onclose?.());
  return transport;
}
