import { createServer, type IncomingMessage, request } from 'node:http';
import type { AuthorizationServer } from '../backends/authorizationServer.ts';
import type { HttpFixture } from './httpFixture.ts';
import { endListener, listenOnLoopback } from './loopback.ts';

export interface GuardedServer {
  readonly url: string;
  /** Whose tokens came, in order. */
  readonly accounts: string[];
  /** Tokens that are good no more. */
  readonly revoked: Set<string>;
  close(): Promise<void>;
}

/**
 * The fixture behind a door that opens to tokens of `idp` alone, and says in its challenge where those come from.
 * @param guards `calls`: everybody may look at the tools, and call none; `writes`: who may look may call with `write` alone
 */
export async function guardedServer(
  fixture: HttpFixture,
  idp: AuthorizationServer,
  guards: 'all' | 'calls' | 'writes' = 'all',
): Promise<GuardedServer> {
  const accounts: string[] = [];
  const revoked = new Set<string>();
  const behind = new URL(fixture.url);
  let origin = '';
  const listener = createServer((incoming, outgoing) => {
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    if (incoming.url === new URL(metadata).pathname) {
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [idp.url] }));
      return;
    }
    const token = incoming.headers.authorization?.replace(/^Bearer /i, '') ?? '';
    const pass = async () => {
      const body = guards === 'all' ? undefined : await textOf(incoming);
      const isCall = body?.includes('"tools/call"') === true;
      const account = token === '' || revoked.has(token) ? undefined : await idp.accountOf(token);
      if (account === undefined && (guards !== 'calls' || isCall)) {
        outgoing.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
        return;
      }
      if (guards === 'writes' && isCall && !(await idp.scopesOf(token)).includes('write')) {
        const challenge = `Bearer error="insufficient_scope", scope="write", resource_metadata="${metadata}"`;
        outgoing.writeHead(403, { 'www-authenticate': challenge }).end();
        return;
      }
      if (account !== undefined) accounts.push(account);
      const { authorization: _, ...headers } = incoming.headers;
      const passed = request(
        behind,
        { method: incoming.method ?? 'GET', headers: { ...headers, host: behind.host } },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      passed.on('error', () => outgoing.destroy());
      outgoing.on('close', () => passed.destroy());
      if (body === undefined) incoming.pipe(passed);
      else passed.end(body);
    };
    pass().catch((thrown: unknown) => outgoing.destroy(thrown as Error));
  });
  origin = await listenOnLoopback(listener);
  return { url: `${origin}/mcp`, accounts, revoked, close: () => endListener(listener) };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
