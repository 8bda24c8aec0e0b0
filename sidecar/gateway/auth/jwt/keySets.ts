import { createLocalJWKSet, type JSONWebKeySet, type JWTHeaderParameters, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import type { ConfigJwtIssuer } from '../../../protocol/gateway/config/jwt.ts';

/** Fetches a small JSON document through the guard of addresses. @throws {Fault} `unavailable`, `forbidden` */
export type FetchJson = (url: string, allowPrivate: boolean) => Promise<unknown>;

/** The least time between two fetches from one issuer, however many tokens name a key that nobody knows. */
export const FETCH_INTERVAL_MS = 30_000;

/** Private and shared keys have no place in a published set, and are not read from one. */
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(256) });
const asymmetric: ReadonlySet<string> = new Set(['RSA', 'EC', 'OKP']);
const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

type FindKey = JWTVerifyGetKey;
interface Fetched {
  readonly find: FindKey;
  readonly ids: ReadonlySet<string>;
  readonly atMs: number;
}

/**
 * The published keys of one issuer. They are fetched when they are first needed, again when they are old, and once more
 * for a key that is not among them, as after a rotation. Callers that wait at the same time share one fetch.
 */
export class KeySetOfIssuer {
  readonly #issuer: ConfigJwtIssuer;
  readonly #fetchJson: FetchJson;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #kept: Fetched | undefined;
  #uri: string | undefined;
  #fetching: Promise<Fetched> | undefined;
  #triedMs = Number.NEGATIVE_INFINITY;

  constructor(issuer: ConfigJwtIssuer, fetchJson: FetchJson, clock: Pick<Clock, 'monotonicMs'>) {
    this.#issuer = issuer;
    this.#fetchJson = fetchJson;
    this.#clock = clock;
    this.#uri = issuer.jwks_uri;
  }

  /**
   * Finds the key for the header of a token; the keys that the header itself holds or names are not looked at.
   *
   * @throws {Fault} `unavailable` where no keys are to be had and the last ones are too old
   * @throws {JOSEError} where no key fits
   */
  readonly find: FindKey = async (header, token) => {
    const { find } = await this.#keysFor(header);
    return find(header, token);
  };

  /** The keys of now, while they are not old: what they verified need not be verified again. */
  get fresh(): object | undefined {
    return this.#kept && !this.#isOld(this.#kept) ? this.#kept : undefined;
  }

  #isOld({ atMs }: Fetched): boolean {
    return this.#clock.monotonicMs() - atMs >= this.#issuer.jwks_refresh_s * 1_000;
  }

  async #keysFor({ kid }: JWTHeaderParameters): Promise<Fetched> {
    const kept = this.#kept;
    const isUnknown = kid !== undefined && kept?.ids.has(kid) === false;
    if (kept && !this.#isOld(kept) && !isUnknown) return kept;
    if (this.#fetching) return this.#orStale(this.#fetching);
    if (this.#clock.monotonicMs() - this.#triedMs < FETCH_INTERVAL_MS) return this.#orStale(undefined);
    this.#triedMs = this.#clock.monotonicMs();
    this.#fetching = this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#orStale(this.#fetching);
  }

  /** While the issuer is away, the last keys are used for a time, and no longer: a key that was revoked may be among them. */
  async #orStale(fetching: Promise<Fetched> | undefined): Promise<Fetched> {
    let cause: unknown;
    try {
      if (fetching) return await fetching;
    } catch (thrown) {
      cause = thrown;
    }
    const { jwks_refresh_s, jwks_stale_s, issuer } = this.#issuer;
    const kept = this.#kept;
    const mostMs = (jwks_refresh_s + jwks_stale_s) * 1_000;
    if (kept && this.#clock.monotonicMs() - kept.atMs < mostMs) return kept;
    throw new Fault(
      'unavailable',
      `The token cannot be checked because the keys of ${issuer} cannot be fetched. Try again later.`,
      { data: { reason: 'jwks_unavailable', retry_after_ms: FETCH_INTERVAL_MS }, cause },
    );
  }

  async #fetch(): Promise<Fetched> {
    const { issuer, allow_private_network: allowPrivate } = this.#issuer;
    try {
      this.#uri ??= await keysAddress(issuer, allowPrivate, this.#fetchJson);
      const keys = await readKeys(this.#uri, allowPrivate, this.#fetchJson);
      const ids = new Set(keys.flatMap((it) => (typeof it['kid'] === 'string' ? it['kid'] : [])));
      this.#kept = {
        find: createLocalJWKSet({ keys } as JSONWebKeySet),
        ids,
        atMs: this.#clock.monotonicMs(),
      };
      return this.#kept;
    } catch (thrown) {
      // An issuer may move its keys: the next fetch asks it where they are.
      this.#uri = this.#issuer.jwks_uri;
      throw thrown;
    }
  }
}

/**
 * Where an issuer publishes its keys. OpenID Connect Discovery 1.0, 4: a document about another issuer says nothing about this
 * one. @throws {Fault} `unavailable`, `forbidden`
 */
export async function keysAddress(issuer: string, allowPrivate: boolean, fetchJson: FetchJson): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const parsed = Discovery.safeParse(await fetchJson(url, allowPrivate));
  if (!parsed.success || parsed.data.issuer !== issuer)
    throw new Fault('unavailable', 'The discovery document cannot be read, or describes a different issuer.');
  return parsed.data.jwks_uri;
}

/** The keys of a published set that signatures can be checked with. @throws {Fault} `unavailable`, `forbidden` */
export async function readKeys(url: string, allowPrivate: boolean, fetchJson: FetchJson) {
  const parsed = KeySet.safeParse(await fetchJson(url, allowPrivate));
  if (!parsed.success) throw new Fault('unavailable', 'The key set cannot be read.');
  return parsed.data.keys.filter((it) => asymmetric.has(it.kty));
}
