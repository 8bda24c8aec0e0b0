import type { Clock } from '../../sidecar/platform/clock.ts';
import type { ActionEnvelope, AnyAction } from '../../sidecar/protocol/envelope.ts';
import type { MethodName, RequestParams } from '../../sidecar/protocol/methods.ts';
import type { PeerConnection } from '../../sidecar/transport/peer.ts';
import type { Connection } from '../../src/client/connection.ts';
import { HostClient } from '../../src/client/hostClient.ts';
import type { ChannelView } from '../../src/client/port.ts';
import { openConnection, peerOver } from './clientLink.ts';
import type { SimClient } from './simClient.ts';
import type { SimTimers } from './time.ts';
import type { SimWire } from './wire.ts';

export interface WindowClientDeps {
  readonly clientId: string;
  readonly timers: SimTimers;
  readonly clock: Clock;
}

/** The client that windows use. It asks for each channel anew on each connection. */
export class WindowClient implements SimClient {
  readonly clientId: string;
  wire: SimWire | undefined;
  readonly #timers: SimTimers;
  readonly #client: HostClient;
  readonly #views = new Map<string, ChannelView<unknown>>();
  /** By channel the number of the last that came of it; none while a state is on its way. */
  readonly #seqs = new Map<string, number>();
  #peer: PeerConnection | undefined;

  constructor({ clientId, timers, clock }: WindowClientDeps) {
    this.clientId = clientId;
    this.#timers = timers;
    this.#client = new HostClient({
      clientId,
      now: clock.now,
      connect: () => Promise.reject(new Error('it connects when a step says so')),
      warn: () => undefined,
      schedule: (work, delayMs) => ({ dispose: timers.after(delayMs, work) }),
    });
  }

  get isConnected(): boolean {
    return this.#client.handshake !== undefined;
  }
  get looksAt(): readonly string[] {
    return [...this.#views.keys()];
  }

  connect(wire: SimWire): void {
    this.wire = wire;
    this.#seqs.clear();
    const peer = peerOver(wire, this.#timers);
    this.#peer = peer;
    const over = peer.onClose(() => {
      over();
      if (this.wire === wire) this.wire = undefined;
    });
    openConnection(peer, this.clientId).then(
      (connection) => {
        if (this.#peer === peer) this.#client.attach(this.#watched(connection));
      },
      () => peer.close(),
    );
  }

  dispatch(channel: string, action: AnyAction): void {
    this.#client.dispatch(channel, action);
  }
  request(method: string, params: object): void {
    if (!this.isConnected) return;
    this.#client.request(method as MethodName, params as RequestParams<MethodName>).catch(() => undefined);
  }

  look(channel: string): void {
    if (!this.#views.has(channel)) this.#views.set(channel, this.#client.open(channel));
  }
  lookAway(channel: string): void {
    this.#views.get(channel)?.dispose();
    this.#views.delete(channel);
    this.#seqs.delete(channel);
  }

  shown(channel: string): unknown {
    return this.#views.get(channel)?.shown;
  }
  mirror(channel: string): { readonly state: unknown; readonly seq: number } | undefined {
    const seq = this.#seqs.get(channel);
    const state = this.shown(channel);
    if (seq === undefined || state === undefined || !this.isConnected) return undefined;
    return this.#client.unanswered.some((it) => it.channel === channel) ? undefined : { state, seq };
  }

  /** Notes which state the mirrors must have by now. */
  #watched(connection: Connection): Connection {
    return {
      ...connection,
      request: async (method, params, token) => {
        const { channel } = params as { channel: string };
        if (method === 'subscribe') this.#seqs.delete(channel);
        const answer = await connection.request(method, params, token);
        const { snapshot } = (answer ?? {}) as { snapshot?: { fromSeq: number } };
        if (method === 'subscribe' && snapshot)
          this.#seqs.set(channel, Math.max(snapshot.fromSeq, this.#early(channel)));
        return answer;
      },
      onNotification: (method, listener) =>
        connection.onNotification(method, (params) => {
          if (method === 'action') this.#note(params as ActionEnvelope);
          listener(params);
        }),
    };
  }
  /** What came while the state was on its way. */
  readonly #earlySeqs = new Map<string, number>();
  #early(channel: string): number {
    const seq = this.#earlySeqs.get(channel) ?? 0;
    this.#earlySeqs.delete(channel);
    return seq;
  }
  #note({ channel, serverSeq }: ActionEnvelope): void {
    const seqs = this.#seqs.has(channel) ? this.#seqs : this.#earlySeqs;
    seqs.set(channel, Math.max(seqs.get(channel) ?? 0, serverSeq));
  }
}
