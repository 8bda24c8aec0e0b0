import { createServer, request } from 'node:http';
import type { AuthorizationServer } from '../backends/authorizationServer.ts';
import type { HttpFixture } from './httpFixture.ts';
import { endListener, listenOnLoopback } from './loopback.ts';

export interface GuardedServer {
  readonly url: string;
  /** Whose tokens came, in order. */
  readonly accounts: string[];
  close(): Promise<void>;
}

/** The fixture behind a door that opens to tokens of `idp` alone, and says in its challenge where those come from. */
export async function guardedServer(fixture: HttpFixture, idp: AuthorizationServer): Promise<GuardedServer> {
  const accounts: string[] = [];
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
      const account = token === '' ? undefined : await idp.accountOf(token);
      if (account === undefined) {
        outgoing.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
        return;
      }
      accounts.push(account);
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
      incoming.pipe(passed);
    };
    pass().catch((thrown: unknown) => outgoing.destroy(thrown as Error));
  });
  origin = await listenOnLoopback(listener);
  return { url: `${origin}/mcp`, accounts, close: () => endListener(listener) };
}
