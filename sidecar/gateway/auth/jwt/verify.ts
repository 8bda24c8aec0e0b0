import { decodeJwt, errors, jwtVerify } from 'jose';
import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import type { ConfigJwtIssuer } from '../../../protocol/gateway/config/jwt.ts';
import { type Claims, wordsClaim } from '../people/claims.ts';
import type { KeySetOfIssuer } from './keySets.ts';

/** An issuer with its keys. */
export interface TrustedIssuer {
  readonly config: ConfigJwtIssuer;
  readonly keys: KeySetOfIssuer;
}

export interface VerifiedToken {
  readonly issuer: TrustedIssuer;
  readonly subject: string;
  readonly claims: Claims;
  /** Milliseconds since 1970. */
  readonly expiresMs: number;
}

/** A token that nobody who may make tokens has made for this gateway. Whoever sends such tokens is slowed down. */
export class ForgedToken extends Fault {
  constructor(message: string, cause?: unknown) {
    super('auth_required', message, { data: { reason: 'auth_error' }, cause });
  }
}

/** A token that was made for this gateway, and is refused. */
const refused = (reason: 'auth_error' | 'expired_key', message: string, cause?: unknown) =>
  new Fault('auth_required', message, { data: { reason }, cause });

/** Types of tokens that are for callers. A logout token (OpenID Connect Back-Channel Logout 1.0) of the same issuer is not. */
const types: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);

/**
 * Verifies the signature of a token with the keys of the issuer that it names, and then its claims (RFC 7519, RFC 8725).
 *
 * @throws {ForgedToken}
 * @throws {Fault} `auth_required` for a token of the issuer that is expired, not valid yet, or lacks a claim; `unavailable`
 *   without the issuer's keys
 */
export async function verifyToken(
  token: string,
  issuers: ReadonlyMap<string, TrustedIssuer>,
  clock: Pick<Clock, 'nowMs'>,
): Promise<VerifiedToken> {
  const issuer = issuers.get(issuerOf(token));
  if (!issuer) throw new ForgedToken('The issuer of this token is not configured for this gateway.');
  const { config, keys } = issuer;
  const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
    algorithms: config.algorithms,
    issuer: config.issuer,
    audience: config.audience,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: config.clock_tolerance_s,
    currentDate: new Date(clock.nowMs()),
  }).catch(wordsFor);
  if (!types.has(protectedHeader.typ?.toLowerCase()))
    throw refused('auth_error', 'This type of token is not accepted.');
  const expiresMs = (payload.exp ?? 0) * 1_000;
  if (expiresMs > clock.nowMs() + (config.max_lifetime_s + config.clock_tolerance_s) * 1_000)
    throw refused(
      'auth_error',
      'This token is valid for longer than this gateway allows. Get one that expires sooner.',
    );
  const subject = payload.sub;
  if (typeof subject !== 'string' || subject === '') throw refused('auth_error', 'This token names no subject.');
  for (const [name, allowed] of Object.entries(config.required_claims)) {
    const values: readonly string[] = typeof allowed === 'string' ? [allowed] : allowed;
    if (!wordsClaim(payload, name).some((it) => values.includes(it)))
      throw refused(
        'auth_error',
        `The claim '${name}' of this token does not have a value that this gateway requires.`,
      );
  }
  return { issuer, subject, claims: payload, expiresMs };
}

/** What the token says of its issuer, before anything of it is believed. */
function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch (cause) {
    throw new ForgedToken('This token cannot be read.', cause);
  }
}

function wordsFor(thrown: unknown): never {
  if (!(thrown instanceof errors.JOSEError)) throw thrown;
  if (thrown instanceof errors.JWTExpired)
    throw refused('expired_key', 'This token has expired. Get a new one from your identity provider.', thrown);
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    if (thrown.claim === 'nbf') throw refused('auth_error', 'This token is not valid yet.', thrown);
    if (thrown.claim === 'aud') throw new ForgedToken('This token was not issued for this gateway.', thrown);
    throw refused('auth_error', `The claim '${thrown.claim}' of this token is missing or not accepted.`, thrown);
  }
  if (thrown instanceof errors.JOSEAlgNotAllowed)
    throw new ForgedToken('The signature algorithm of this token is not accepted.', thrown);
  throw new ForgedToken('The signature of this token cannot be verified with the keys of its issuer.', thrown);
}
