import { BoundedMap } from '../../../platform/boundedMap.ts';
import type { GrantedToken } from './grants.ts';

/** A token is used until a minute before its end. */
export const earlyMs = 60_000;
/** Where the authorization server does not say how long: five minutes. */
const unknownLifeMs = 5 * 60_000;

interface Held {
  readonly token: string;
  readonly untilMs: number;
}

/** Tokens in memory, each fetched by one request at a time. The oldest goes when there are too many. */
export class TokenCache {
  readonly #nowMs: () => number;
  readonly #held: BoundedMap<string, Held>;
  readonly #flights = new Map<string, Promise<string>>();

  constructor(nowMs: () => number, max = 10_000) {
    this.#nowMs = nowMs;
    this.#held = new BoundedMap(max);
  }

  /**
   * @param refused a token the backend did not take: it is not given out again
   * @param fetch shared by everybody who waits, so it does not end with one caller's signal
   */
  async token(
    key: string,
    { refused, signal }: { readonly refused?: string | undefined; readonly signal: AbortSignal },
    fetch: () => Promise<GrantedToken>,
  ): Promise<string> {
    signal.throwIfAborted();
    const held = this.#held.get(key);
    if (held && held.token !== refused && this.#nowMs() < held.untilMs) return held.token;
    const running = this.#flights.get(key);
    const token = await unlessAborted(running ?? this.#start(key, fetch), signal);
    if (token !== refused || !running) return token;
    return unlessAborted(this.#flights.get(key) ?? this.#start(key, fetch), signal); // it began before the refusal
  }

  /** Everything whose key begins so, also what is on its way: a registration changed. */
  forget(prefix: string): void {
    for (const map of [this.#held, this.#flights]) {
      for (const key of map.keys()) if (key.startsWith(prefix)) map.delete(key);
    }
  }

  #start(key: string, fetch: () => Promise<GrantedToken>): Promise<string> {
    this.#held.delete(key);
    const isCurrent = () => this.#flights.get(key) === flight;
    const flight = fetch()
      .then((granted) => {
        if (isCurrent()) this.#keep(key, granted);
        return granted.accessToken;
      })
      .finally(() => {
        if (isCurrent()) this.#flights.delete(key);
      });
    this.#flights.set(key, flight);
    return flight;
  }

  #keep(key: string, { accessToken, expiresAtMs }: GrantedToken): void {
    const untilMs = expiresAtMs === undefined ? this.#nowMs() + unknownLifeMs : expiresAtMs - earlyMs;
    this.#held.set(key, { token: accessToken, untilMs });
  }
}

/** What others wait for too goes on when one of them leaves. */
async function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: () => void = () => undefined;
  const leaving = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([shared, leaving]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
