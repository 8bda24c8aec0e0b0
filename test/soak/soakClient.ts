import type { Socket } from 'node:net';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import { channelOf } from '../../sidecar/protocol/channels/index.ts';
import type { ActionEnvelope, AnyAction, Snapshot } from '../../sidecar/protocol/envelope.ts';
import type { Result } from '../../sidecar/protocol/methods.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import { PeerConnection } from '../../sidecar/transport/peer.ts';
import { testWindow } from '../support/host/hostPlace.ts';

interface Sent {
  readonly clientSeq: number;
  readonly channel: string;
  readonly action: AnyAction;
}

/**
 * A client that outlives its connections and its hosts: it keeps its mirrors, comes back with a replay or with states, and
 * sends again what was not answered.
 */
export class SoakClient {
  readonly clientId: string;
  readonly states = new Map<string, unknown>();
  /** What the host accepted, by its number. */
  readonly accepted = new Map<number, Sent>();
  /** How it came back, for the report. */
  readonly returns = { replay: 0, snapshot: 0, initialize: 0 };
  #peer: PeerConnection | undefined;
  #lastSeen = 0;
  #clientSeq = 0;
  readonly #unanswered = new Map<number, Sent>();
  /** Envelopes that came before the answer to the handshake was taken in. */
  #held: ActionEnvelope[] | undefined;
  #changed: () => void = () => undefined;

  constructor(clientId: string) {
    this.clientId = clientId;
  }

  get isConnected(): boolean {
    return this.#peer?.isClosed === false;
  }
  get unanswered(): number {
    return this.#unanswered.size;
  }

  /** @throws where the host is gone meanwhile */
  async connect(stream: Socket, channels: readonly string[]): Promise<void> {
    const peer = PeerConnection.overStream(stream, {
      timers: systemTimers,
      toError: () => ({ code: -32603, message: 'internal' }),
    });
    this.#held = [];
    peer.onNotification({ action: (params) => this.#receive(peer, params as ActionEnvelope) });
    peer.onClose(() => this.#changed());
    peer.listen();
    this.#peer = peer;
    await this.#handshake(peer, channels);
    const held = this.#held;
    this.#held = undefined;
    for (const it of held) this.#apply(it);
    for (const it of this.#unanswered.values()) peer.sendNotification('dispatchAction', it);
  }

  /** As a broken cable does. */
  drop(): void {
    this.#peer?.close();
  }

  dispatch(channel: string, action: AnyAction): void {
    this.#clientSeq += 1;
    const sent = { clientSeq: this.#clientSeq, channel, action };
    this.#unanswered.set(this.#clientSeq, sent);
    this.#peer?.sendNotification('dispatchAction', sent);
  }

  request(method: string, params: object): Promise<unknown> {
    if (!this.#peer) throw new Error('not connected');
    return this.#peer.sendRequest(method, params);
  }
  /** Settles when it holds, or the connection is gone. */
  async until(isTrue: () => boolean): Promise<void> {
    while (this.isConnected && !isTrue()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  async #handshake(peer: PeerConnection, channels: readonly string[]): Promise<void> {
    if (this.#lastSeen > 0) {
      const back = {
        channel: ROOT,
        clientId: this.clientId,
        lastSeenServerSeq: this.#lastSeen,
        subscriptions: channels,
      };
      const result = await peer.sendRequest('reconnect', back).catch((thrown: { code?: unknown }) => {
        if (thrown.code !== -32008) throw thrown;
        return undefined; // a host that never met us
      });
      if (result) return this.#comeBack(result as Result<'reconnect'>);
    }
    this.returns.initialize += 1;
    const hello = await peer.sendRequest('initialize', {
      channel: ROOT,
      protocolVersions: ['0.7.0'],
      clientId: this.clientId,
      initialSubscriptions: channels,
      initializationOptions: { window: testWindow },
    });
    for (const it of (hello as Result<'initialize'>).snapshots) this.#reset(it);
  }

  #comeBack(result: Result<'reconnect'>): void {
    this.returns[result.type] += 1;
    if (result.type === 'replay') for (const it of result.actions) this.#apply(it as ActionEnvelope);
    else for (const it of result.snapshots) this.#reset(it);
  }

  #reset({ resource, state, fromSeq }: Snapshot): void {
    this.states.set(resource, state);
    this.#lastSeen = Math.max(this.#lastSeen, fromSeq);
  }
  #receive(peer: PeerConnection, envelope: ActionEnvelope): void {
    if (peer !== this.#peer) return;
    if (this.#held) this.#held.push(envelope);
    else this.#apply(envelope);
    this.#changed();
  }

  #apply({ channel, action, serverSeq, origin, rejectionReason, _meta }: ActionEnvelope): void {
    if (origin?.clientId === this.clientId) {
      const sent = this.#unanswered.get(origin.clientSeq);
      if (sent && rejectionReason === undefined) this.accepted.set(serverSeq, sent);
      this.#unanswered.delete(origin.clientSeq);
    }
    const definition = channelOf(channel);
    const state = this.states.get(channel);
    // A receipt that is sent again has the number of then: the mirror has it already.
    if (!definition || state === undefined || rejectionReason !== undefined || serverSeq <= this.#lastSeen) return;
    this.#lastSeen = serverSeq;
    const reduced: unknown = definition.reduce(state, action, { now: _meta!.at! });
    this.states.set(channel, definition.settle ? definition.settle(reduced) : reduced);
  }
}
