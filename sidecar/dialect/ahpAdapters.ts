import { isRecord } from '../platform/isRecord.ts';
import { AhpAdapter, type Introduction } from './ahpAdapter.ts';
import { PublicClients } from './publicClients.ts';

/** Makes the adapters of clients that speak the public protocol; one for all connections of a server. */
export class AhpAdapters {
  readonly #clients = new PublicClients();
  readonly #introduction: Introduction;

  /** @param introduction how the host gets to know these clients */
  constructor(introduction: Introduction) {
    this.#introduction = introduction;
  }

  /**
   * What a connection speaks, by its first messages: the public protocol, ours (`none`), or `undefined` where a message
   * does not decide. A client that reconnects may leave the channel out.
   */
  choose(message: unknown): AhpAdapter | 'none' | undefined {
    if (!isRecord(message)) return undefined;
    const { method, params } = message;
    if (method === 'ping') return undefined;
    if ((method !== 'initialize' && method !== 'reconnect') || !isRecord(params)) return 'none';
    const { channel, initialSubscriptions, subscriptions, clientId } = params;
    const named = [channel, initialSubscriptions, subscriptions].flat();
    const isPublic = named.some((it) => typeof it === 'string' && it.startsWith('ahp-'));
    const isKnown = method === 'reconnect' && channel === undefined && this.#clients.get(clientId) !== undefined;
    return isPublic || isKnown ? new AhpAdapter(this.#clients, this.#introduction) : 'none';
  }
}
