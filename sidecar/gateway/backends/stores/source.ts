import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { LocalSecretRef } from '../../../protocol/gateway/config/secretRef.ts';
import type { SmallAnswer, SmallFetch } from '../net/smallFetch.ts';

/** What the stores read of this machine, and how they ask others. */
export interface SourceDeps {
  /** Through the guard of addresses, as all that leaves the gateway. */
  readonly fetch: SmallFetch;
  /** The identity service of the machine, at an address that is fixed and that nothing else may reach. */
  readonly machine: SmallFetch;
  /** @throws {Fault} `unavailable` with why it is not there */
  readonly readLocal: (ref: LocalSecretRef) => Promise<string>;
  readonly nowMs: () => number;
}

/** One store of secrets. */
export interface SecretSource {
  /**
   * A secret as it is stored: an object of fields, or one text.
   * @throws {Fault} `not_found` where there is none; `unavailable` for everything else, without anything secret
   */
  read(path: string): Promise<string | Readonly<Record<string, unknown>>>;
}

/** Tokens are renewed so long before they end. */
const earlyMs = 60_000;

/** A token that is fetched when it is needed, by one request at a time, and kept until it ends. */
export class KeptToken {
  readonly #fetch: () => Promise<{ readonly token: string; readonly seconds: number }>;
  readonly #nowMs: () => number;
  #kept: { readonly token: Promise<string>; untilMs: number } | undefined;

  constructor(fetch: () => Promise<{ readonly token: string; readonly seconds: number }>, nowMs: () => number) {
    this.#fetch = fetch;
    this.#nowMs = nowMs;
  }

  get(): Promise<string> {
    if (this.#kept && this.#nowMs() < this.#kept.untilMs) return this.#kept.token;
    const fetched = this.#fetch();
    const kept = { token: fetched.then((it) => it.token), untilMs: Number.POSITIVE_INFINITY };
    this.#kept = kept;
    fetched.then(
      ({ seconds }) => {
        kept.untilMs = this.#nowMs() + seconds * 1_000 - earlyMs;
      },
      () => {
        if (this.#kept === kept) this.#kept = undefined;
      },
    );
    return kept.token;
  }

  /** @param used of {@link get}: one that came after it stays, so that requests that were refused together share the next */
  forget(used: Promise<string>): void {
    if (this.#kept?.token === used) this.#kept = undefined;
  }
}

/** @throws {Fault} for any status but 200 @param what the store, for the message */
export function jsonOf({ status, text }: SmallAnswer, what: string): unknown {
  if (status === 404) throw new Fault('not_found', `${what} has no such secret`);
  if (status !== 200) throw new Fault('unavailable', `${what} returned HTTP ${status}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Fault('unavailable', `${what} returned a response that is not JSON`);
  }
}

/** OAuth answers of authorization servers; managed identities give the seconds as text. */
const Token = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });

/** @throws {Fault} `unavailable`, also for 404: without a token nobody knows whether there is a secret */
export function tokenOf(answer: SmallAnswer, what: string): { readonly token: string; readonly seconds: number } {
  if (answer.status !== 200) throw new Fault('unavailable', `${what} returned HTTP ${answer.status}`);
  const { data } = Token.safeParse(jsonOf(answer, what));
  if (!data) throw badAnswer(what);
  return { token: data.access_token, seconds: data.expires_in };
}

export const badAnswer = (what: string) => new Fault('unavailable', `${what} returned an unexpected response`);
