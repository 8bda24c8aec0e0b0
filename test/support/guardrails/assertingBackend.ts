import { createServer } from 'node:http';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Jwks } from '../../../sidecar/gateway/guardrails/signer/keyring.ts';
import { type Listening, listen } from '../backends/listen.ts';
import type { SetClock } from '../backends/setClock.ts';

/** `/.well-known/jwks.json` over real HTTP, as the gateway answers it. Counts its requests. */
export async function jwksServer(jwks: () => Promise<Jwks>): Promise<Listening & { readonly asked: () => number }> {
  let count = 0;
  const answer = async () => {
    count += 1;
    const { keys, maxAgeSeconds } = await jwks();
    return { body: JSON.stringify({ keys }), headers: { 'cache-control': `max-age=${maxAgeSeconds}` } };
  };
  const listening = await listen(
    createServer((_request, response) => {
      answer().then(
        ({ body, headers }) => response.writeHead(200, headers).end(body),
        () => response.writeHead(503).end(),
      );
    }),
  );
  return { ...listening, asked: () => count };
}

/** What a backend says to a request: the claims that it verified, or why it does not believe it. */
export type Verified =
  | { readonly status: 200; readonly claims: JWTPayload }
  | { readonly status: 401; readonly code: string };

/** A backend that lets nobody in without an assertion for its own address, verified with jose. */
export async function assertingBackend(jwksUrl: string, clock: SetClock): Promise<Listening> {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: 0 });
  const listening = await listen(
    createServer((request, response) => {
      const { authorization, 'x-gateway-assertion': own } = request.headers;
      const token = typeof own === 'string' ? own : (authorization?.replace('Bearer ', '') ?? '');
      const options = { algorithms: ['RS256'], audience: `${listening.url}/mcp`, currentDate: new Date(clock.nowMs()) };
      jwtVerify(token, keys, options).then(
        ({ payload }) => response.writeHead(200).end(JSON.stringify({ status: 200, claims: payload })),
        (thrown: unknown) => {
          const code = thrown instanceof errors.JOSEError ? thrown.code : String(thrown);
          response.writeHead(401).end(JSON.stringify({ status: 401, code }));
        },
      );
    }),
  );
  return listening;
}

/** Sends these headers, as the relay of a call does. */
export async function visit(backend: Listening, headers: Readonly<Record<string, string>> = {}): Promise<Verified> {
  const answer = await fetch(`${backend.url}/mcp`, { method: 'POST', headers });
  return (await answer.json()) as Verified;
}
