import { BoundedMap } from '../../../platform/boundedMap.ts';
import { Fault } from '../../../platform/faults.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { ConfigJwtIssuer } from '../../../protocol/gateway/config/jwt.ts';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { GatewayStore } from '../../storage/store.ts';
import type { Caller } from '../caller.ts';
import type { Directory } from '../directory.ts';
import type { Identity } from '../identity.ts';
import { hashKey } from '../keys.ts';
import type { CallerResolver } from '../resolve.ts';
import type { WrongKeys } from '../wrongKeys.ts';
import { type FetchJson, KeySetOfIssuer } from './keySets.ts';
import { keyRecordOf, nameOfSubject } from './records.ts';
import { type Subject, subjectOf } from './subject.ts';
import { ForgedToken, type TrustedIssuer, verifyToken } from './verify.ts';

const KEPT = 10_000;

export interface JwtCallersDeps extends Pick<Runtime, 'clock' | 'newId'> {
  readonly issuers: readonly ConfigJwtIssuer[];
  readonly fetchJson: FetchJson;
  readonly store: GatewayStore;
  readonly directory: Directory;
  readonly callers: CallerResolver;
  /** Absent where only one person reaches this gateway. */
  readonly wrongKeys: WrongKeys | undefined;
}

/** A token whose signature need not be verified again for a time. */
interface Verified {
  readonly subject: Subject;
  /** The token's own end; milliseconds since 1970. */
  readonly expiresMs: number;
  readonly issuer: TrustedIssuer;
  /** The keys that it was verified with: a key that is withdrawn ends its tokens. */
  readonly keys: object | undefined;
}

interface KnownCaller {
  readonly token: string;
  readonly version: number;
  readonly verified: Verified;
  readonly caller: Caller;
}

/** Finds out who sent a signed token of an identity provider; remembers it until the token ends or a record changes. */
export class JwtCallers {
  readonly #deps: JwtCallersDeps;
  readonly #issuers: ReadonlyMap<string, TrustedIssuer>;
  /** By what a connection says of its caller: the same object while its headers are the same. */
  readonly #callers = new WeakMap<Identity, KnownCaller>();
  /** By the hash of the token. Tokens that were refused are not remembered, so that guesses push out nothing. */
  readonly #verified = new BoundedMap<string, Verified>(KEPT);
  /** One object for all tokens of a caller, because permissions are remembered by it. */
  readonly #records = new BoundedMap<string, KeyRecord>(KEPT);
  #version = -1;

  constructor(deps: JwtCallersDeps) {
    const { issuers, fetchJson, clock } = deps;
    this.#deps = deps;
    this.#issuers = new Map(
      issuers.map((config) => [config.issuer, { config, keys: new KeySetOfIssuer(config, fetchJson, clock) }]),
    );
  }

  /**
   * At once where the caller is known.
   *
   * @throws {Fault} `auth_required` for a token that is forged, expired, or nobody's; `forbidden` for a team that is not
   *   theirs; `invalid_params` where a header names another end user; `rate_limited` where too many forged tokens or unknown
   *   keys came from there; `unavailable` without the issuer's keys or the database
   */
  callerOf(text: string, identity: Identity, from: string): Caller | Promise<Caller> {
    const token = hashKey(text);
    const known = this.#callers.get(identity);
    const isKnown = known?.token === token && known.version === this.#deps.directory.version;
    return isKnown && this.#isGood(known.verified) ? known.caller : this.#read(text, token, identity, from);
  }

  async #read(text: string, token: string, identity: Identity, from: string): Promise<Caller> {
    const { directory, callers } = this.#deps;
    const verified = await this.#verify(text, token, from);
    const { vouched, endUserId } = verified.subject;
    const { version } = directory;
    if (this.#version !== version) {
      this.#records.clear();
      this.#version = version;
    }
    const name = nameOfSubject(verified.subject);
    let record = this.#records.get(name);
    if (!record) {
      record = await keyRecordOf(verified.subject, this.#deps);
      if (version === directory.version) this.#records.set(name, record);
    }
    const caller = await callers.forRecord(record, vouched.identity, withEndUser(identity, endUserId));
    if (version === directory.version) this.#callers.set(identity, { token, version, verified, caller });
    return caller;
  }

  async #verify(text: string, token: string, from: string): Promise<Verified> {
    const { clock, wrongKeys } = this.#deps;
    const known = this.#verified.get(token);
    if (known && this.#isGood(known)) return known;
    this.#verified.delete(token);
    wrongKeys?.check(from, token);
    try {
      const found = await verifyToken(text, this.#issuers, clock);
      const { issuer, expiresMs } = found;
      const verified = { subject: subjectOf(found), issuer, expiresMs, keys: issuer.keys.fresh };
      this.#verified.set(token, verified);
      wrongKeys?.good(token);
      return verified;
    } catch (thrown) {
      if (thrown instanceof ForgedToken) wrongKeys?.unknown(from, token);
      throw thrown;
    }
  }

  #isGood({ expiresMs, issuer, keys }: Verified): boolean {
    return this.#deps.clock.nowMs() < expiresMs && keys !== undefined && issuer.keys.fresh === keys;
  }
}

/** @throws {Fault} `invalid_params` where the request names another end user than the token */
function withEndUser(identity: Identity, endUserId: string | undefined): Identity {
  if (endUserId === undefined || identity.endUserId === endUserId) return identity;
  if (identity.endUserId === undefined) return { ...identity, endUserId };
  throw new Fault('invalid_params', 'The request names a different end user than its token. Leave the end user out.', {
    data: { field: 'x-gateway-end-user-id' },
  });
}
