import { channelOf } from '../../sidecar/protocol/channels/index.ts';
import type { ActionEnvelope, AnyAction, Snapshot } from '../../sidecar/protocol/envelope.ts';
import type { Result } from '../../sidecar/protocol/methods.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { PeerConnection } from '../../sidecar/transport/peer.ts';
import { helloOf, peerOver } from './clientLink.ts';
import type { SimClient } from './simClient.ts';
import type { SimTimers } from './time.ts';
import type { SimWire } from './wire.ts';

interface Mirror {
  readonly state: unknown;
  readonly seq: number;
}
interface Sent {
  readonly clientSeq: number;
  readonly channel: string;
  readonly action: AnyAction;
}

/** A client that comes back with `reconnect`, and goes on from the envelopes that it missed where the host has them. */
export class ReturningClient implements SimClient {
  readonly clientId: string;
  wire: SimWire | undefined;
  isConnected = false;
  readonly #timers: SimTimers;
  readonly #mirrors = new Map<string, Mirror>();
  readonly #looksAt = new Set<string>();
  /** Channels whose state is on its way, with what came of them meanwhile. */
  readonly #early = new Map<string, ActionEnvelope[]>();
  readonly #unanswered = new Map<number, Sent>();
  #peer: PeerConnection | undefined;
  #lastSeen = 0;
  #clientSeq = 0;

  constructor(clientId: string, timers: SimTimers) {
    this.clientId = clientId;
    this.#timers = timers;
  }

  get looksAt(): readonly string[] {
    return [...this.#looksAt];
  }

  connect(wire: SimWire): void {
    this.wire = wire;
    const peer = peerOver(wire, this.#timers);
    this.#peer = peer;
    this.#early.clear();
    const held: ActionEnvelope[] = [];
    let take = (it: ActionEnvelope): void => void held.push(it);
    peer.onNotification({ action: (params) => take(params as ActionEnvelope) });
    peer.onClose(() => {
      if (this.#peer !== peer) return;
      this.isConnected = false;
      this.wire = undefined;
      this.#early.clear();
    });
    peer.listen();
    this.#handshake(peer).then(
      () => {
        if (this.#peer !== peer || peer.isClosed) return;
        take = (it) => this.#receive(it);
        for (const it of held) this.#receive(it);
        this.isConnected = true;
        for (const it of this.#unanswered.values()) peer.sendNotification('dispatchAction', it);
        for (const it of this.#looksAt) if (!this.#mirrors.has(it)) this.#subscribe(it);
      },
      () => peer.close(),
    );
  }

  dispatch(channel: string, action: AnyAction): void {
    this.#clientSeq += 1;
    const sent = { clientSeq: this.#clientSeq, channel, action };
    this.#unanswered.set(this.#clientSeq, sent);
    if (this.isConnected) this.#peer?.sendNotification('dispatchAction', sent);
  }
  request(method: string, params: object): void {
    if (this.isConnected) this.#peer?.sendRequest(method, params).catch(() => undefined);
  }

  look(channel: string): void {
    if (this.#looksAt.has(channel)) return;
    this.#looksAt.add(channel);
    if (this.isConnected) this.#subscribe(channel);
  }
  lookAway(channel: string): void {
    if (!this.#looksAt.delete(channel)) return;
    this.#mirrors.delete(channel);
    this.#early.delete(channel);
    if (this.isConnected) this.#peer?.sendNotification('unsubscribe', { channel });
  }

  shown(channel: string): unknown {
    return this.#mirrors.get(channel)?.state;
  }
  mirror(channel: string): Mirror | undefined {
    return this.isConnected ? this.#mirrors.get(channel) : undefined;
  }

  #subscribe(channel: string): void {
    const early: ActionEnvelope[] = [];
    this.#early.set(channel, early);
    this.#peer?.sendRequest('subscribe', { channel }).then(
      (answer) => {
        if (this.#early.get(channel) !== early) return;
        this.#early.delete(channel);
        const { snapshot } = answer as { snapshot: Snapshot };
        this.#reset(snapshot);
        for (const it of early) this.#apply(it);
      },
      () => {
        if (this.#early.get(channel) === early) this.#early.delete(channel);
      },
    );
  }

  async #handshake(peer: PeerConnection): Promise<void> {
    const channels = [ROOT, ...this.#looksAt].filter((it) => this.#mirrors.has(it));
    if (this.#lastSeen > 0) {
      const { clientId } = this;
      const back = { channel: ROOT, clientId, lastSeenServerSeq: this.#lastSeen, subscriptions: channels };
      const result = await peer.sendRequest('reconnect', back).catch((thrown: { code?: unknown }) => {
        if (thrown.code !== -32008) throw thrown;
        return undefined; // a host that never met us
      });
      if (result) return this.#comeBack(result as Result<'reconnect'>, channels);
    }
    this.#mirrors.clear();
    const hello = await peer.sendRequest('initialize', helloOf(this.clientId, [ROOT]));
    for (const it of (hello as Result<'initialize'>).snapshots) this.#reset(it);
  }
  #comeBack(result: Result<'reconnect'>, channels: readonly string[]): void {
    if (result.type === 'replay') {
      for (const it of result.missing) this.#mirrors.delete(it);
      for (const it of result.actions) this.#receive(it as ActionEnvelope);
      return;
    }
    for (const it of channels) this.#mirrors.delete(it);
    for (const it of result.snapshots) this.#reset(it);
  }

  #reset({ resource, state, fromSeq }: Snapshot): void {
    this.#mirrors.set(resource, { state, seq: fromSeq });
    this.#lastSeen = Math.max(this.#lastSeen, fromSeq);
  }
  #receive(envelope: ActionEnvelope): void {
    const { channel, origin, serverSeq } = envelope;
    if (origin?.clientId === this.clientId) this.#unanswered.delete(origin.clientSeq);
    this.#lastSeen = Math.max(this.#lastSeen, serverSeq);
    const early = this.#early.get(channel);
    if (early) early.push(envelope);
    else this.#apply(envelope);
  }
  #apply({ channel, action, serverSeq, rejectionReason, _meta }: ActionEnvelope): void {
    const definition = channelOf(channel);
    const mirror = this.#mirrors.get(channel);
    // A receipt that is sent again has the number of then: the mirror has it already.
    if (!definition || !mirror || serverSeq <= mirror.seq) return;
    if (rejectionReason !== undefined) return;
    const reduced: unknown = definition.reduce(mirror.state, action, { now: _meta!.at! });
    const state = definition.settle ? definition.settle(reduced) : reduced;
    this.#mirrors.set(channel, { state, seq: serverSeq });
  }
}
