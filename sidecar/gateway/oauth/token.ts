import { createHash } from 'node:crypto';
import { Fault } from '../../platform/faults.ts';
import type { HttpRequest, HttpResponse } from '../../platform/httpMessages.ts';
import type { CallerResolver } from '../auth/resolve.ts';
import { audienceOfResource } from './addresses.ts';
import { type Client, type Clients, clientDigest, isSameText } from './clients.ts';
import { SCOPE } from './documents.ts';
import { readForm, textIn } from './form.ts';
import { ACCESS_MS, CODE_MS, type Grant, type Grants } from './grants.ts';
import { jsonAnswer, OAuthRefusal } from './refusal.ts';
import type { Claims, Revocations } from './revocations.ts';

export interface TokenDeps {
  readonly clients: Clients;
  readonly grants: Grants;
  readonly revocations: Revocations;
  readonly claims: Claims;
  readonly callers: Pick<CallerResolver, 'byHash'>;
  readonly nowMs: () => number;
}

const verifierForm = /^[\w.~-]{43,128}$/;

/**
 * `POST /token` (RFC 6749 4.1.3 and 6, RFC 7636, RFC 8707).
 *
 * @throws {OAuthRefusal} with the words of RFC 6749 5.2; {Fault} `unavailable` without a store
 */
export async function token(request: HttpRequest, baseUrl: string, deps: TokenDeps): Promise<HttpResponse> {
  const form = await readForm(request);
  const client = await clientOf(request, form, deps.clients);
  const type = form.get('grant_type');
  if (type === 'authorization_code') return redeem(form, client, baseUrl, deps);
  if (type === 'refresh_token') return refresh(form, client, baseUrl, deps);
  throw new OAuthRefusal('unsupported_grant_type', "'grant_type' must be authorization_code or refresh_token.");
}

/** Who sent a form, by RFC 6749 2.3.1. @throws {OAuthRefusal} `invalid_client` */
export async function clientOf(request: HttpRequest, form: URLSearchParams, clients: Clients): Promise<Client> {
  const basic = basicOf(request.headers.get('authorization'));
  const id = basic?.id ?? textIn(form, 'client_id');
  if (id === undefined) throw new OAuthRefusal('invalid_client', "'client_id' is missing.");
  if (basic && (textIn(form, 'client_id') ?? id) !== id)
    throw new OAuthRefusal('invalid_client', 'The request identifies two different clients.');
  const client = await clients.find(id);
  clients.check(client, basic?.secret ?? textIn(form, 'client_secret'));
  return client;
}

async function redeem(form: URLSearchParams, client: Client, baseUrl: string, deps: TokenDeps): Promise<HttpResponse> {
  const { grants, claims, revocations, nowMs } = deps;
  const code = grants.openCode(form.get('code') ?? '');
  const isTheirs = code !== undefined && nowMs() < code.e && code.c === clientDigest(client);
  if (!isTheirs || form.get('redirect_uri') !== code.r) throw badGrant('code');
  const verifier = form.get('code_verifier') ?? '';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  if (!verifierForm.test(verifier) || !isSameText(challenge, code.p)) throw badGrant('code_verifier');
  checkTarget(form, code.a, baseUrl);
  const t = await keyOfToday(code.t, deps);
  if (!(await claims.claim(`oauth code ${code.f}`, code.e + CODE_MS))) {
    // Somebody has it who should not: what it was exchanged for ends too (RFC 6749 4.1.2).
    await revocations.revoke(code.f);
    throw badGrant('code');
  }
  return granted({ ...code, t }, code.f, deps);
}

async function refresh(form: URLSearchParams, client: Client, baseUrl: string, deps: TokenDeps): Promise<HttpResponse> {
  const { grants, claims, revocations, nowMs } = deps;
  const old = grants.openRefresh(form.get('refresh_token') ?? '');
  if (!old || nowMs() >= old.e || old.c !== clientDigest(client)) throw badGrant('refresh_token');
  checkTarget(form, old.a, baseUrl);
  if (await revocations.isRevoked(old.f)) throw badGrant('refresh_token');
  const t = await keyOfToday(old.t, deps);
  if (!(await claims.claim(`oauth refresh ${old.j}`, old.e))) {
    // Used twice: one of the two stole it, and nobody knows which (RFC 9700 4.14.2).
    await revocations.revoke(old.f);
    throw badGrant('refresh_token');
  }
  return granted({ ...old, t }, old.f, deps);
}

/** The hash of the key as it is today: one that was rotated meanwhile goes on under its new one. */
async function keyOfToday(token: string, { callers }: TokenDeps): Promise<string> {
  try {
    return (await callers.byHash(token, { tags: [], debug: false })).key.token;
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'auth_required') throw badGrant('key');
    throw thrown;
  }
}

function granted(grant: Grant, family: string, { grants, nowMs }: TokenDeps): Response {
  const { access, refresh: next } = grants.tokens(grant, family, nowMs());
  return jsonAnswer({
    access_token: access,
    token_type: 'Bearer',
    expires_in: ACCESS_MS / 1_000,
    refresh_token: next,
    scope: SCOPE,
  });
}

function checkTarget(form: URLSearchParams, audience: string, baseUrl: string): void {
  const resource = textIn(form, 'resource');
  if (resource === undefined || audienceOfResource(resource, baseUrl) === audience) return;
  throw new OAuthRefusal('invalid_target', "'resource' does not match the resource that access was granted for.");
}

function basicOf(header: string | null): { readonly id: string; readonly secret: string } | undefined {
  const [, encoded] = /^basic\s+([\w+/=-]+)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':').map(formDecoded);
  return { id, secret };
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return ''; // a lone percent sign is in no id or secret of ours
  }
}

const badGrant = (what: string) =>
  new OAuthRefusal(
    'invalid_grant',
    `The ${what} is invalid, has expired, was already used, or belongs to another client.`,
  );
