import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import type { PeerConnection } from '../../sidecar/transport/peer.ts';

/** Sends dispatches and knows when each echo came; nothing else, so that the client costs the same on both sides. */
export class Dispatcher {
  readonly #peer: PeerConnection;
  readonly #waiting = new Map<number, () => void>();
  #clientSeq = 0;
  readonly #clientId: string;
  readonly #heard = new Set<(action: AnyAction) => void>();

  /** @param peer made with {@link handlers} of this object before it listened, or afterwards */
  constructor(peer: PeerConnection, clientId: string) {
    this.#peer = peer;
    this.#clientId = clientId;
    peer.onNotification({
      action: (params) => {
        const { origin, action, rejectionReason } = params as {
          origin?: { clientId: string; clientSeq: number };
          action: AnyAction;
          rejectionReason?: string;
        };
        if (rejectionReason !== undefined) throw new Error(`refused: ${rejectionReason}`);
        if (origin?.clientId === this.#clientId) {
          this.#waiting.get(origin.clientSeq)?.();
          this.#waiting.delete(origin.clientSeq);
        }
        for (const listener of this.#heard) listener(action);
      },
    });
  }

  /** Settles at the echo. */
  dispatch(channel: string, action: AnyAction): Promise<void> {
    this.#clientSeq += 1;
    const clientSeq = this.#clientSeq;
    return new Promise((resolve) => {
      this.#waiting.set(clientSeq, resolve);
      this.#peer.sendNotification('dispatchAction', { channel, clientSeq, action });
    });
  }

  /** Settles when an action of this type comes. */
  heard(type: string): Promise<void> {
    return new Promise((resolve) => {
      const listener = (action: AnyAction) => {
        if (action.type !== type) return;
        this.#heard.delete(listener);
        resolve();
      };
      this.#heard.add(listener);
    });
  }

  /** Milliseconds from each dispatch to its echo, one at a time. */
  async oneByOne(channel: string, actions: readonly AnyAction[]): Promise<number[]> {
    const figures: number[] = [];
    for (const action of actions) {
      const started = performance.now();
      await this.dispatch(channel, action);
      figures.push(performance.now() - started);
    }
    return figures;
  }

  /** Milliseconds until the last echo, all sent at once. */
  async burst(channel: string, actions: readonly AnyAction[]): Promise<number> {
    const started = performance.now();
    await Promise.all(actions.map((it) => this.dispatch(channel, it)));
    return performance.now() - started;
  }
}

export function drafts(count: number): AnyAction[] {
  return Array.from({ length: count }, (_, n) => ({
    type: 'chat/draftChanged',
    draft: { text: `draft ${n} `.repeat(20), origin: { kind: 'user' } },
  }));
}
