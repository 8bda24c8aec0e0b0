import { Fault } from '../../platform/faults.ts';
import type { Timers } from '../../platform/timers.ts';
import type { ProtectedResourceMetadata } from '../../protocol/shared.ts';
import { ROOT } from '../../protocol/uris.ts';

/** A bearer token as a client pushed it. Opaque; never in state, errors, logs or rows. */
export interface PushedToken {
  readonly value: string;
  /** What it really grants, where the client said so. */
  readonly scopes?: readonly string[];
}
/** A client, as far as its tokens go. They are used for what it asks for, and for nobody else. */
export interface TokenHolder {
  readonly clientId: string;
  readonly tokens: Map<string, PushedToken>;
}
/** Asks the resource about a token. Answers false when it refused; whatever else goes wrong is no refusal. */
export type TokenCheck = (token: PushedToken, holder: TokenHolder) => Promise<boolean>;

export interface TokenDeps {
  /** What the agents ask for now. */
  readonly ofAgents: () => readonly ProtectedResourceMetadata[];
  /** A notification to one client, if it is there. */
  readonly notify: (clientId: string, method: 'auth/required', params: object) => void;
  /** No log, no error and no transcript shows this from now on. */
  readonly hide: (secret: string) => void;
  /** Runs `work` after `delayMs`; answers what stops it. */
  readonly timers: Pick<Timers, 'after'>;
}

/** RFC 6750, section 2.1: what can stand behind `Bearer`. */
const BEARER = /^[\w.~+/-]+=*$/;
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Protected resources, and the tokens that clients pushed for them. Tokens are kept with their client, in memory only, until
 * their time is over, their resource refuses them or the host forgets the client.
 */
export class Tokens {
  readonly #deps: TokenDeps;
  readonly #live = new Map<object, { metadata: ProtectedResourceMetadata; check: TokenCheck | undefined }>();
  readonly #accepted = new Set<(holder: TokenHolder, resource: string) => void>();
  readonly #expiries = new WeakMap<PushedToken, () => void>();
  /** By client, then resource: what its resource refused last, so that it is not taken again. */
  readonly #refused = new WeakMap<TokenHolder, Map<string, string>>();
  /** By client, then resource: the push that came last, which counts whichever is checked first. */
  readonly #latest = new WeakMap<TokenHolder, Map<string, object>>();

  constructor(deps: TokenDeps) {
    this.#deps = deps;
  }

  /**
   * A resource besides those of the agents, for as long as something needs it: from now on clients may push tokens for it.
   * @param check asked about every pushed token before it is kept
   * @returns takes it back
   */
  advertise(metadata: ProtectedResourceMetadata, check?: TokenCheck): () => void {
    const key = {};
    this.#live.set(key, { metadata, check });
    return () => void this.#live.delete(key);
  }

  /** The metadata of a resource that is advertised now. */
  find(resource: string): ProtectedResourceMetadata | undefined {
    return this.#all().find((it) => it.resource === resource);
  }

  /** Those of `resources` without which its holder gets nothing; a missing `required` is true. */
  missing<R extends Pick<ProtectedResourceMetadata, 'resource' | 'required'>>(
    holder: TokenHolder | undefined,
    resources: readonly R[],
  ): R[] {
    return resources.filter((it) => it.required !== false && !holder?.tokens.has(it.resource));
  }

  /**
   * `authenticate`: takes the place of the token before it.
   * @throws {Fault} `invalid_params` for a resource that nobody advertises, `auth_required` for a token that is refused
   */
  async accept(
    holder: TokenHolder,
    pushed: {
      readonly resource: string;
      readonly token: string;
      readonly scopes?: readonly string[];
      readonly expiresIn?: number;
    },
  ): Promise<void> {
    const { resource, token: value, scopes, expiresIn } = pushed;
    const metadata = this.find(resource);
    if (!metadata)
      throw new Fault('invalid_params', 'resource: no agent or MCP server requires a token for this resource');
    const refuse = () => new Fault('auth_required', 'the token was rejected', { data: { resources: [metadata] } });
    if (!BEARER.test(value) || this.#refused.get(holder)?.get(resource) === value) throw refuse();
    // Not before: whatever anybody calls a token would be cut out of what agents say, and looked for ever after.
    this.#deps.hide(value);
    const token: PushedToken = { value, ...(scopes && { scopes }) };
    const mark = {};
    inner(this.#latest, holder).set(resource, mark);
    const those = [...this.#live.values()].filter((it) => it.metadata.resource === resource);
    const good = await Promise.all(those.flatMap(({ check }) => check?.(token, holder) ?? []));
    if (good.includes(false)) throw refuse();
    if (this.#latest.get(holder)?.get(resource) !== mark) return; // a later one counts
    this.drop(holder, resource);
    holder.tokens.set(resource, token);
    if (expiresIn !== undefined) this.#expire(holder, resource, token, expiresIn);
    for (const listener of [...this.#accepted]) listener(holder, resource);
  }

  /** Called with every token that was taken, after it can be used. */
  onAccepted(listener: (holder: TokenHolder, resource: string) => void): () => void {
    this.#accepted.add(listener);
    return () => void this.#accepted.delete(listener);
  }

  /**
   * Tells a client that a resource wants a token. A token that the resource refused goes, and is not taken again; one that was
   * pushed meanwhile stays, and then nothing is said.
   * @param channel the session that needs it; absent: the root
   * @param refused the token that was tried
   */
  demand(
    holder: TokenHolder,
    resource: string,
    { channel = ROOT, refused }: { readonly channel?: string; readonly refused?: string } = {},
  ): void {
    const held = holder.tokens.get(resource)?.value;
    if (refused !== undefined) inner(this.#refused, holder).set(resource, refused);
    if (held !== undefined && held !== refused) return;
    this.drop(holder, resource);
    const reason = refused === undefined ? 'required' : 'expired';
    this.#deps.notify(holder.clientId, 'auth/required', { channel, resource, reason });
  }

  /** Settles with the token once there is one. @throws the reason of `signal` */
  async next(holder: () => TokenHolder | undefined, resource: string, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const read = () => holder()?.tokens.get(resource)?.value;
    return new Promise<string>((resolve, reject) => {
      const end = (settle: () => void) => {
        stop();
        signal.removeEventListener('abort', aborted);
        settle();
      };
      const aborted = () => end(() => reject(signal.reason));
      const look = () => {
        const value = read();
        if (value !== undefined) end(() => resolve(value));
      };
      const stop = this.onAccepted(look);
      signal.addEventListener('abort', aborted);
      look();
    });
  }

  /** The client is gone for good. */
  forget(holder: TokenHolder): void {
    for (const resource of [...holder.tokens.keys()]) this.drop(holder, resource);
    this.#latest.delete(holder); // what is still being checked comes too late
  }

  #all(): ProtectedResourceMetadata[] {
    return [...this.#deps.ofAgents(), ...[...this.#live.values()].map((it) => it.metadata)];
  }

  /** Nobody uses the token of a client any more; what runs with it goes on. */
  drop(holder: TokenHolder, resource: string): void {
    const token = holder.tokens.get(resource);
    if (!token) return;
    this.#expiries.get(token)?.();
    holder.tokens.delete(resource);
  }

  #expire(holder: TokenHolder, resource: string, token: PushedToken, seconds: number): void {
    const over = () => this.demand(holder, resource, { refused: token.value });
    this.#expiries.set(token, this.#deps.timers.after(Math.min(seconds * 1000, MAX_DELAY_MS), over));
  }
}

function inner<V>(all: WeakMap<TokenHolder, Map<string, V>>, holder: TokenHolder): Map<string, V> {
  const own = all.get(holder) ?? new Map<string, V>();
  all.set(holder, own);
  return own;
}
