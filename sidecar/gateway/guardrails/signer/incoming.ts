import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import * as z from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import { JwtAlgorithm } from '../../../protocol/gateway/config/jwt.ts';
import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';

const keptMs = 10 * 60_000;
/** An unknown key id makes us ask again, but not each time. */
const cooldownMs = 30_000;
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(256) });

type Verifier = ReturnType<typeof createLocalJWKSet>;

/** Fetches a JWKS, with the address guard, size and time limits of whoever hands it in. @throws {Fault} `unavailable` */
export type FetchJwks = (uri: string, signal: AbortSignal) => Promise<unknown>;

/** Verifies the tokens that callers bring along. An opaque token cannot be verified, so it is refused too. */
export class IncomingTokens {
  readonly #fetchJwks: FetchJwks;
  readonly #clock: Clock;
  readonly #sets = new Map<string, { readonly keys: Verifier; readonly fetchedMs: number }>();

  constructor(fetchJwks: FetchJwks, clock: Clock) {
    this.#fetchJwks = fetchJwks;
    this.#clock = clock;
  }

  /** The claims, or `undefined` for a token that cannot be verified. @throws {Fault} `unavailable` without the keys */
  async verify(
    token: string,
    params: GuardrailParams<'mcp_jwt_signer'> & { readonly jwks_uri: string },
    signal: AbortSignal,
  ): Promise<JWTPayload | undefined> {
    const { verify_issuer, verify_audience } = params;
    const options = {
      algorithms: JwtAlgorithm.options,
      requiredClaims: ['exp'],
      clockTolerance: 60,
      currentDate: new Date(this.#clock.nowMs()),
      ...(verify_issuer !== undefined && { issuer: verify_issuer }),
      ...(verify_audience !== undefined && { audience: verify_audience }),
    };
    const attempt = async (maxAgeMs: number) => {
      const keys = await this.#keys(params.jwks_uri, maxAgeMs, signal);
      return (await jwtVerify(token, keys, options)).payload;
    };
    try {
      return await attempt(keptMs).catch((thrown: unknown) => {
        if (thrown instanceof errors.JWKSNoMatchingKey) return attempt(cooldownMs);
        throw thrown;
      });
    } catch (thrown) {
      if (thrown instanceof errors.JOSEError) return undefined;
      throw thrown;
    }
  }

  async #keys(uri: string, maxAgeMs: number, signal: AbortSignal): Promise<Verifier> {
    const kept = this.#sets.get(uri);
    if (kept && this.#clock.monotonicMs() < kept.fetchedMs + maxAgeMs) return kept.keys;
    const fetched = KeySet.safeParse(await this.#fetchJwks(uri, signal));
    if (!fetched.success) throw new Fault('unavailable', "The keys that verify the caller's token cannot be read.");
    const keys = createLocalJWKSet(fetched.data as JSONWebKeySet);
    this.#sets.set(uri, { keys, fetchedMs: this.#clock.monotonicMs() });
    return keys;
  }
}
