import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Connect } from '../../../sidecar/gateway/backends/net/agent.ts';
import { metaKeys, modernVersions } from '../../../sidecar/protocol/gateway/mcpWire.ts';
import type { Random } from '../../fuzz/random.ts';
import { SimWire } from '../wire.ts';

/** Each server has the same tools. */
export const TOOLS = ['read', 'write', 'send'] as const;
export const SERVERS = ['alder', 'beech', 'cedar'] as const;
/** The text of a tool's failure. */
export const TOOL_FAILED = 'it did not work';
/** The price of each call in US dollars. */
export const PRICE = 0.01;

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly mark?: string };
    readonly _meta?: { readonly progressToken?: string | number; readonly [metaKeys.protocolVersion]?: string };
  };
}
/** A call that continues with a later step. */
interface Running {
  readonly message: Message;
  readonly response: ServerResponse;
  readonly isStream: boolean;
  said: number;
}
export interface Heard {
  readonly server: string;
  readonly tool: string;
  readonly mark: string;
}

/** The MCP servers behind the gateway. Steps decide when a call is answered, as a whole or event by event. */
export class SimBackends {
  readonly wires = new Set<SimWire>();
  readonly #random: Random;
  readonly #heard: (heard: Heard) => void;
  readonly #servers = new Map<string, Server>();
  readonly #sessions = new Set<string>();
  #running: Running[] = [];

  /** @param heard called for each call */
  constructor(random: Random, heard: (heard: Heard) => void) {
    this.#random = random;
    this.#heard = heard;
    for (const [at, name] of SERVERS.entries()) {
      // The first server has no sessions.
      const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) =>
        this.#serve(name, at !== 0, request, response),
      );
      this.#servers.set(hostOf(name), server);
    }
  }

  /** Opens a connection of a gateway to one of them. @param own gets the wires of that gateway */
  connectFor(own: Set<SimWire>): Connect {
    return ({ hostname }, callback) => {
      const server = this.#servers.get(hostname);
      if (!server) throw new Error(`nobody is at ${hostname}`);
      const wire = new SimWire();
      for (const set of [own, this.wires]) {
        set.add(wire);
        wire.left.once('close', () => {
          set.delete(wire);
          wire.cut();
        });
      }
      wire.right.once('close', () => wire.cut());
      server.emit('connection', wire.right);
      // The client does not expect the callback to be called synchronously.
      queueMicrotask(() => callback(null, wire.left as never));
    };
  }

  get waiting(): number {
    return this.#running.length;
  }
  /** Lets one of the calls continue. */
  letOne(): string {
    const running = this.#random.pick(this.#running);
    const { message, response, isStream } = running;
    if (response.destroyed) return this.#over(running, 'gone');
    if (isStream && message.params?._meta?.progressToken !== undefined && this.#random.chance(0.6)) {
      running.said += 1;
      const { progressToken } = message.params._meta;
      const params = { progressToken, progress: running.said, message: message.params.arguments?.mark };
      response.write(eventOf({ jsonrpc: '2.0', method: 'notifications/progress', params }));
      return 'progress';
    }
    if (this.#random.chance(0.05)) {
      response.destroy();
      return this.#over(running, 'broken');
    }
    const result = this.#random.chance(0.05)
      ? { content: [{ type: 'text', text: TOOL_FAILED }], isError: true }
      : { content: [{ type: 'text', text: message.params?.arguments?.mark ?? '' }] };
    const answer = {
      jsonrpc: '2.0',
      id: message.id,
      result: { ...result, ...(isModern(message) && { resultType: 'complete' }) },
    };
    if (isStream) response.end(eventOf(answer));
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    return this.#over(running, 'answer');
  }
  #over(running: Running, what: string): string {
    this.#running = this.#running.filter((it) => it !== running);
    return what;
  }

  #serve(server: string, hasSessions: boolean, request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    request.on('data', (it: Buffer) => pieces.push(it));
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      const message = JSON.parse(Buffer.concat(pieces).toString()) as Message;
      const session = request.headers['mcp-session-id'];
      if (hasSessions && message.method !== 'initialize' && !this.#sessions.has(String(session)))
        return void response.writeHead(session === undefined ? 400 : 404).end();
      this.#answer(server, hasSessions, message, response);
    });
  }

  #answer(server: string, hasSessions: boolean, message: Message, response: ServerResponse): void {
    const { id, method, params } = message;
    if (id === undefined) return void response.writeHead(202).end();
    const tell = (result: object) =>
      void response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'initialize') {
      const session = this.#random.id();
      this.#sessions.add(session);
      if (hasSessions) response.setHeader('mcp-session-id', session);
      const serverInfo = { name: server, version: '1' };
      return tell({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
    }
    // The server without sessions also speaks the modern era.
    if (method === 'server/discover' && !hasSessions)
      return tell({ supportedVersions: modernVersions, capabilities: { tools: {} }, resultType: 'complete' });
    if (method === 'tools/list')
      return tell({ tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })) });
    if (method !== 'tools/call') return void response.writeHead(400).end();
    this.#heard({ server, tool: params?.name ?? '', mark: params?.arguments?.mark ?? '' });
    const isStream = this.#random.chance(0.6);
    if (isStream) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    this.#running.push({ message, response, isStream, said: 0 });
  }
}

const isModern = ({ params }: Message) => params?._meta?.[metaKeys.protocolVersion] !== undefined;
/** The ID under which a server is registered. */
export const idOf = (server: string): string => `id-${server}`;
/** The gateway's address of all servers. */
export const ALL_SERVERS = '/mcp';
/** @returns the server at one of the gateway's addresses; `undefined` for all */
export const serverOf = (path: string): string | undefined =>
  path === ALL_SERVERS ? undefined : path.slice('/mcp/'.length);
export const hostOf = (server: string): string => `10.0.0.${SERVERS.indexOf(server as (typeof SERVERS)[number]) + 1}`;
const eventOf = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
