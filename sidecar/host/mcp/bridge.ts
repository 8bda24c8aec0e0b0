import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OfferedTools } from '../../agents/provider.ts';
import type { ToolServer } from '../../agents/toolServers.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { answerTo, BridgeMessage } from './bridgeAnswers.ts';

/** A way to the tools of one agent, until it is closed. */
export interface OpenBridge {
  readonly server: ToolServer;
  /** The agent is notified that its tools changed. */
  changed(): void;
  close(): void;
}
interface Way {
  readonly tools: OfferedTools;
  /** Open streams, on which we speak first. */
  readonly streams: Set<ServerResponse>;
}

export interface BridgeDeps extends Pick<Runtime, 'random'> {
  /** No log and no transcript shows this from now on. */
  readonly hide: (secret: string) => void;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * A small MCP server on loopback, through which agents of other makers use the tools of a session. Each agent has a token of
 * its own that opens its own tools, and nothing once the agent is closed.
 */
export class Bridge {
  /** By token. */
  readonly #ways = new Map<string, Way>();
  readonly #deps: BridgeDeps;
  #listening: Promise<Server> | undefined;

  constructor(deps: BridgeDeps) {
    this.#deps = deps;
  }

  async open(tools: OfferedTools): Promise<OpenBridge> {
    const { port } = (await this.#listen()).address() as AddressInfo;
    const token = Buffer.from(this.#deps.random(32)).toString('base64url');
    this.#deps.hide(token);
    const streams = new Set<ServerResponse>();
    this.#ways.set(token, { tools, streams });
    const headers = { Authorization: `Bearer ${token}` };
    return {
      server: { name: 'session', url: `http://127.0.0.1:${port}/mcp`, headers },
      changed() {
        for (const it of streams) it.write(`data: ${JSON.stringify(toolsChanged)}\n\n`);
      },
      close: () => {
        this.#ways.delete(token);
        for (const it of streams) it.end();
      },
    };
  }

  async close(): Promise<void> {
    const server = await this.#listening?.catch(() => undefined); // whoever wanted it knows
    this.#ways.clear();
    server?.closeAllConnections();
    server?.close();
  }

  /** One that failed is tried again with the next agent. */
  #listen(): Promise<Server> {
    this.#listening ??= listen((request, response) => this.#serve(request, response)).catch((thrown: unknown) => {
      this.#listening = undefined;
      throw thrown;
    });
    return this.#listening;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { host = '', origin, authorization = '' } = request.headers;
    // Pages of a browser have an origin, and names of theirs that point here have another host.
    if (origin !== undefined || !/^127\.0\.0\.1:\d+$/.test(host)) return refuse(response, 403);
    const way = this.#ways.get(authorization.replace(/^Bearer /i, ''));
    if (!way) return refuse(response, 401);
    if (request.url !== '/mcp') return refuse(response, 404);
    if (request.method === 'GET') return stream(way, response);
    if (request.method !== 'POST') return refuse(response, 405);
    post(way, request, response).catch(() => response.destroy()); // the agent went away while it spoke
  }
}

const toolsChanged = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

function stream({ streams }: Way, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
  streams.add(response);
  response.on('close', () => streams.delete(response));
}

async function post({ tools }: Way, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_BODY_BYTES) return refuse(response, 413);
  }
  const message = BridgeMessage.safeParse(json(Buffer.concat(chunks).toString('utf8')));
  if (!message.success) return refuse(response, 400);
  const answer = await answerTo(message.data, tools);
  if (!answer) return void response.writeHead(202).end();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // which the schema refuses
  }
}

async function listen(serve: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(serve);
  server.requestTimeout = 0; // a call takes as long as its tool, and as the person who allows it
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  return server;
}
