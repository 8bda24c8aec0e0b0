import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { AuthorizationServer } from './authorizationServer.ts';
import { signInWithBrowser } from './browser.ts';

const CALLBACK = 'http://127.0.0.1/callback';
const Registered = z.object({ client_id: z.string() });
const Granted = z.object({ access_token: z.string() });

/** A token for a resource, as a client gets it that nobody knew before: registration, PKCE, and a person who signs in. */
export async function tokenFor({ url }: AuthorizationServer, resource: string, scope = 'read'): Promise<string> {
  const { client_id } = Registered.parse(
    await answerOf(`${url}/reg`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
    }),
  );
  const code_verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
  const query = { client_id, redirect_uri: CALLBACK, response_type: 'code', scope, resource };
  const asked = new URLSearchParams({ ...query, code_challenge, code_challenge_method: 'S256' });
  const code = (await signInWithBrowser(`${url}/auth?${asked}`, CALLBACK)).get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id, code_verifier, resource };
  return Granted.parse(await answerOf(`${url}/token`, { body: new URLSearchParams(form) })).access_token;
}

async function answerOf(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', ...init });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
