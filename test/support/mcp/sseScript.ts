import { createServer, type ServerResponse } from 'node:http';
import { type Listening, listen } from '../backends/listen.ts';

type Message = { readonly id?: number | string; readonly method: string };

/** What a server of the transport of 2024-11-05 does; what is left out, it does as it should. */
export interface SseScript {
  /** With the request for its stream. */
  readonly onOpen?: (stream: ServerResponse) => void;
  /** With a tool call: on its stream, and with the request that carried the call. */
  readonly onCall?: (stream: ServerResponse, message: Message, post: ServerResponse) => void;
}

export interface SseServer extends Listening {
  script: SseScript;
  /** JSON-RPC methods that arrived. */
  readonly methods: string[];
}

/** A server over the transport of 2024-11-05 that shakes hands, and misbehaves where a test says so. */
export async function sseServer(): Promise<SseServer> {
  const methods: string[] = [];
  let stream: ServerResponse | undefined;
  const listener = createServer((request, response) => {
    if (request.method === 'GET') {
      if (it.script.onOpen) return it.script.onOpen(response);
      stream = response;
      return void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('event: endpoint\ndata: /messages\n\n');
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message;
      methods.push(message.method);
      if (!stream) return void response.writeHead(404).end();
      if (message.method === 'tools/call' && it.script.onCall) return it.script.onCall(stream, message, response);
      response.writeHead(202).end();
      if (message.id !== undefined) event(stream, { id: message.id, result: resultOf(message) });
    });
  });
  const it: SseServer = { ...(await listen(listener)), methods, script: {} };
  return it;
}

/** Says one message on the stream. */
export function event(stream: ServerResponse, message: object): void {
  stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

const resultOf = ({ method }: Message): object =>
  method === 'initialize'
    ? { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }
    : { content: [{ type: 'text', text: 'hello' }] };
