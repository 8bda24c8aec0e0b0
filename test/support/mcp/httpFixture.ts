import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { eventStore } from './eventStore.ts';
import { fixtureServer } from './fixtureServer.ts';
import { endListener, listenOnLoopback } from './loopback.ts';

export interface Seen {
  readonly httpMethod: string;
  readonly headers: IncomingHttpHeaders;
  /** JSON-RPC method, `response` for answers, nothing for GET and DELETE. */
  readonly method: string | undefined;
  readonly text: string;
}

export interface HttpFixture {
  readonly url: string;
  /** Every request in order. */
  readonly seen: Seen[];
  /** Tools that ran. */
  readonly calls: string[];
  /** Servers with a session, newest last. */
  readonly servers: McpServer[];
  /** The modern handler: its `notify` reaches open subscriptions. */
  readonly modern: McpHttpHandler;
  /** Forgets all sessions, as a restart does. */
  forget(): void;
  close(): Promise<void>;
}

export interface HttpFixtureOptions {
  readonly name?: string;
  /** Answers with JSON where it can, instead of a stream. */
  readonly json?: boolean;
  /** Speaks one era alone. */
  readonly legacyOnly?: boolean;
  readonly modernOnly?: boolean;
}

/** The fixture over streamable HTTP on a loopback port: sessions in the older era, none in the newer. */
export async function httpFixture({
  name = 'fixture',
  json = false,
  legacyOnly = false,
  modernOnly = false,
}: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const seen: Seen[] = [];
  const calls: string[] = [];
  const servers: McpServer[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const modern = createMcpHandler(() => fixtureServer({ name, calls }), { legacy: 'reject' });

  async function legacy(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request, { parsedBody });
    if (id !== null) return Response.json(lost, { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: json,
      ...(!json && { eventStore: eventStore(), retryInterval: 10 }),
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    const server = fixtureServer({ name, calls });
    servers.push(server);
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody });
  }

  const handle = toNodeHandler({
    fetch: async (request, options) =>
      !modernOnly && (legacyOnly || (await isLegacyRequest(request, options?.parsedBody)))
        ? legacy(request, options?.parsedBody)
        : modern.fetch(request, options),
  });
  let own = '';
  const listener = createServer((request, response) => {
    // As a server on a person's machine should: pages that point a name of theirs here get nothing.
    const isOurs = (name: string | undefined) => name === undefined || name.replace('http://', '') === own;
    if (!isOurs(request.headers.host) || !isOurs(request.headers.origin)) {
      response.writeHead(403).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const { method: httpMethod = 'GET', url = '/' } = request;
      seen.push({ httpMethod, headers: request.headers, method: methodOf(body), text });
      void handle(Object.assign(request, { method: httpMethod, url }), response, body);
    });
  });
  const origin = await listenOnLoopback(listener);
  own = new URL(origin).host;
  return {
    url: `${origin}/mcp`,
    seen,
    calls,
    servers,
    modern,
    forget: () => sessions.clear(),
    async close() {
      await Promise.all([...sessions.values()].map((it) => it.close()));
      await modern.close();
      await endListener(listener);
    },
  };
}

const lost = { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } };

function methodOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  return 'method' in body && typeof body.method === 'string' ? body.method : 'response';
}
