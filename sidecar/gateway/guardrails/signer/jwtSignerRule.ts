import { type JWTPayload, SignJWT } from 'jose';
import type { Clock } from '../../../platform/clock.ts';
import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import { type GuardedTarget, type PreVerdict, type Rule, violation } from '../call.ts';
import { callScope, claimsOf, listScope } from './claims.ts';
import type { IncomingTokens } from './incoming.ts';
import type { Keyring } from './keyring.ts';
import { audienceOf, channelHeader, headerFor, headerValue } from './target.ts';

/** Longest header value that backends can be relied on to take. */
const maxTokenLength = 8_000;

export interface SignerDeps {
  readonly keyring: Keyring;
  readonly incoming: IncomingTokens;
  /** `iss` where the guardrail names none: the gateway's public URL, never one that a caller's `Host` decides. */
  readonly issuer: () => string;
  readonly newId: () => string;
  readonly clock: Clock;
}

type Params = GuardrailParams<'mcp_jwt_signer'>;

/** Signs who calls which tool of which server, once for each call. Servers without HTTP get nothing. */
export function jwtSignerRule(name: string, params: Params, { signer: deps }: { readonly signer: SignerDeps }): Rule {
  const assert = async (target: GuardedTarget, scope: string): Promise<PreVerdict> => {
    if (target.server.transport === 'stdio') return {};
    const incoming = await incomingOf(target, params, deps.incoming);
    if (!incoming) return { refusal: violation(name, "The caller's token could not be verified.") };
    const missing = params.required_claims?.find((it) => incoming[it] === undefined);
    if (missing !== undefined) return { refusal: violation(name, `The caller's token has no '${missing}' claim.`) };
    const claims = claimsOf({ params, caller: target.context.caller, incoming, scope });
    const audience = params.audience ?? audienceOf(target.server);
    const token = await sign(claims, audience, params.token_ttl_seconds, params, deps);
    if (token.length > maxTokenLength) return { refusal: violation(name, 'The assertion is too long for a header.') };
    const header = headerFor(target.server, params.header);
    const channel = params.channel_token_audience;
    const seconds = params.channel_token_ttl ?? params.token_ttl_seconds;
    return {
      headers: {
        [header]: headerValue(header, token),
        ...(channel !== undefined && { [channelHeader]: await sign(claims, channel, seconds, params, deps) }),
      },
    };
  };
  return { pre: (call) => assert(call, callScope(call.tool)), list: (target) => assert(target, listScope) };
}

/** Claims of the caller's own token: none without one or without a way to verify it; `undefined` where that failed. */
async function incomingOf(
  { context: { bearer, signal } }: GuardedTarget,
  params: Params,
  tokens: IncomingTokens,
): Promise<JWTPayload | undefined> {
  const { jwks_uri } = params;
  if (bearer === undefined || jwks_uri === undefined) return {};
  return tokens.verify(bearer, { ...params, jwks_uri }, signal);
}

async function sign(
  claims: JWTPayload,
  audience: string,
  seconds: number,
  params: Params,
  { keyring, issuer, newId, clock }: SignerDeps,
): Promise<string> {
  const { key, kid } = await keyring.signing();
  const now = Math.floor(clock.nowMs() / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
    .setIssuer(params.issuer ?? issuer())
    .setAudience(audience)
    .setJti(newId())
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + seconds)
    .sign(key);
}
