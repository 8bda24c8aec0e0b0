import * as z from 'zod';
import type { HttpRequest, HttpResponse } from '../../platform/httpMessages.ts';
import { parsedJson } from '../../platform/json.ts';
import { readBody } from '../../platform/requestBody.ts';
import { type Clients, shownName } from './clients.ts';
import { authMethods, SCOPE } from './documents.ts';
import { checkRedirect, MAX_REDIRECT_CHARACTERS } from './redirects.ts';
import { jsonAnswer, OAuthRefusal } from './refusal.ts';

const MAX_BODY_BYTES = 16_384;

const Body = z.object({
  redirect_uris: z.array(z.string().max(MAX_REDIRECT_CHARACTERS)).min(1).max(10),
  client_name: z.string().max(1_024).optional(),
  token_endpoint_auth_method: z.enum(authMethods).default('client_secret_basic'),
  grant_types: z.array(z.string()).max(10).default(['authorization_code']),
  response_types: z.array(z.string()).max(10).default(['code']),
});

export interface RegisterDeps {
  readonly clients: Clients;
  readonly trustedRedirects: readonly string[];
  readonly nowMs: () => number;
}

/**
 * `POST /register` (RFC 7591). Anybody may: a registration opens nothing by itself, and nothing of it is stored.
 *
 * @throws {OAuthRefusal} `invalid_client_metadata` or `invalid_redirect_uri`
 */
export async function register(request: HttpRequest, deps: RegisterDeps): Promise<HttpResponse> {
  const text = await readBody(request, MAX_BODY_BYTES);
  const body = Body.safeParse(parsedJson(text ?? ''));
  if (!body.success) throw metadata(body.error.issues[0]?.path.join('.') || 'body');
  const { redirect_uris, token_endpoint_auth_method, grant_types, response_types } = body.data;
  if (!grant_types.includes('authorization_code')) throw metadata('grant_types');
  if (!response_types.includes('code')) throw metadata('response_types');
  for (const uri of redirect_uris) checkRedirect(uri, deps.trustedRedirects);
  const name = shownName(body.data.client_name);
  const client = deps.clients.make({ name, redirectUris: redirect_uris, authMethod: token_endpoint_auth_method });
  const hasSecret = token_endpoint_auth_method !== 'none';
  return jsonAnswer(
    {
      client_id: client.id,
      client_id_issued_at: Math.floor(deps.nowMs() / 1_000),
      ...(hasSecret && { client_secret: deps.clients.secretOf(client.id), client_secret_expires_at: 0 }),
      client_name: name,
      redirect_uris,
      token_endpoint_auth_method,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: SCOPE,
    },
    201,
  );
}

const metadata = (field: string) =>
  new OAuthRefusal('invalid_client_metadata', `The member '${field}' is missing or has an unsupported value.`);
