import type { JWTPayload } from 'jose';
import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import { type CallerSource, tokenSourcePrefix } from '../../../protocol/gateway/guardrails/jwtSigner.ts';
import type { Caller } from '../../auth/caller.ts';

/** `act.sub` where the key is nobody's but its own. */
const gatewayName = 'switchboard-gateway';

export interface ClaimParts {
  readonly params: GuardrailParams<'mcp_jwt_signer'>;
  readonly caller: Caller;
  /** Of the caller's own token, verified; empty where there is none. */
  readonly incoming: Readonly<JWTPayload>;
  readonly scope: string;
}

/** The claims of a token besides issuer, audience and expiry. Edits come in the order add, set, remove. */
export function claimsOf({ params, caller, incoming, scope }: ClaimParts): JWTPayload {
  const email = textOf(incoming['email']) ?? caller.user?.user_email;
  const endUser = caller.endUser?.user_id;
  const passed = (params.optional_claims ?? []).filter((it) => incoming[it] !== undefined);
  const claims = new Map<string, unknown>([
    ...passed.map((it) => [it, incoming[it]] as const),
    ['sub', subjectOf(params.end_user_claim_sources, caller, incoming)],
    ['act', { sub: factOf(caller, 'team_id') ?? factOf(caller, 'organization_id') ?? gatewayName }],
    ['scope', scope],
  ]);
  if (email) claims.set('email', email);
  if (endUser) claims.set('end_user_id', endUser);
  for (const [name, value] of Object.entries(params.add_claims ?? {})) {
    if (!claims.has(name)) claims.set(name, value);
  }
  for (const [name, value] of Object.entries(params.set_claims ?? {})) claims.set(name, value);
  for (const name of params.remove_claims ?? []) claims.delete(name);
  return Object.fromEntries(claims);
}

/** May call this one tool; to list tools is deliberately not in it. */
export const callScope = (tool: string): string => `mcp:tools/call mcp:tools/${tool.replace(notInScope, percent)}:call`;
export const listScope = 'mcp:tools/list';
/** A tool's name with a space in it would be two scopes (RFC 6749, 3.3). */
const notInScope = /[^\x21\x23-\x24\x26-\x5b\x5d-\x7e]+/g;
const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

function subjectOf(sources: readonly string[], caller: Caller, incoming: Readonly<JWTPayload>): string {
  for (const source of sources) {
    const value = source.startsWith(tokenSourcePrefix)
      ? textOf(incoming[source.slice(tokenSourcePrefix.length)])
      : factOf(caller, source as CallerSource);
    if (value) return value;
  }
  return `apikey:${caller.key.token.slice(0, 16)}`;
}

/** What the gateway knows of a caller. */
export function factOf(caller: Caller, source: CallerSource): string | undefined {
  const found: Record<CallerSource, string | null | undefined> = {
    user_id: caller.user?.user_id ?? caller.key.user_id,
    user_email: caller.user?.user_email,
    end_user_id: caller.endUser?.user_id,
    team_id: caller.team?.team_id ?? caller.key.team_id,
    organization_id: caller.organization?.organization_id,
    key_alias: caller.key.key_alias,
  };
  return found[source] || undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
