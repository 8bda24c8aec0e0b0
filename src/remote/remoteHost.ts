import { errorCodeOf } from '../client/connection.ts';
import { Listeners } from '../client/listeners.ts';
import type { Disposable } from '../client/port.ts';
import type { Schedule } from '../client/requests.ts';
import { whyOf } from '../platform/whyOf.ts';
import { Backoff } from '../sidecar/backoff.ts';
import { type RemoteConnection, UpgradeRefused } from './webSocketConnection.ts';

/** Why there is no connection; `detail` are the words of the network or of the host. */
export interface Trouble {
  /**
   * `silent`: nobody answers; `untrusted`: with a certificate of somebody whom this machine does not know; `unfit`: with one
   * for another name or time; `name`: the server does not go by the name in the address; `full`: too many clients; `other`:
   * no Switchboard answers there; `said`: the host refused the handshake; `ended`: it stood, and broke.
   */
  readonly kind: 'silent' | 'untrusted' | 'unfit' | 'name' | 'full' | 'other' | 'said' | 'ended';
  readonly detail: string;
}
export type RemoteState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'attached' }
  /** Tried again by itself after `waitMs`. */
  | { readonly kind: 'lost'; readonly trouble: Trouble; readonly waitMs: number }
  /** Nothing is tried until a person gave a token. */
  | { readonly kind: 'tokenMissing' | 'tokenRefused' };

export interface RemoteHostDeps {
  readonly token: () => Promise<string | undefined>;
  /** One try. */
  readonly open: (token: string, signal: AbortSignal) => Promise<RemoteConnection>;
  /** Takes over a connection whose handshake was answered. @throws when the host's answer is of no use */
  readonly attach: (connection: RemoteConnection) => void;
  readonly schedule: Schedule;
  readonly random: () => number;
  readonly monotonicMs: () => number;
}

/** Waits up to half a minute between two tries, and never gives up: machines sleep, and networks come back. */
const patience = { firstMs: 1_000, longestMs: 30_000, maxFailures: Number.POSITIVE_INFINITY };

/** Keeps this window attached to one host elsewhere: connects, and again after the connection ended. */
export class RemoteHost implements Disposable {
  readonly #deps: RemoteHostDeps;
  readonly #backoff: Backoff;
  readonly #changed = new Listeners<RemoteState>();
  #state: RemoteState = { kind: 'stopped' };
  #connection: RemoteConnection | undefined;
  #again: Disposable | undefined;
  /** Aborted when what was begun is not wanted any more. */
  #life = new AbortController();

  constructor(deps: RemoteHostDeps) {
    this.#deps = deps;
    this.#backoff = new Backoff(deps.random, patience);
  }

  readonly onDidChange = (listener: (state: RemoteState) => void): Disposable => this.#changed.add(listener);

  get state(): RemoteState {
    return this.#state;
  }

  /** Attaches unless it is attached. */
  start(): void {
    if (this.#state.kind === 'stopped') this.retry();
  }

  /** Tries at once: a person asked for it, or gave another token. */
  retry(): void {
    this.#leave();
    this.#backoff.reset();
    void this.#connect(this.#life.signal);
  }

  /** Settles when there is a connection. Rejects with why there is none and none is being made. */
  connected(whyNot: (state: RemoteState) => string): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (state: RemoteState): boolean => {
        if (state.kind === 'connecting') return false;
        if (state.kind === 'attached') resolve();
        else reject(new Error(whyNot(state)));
        return true;
      };
      if (settle(this.#state)) return;
      const stop = this.onDidChange((state) => {
        if (settle(state)) stop.dispose();
      });
    });
  }

  dispose(): void {
    this.#leave();
    this.#become({ kind: 'stopped' });
  }

  #leave(): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#again?.dispose();
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #connect(signal: AbortSignal): Promise<void> {
    this.#become({ kind: 'connecting' });
    let connection: RemoteConnection | undefined;
    try {
      const token = await this.#deps.token();
      if (signal.aborted) return;
      if (token === undefined) return this.#become({ kind: 'tokenMissing' });
      connection = await this.#deps.open(token, signal);
      if (signal.aborted) return connection.close();
      const since = this.#deps.monotonicMs();
      connection.onClosed((detail) => {
        this.#connection = undefined;
        this.#lost(signal, { kind: 'ended', detail }, this.#deps.monotonicMs() - since);
      });
      this.#deps.attach(connection);
      this.#connection = connection;
      this.#become({ kind: 'attached' });
    } catch (thrown) {
      connection?.close();
      if (signal.aborted) return;
      if (thrown instanceof UpgradeRefused && thrown.status === 401) return this.#become({ kind: 'tokenRefused' });
      const trouble = troubleOf(thrown);
      this.#lost(signal, connection ? { ...trouble, kind: 'other' } : trouble, 0);
    }
  }

  #lost(signal: AbortSignal, trouble: Trouble, livedMs: number): void {
    if (signal.aborted) return;
    const waitMs = this.#backoff.next(livedMs) ?? patience.longestMs;
    this.#again = this.#deps.schedule(() => void this.#connect(signal), waitMs);
    this.#become({ kind: 'lost', trouble, waitMs });
  }

  #become(state: RemoteState): void {
    this.#state = state;
    this.#changed.fire(state);
  }
}

/** By the code that Node gives a connection that broke off over a certificate. */
const ofCertificates: Readonly<Record<string, 'untrusted' | 'unfit'>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  CERT_UNTRUSTED: 'untrusted',
  INVALID_CA: 'untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'unfit',
  CERT_HAS_EXPIRED: 'unfit',
  CERT_NOT_YET_VALID: 'unfit',
};

function troubleOf(thrown: unknown): Trouble {
  const detail = whyOf(thrown);
  if (thrown instanceof UpgradeRefused) {
    const kind = { 403: 'name', 503: 'full' } as const;
    return { kind: kind[thrown.status as 403 | 503] ?? 'other', detail };
  }
  if (errorCodeOf(thrown) !== undefined) return { kind: 'said', detail };
  const kind = ofCertificates[(thrown as { code?: string } | undefined)?.code ?? ''];
  // Node goes on about its own command line.
  return kind ? { kind, detail: detail.replace(/;.*/s, '') } : { kind: 'silent', detail };
}
