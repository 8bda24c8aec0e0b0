import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatState } from '../../../sidecar/protocol/channels/chat/schema.ts';
import { channelOf } from '../../../sidecar/protocol/channels/index.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { ActionEnvelope, AnyAction, Snapshot } from '../../../sidecar/protocol/envelope.ts';
import type { MethodName, RequestParams, Result } from '../../../sidecar/protocol/methods.ts';
import { ROOT, sessionUri } from '../../../sidecar/protocol/uris.ts';
import type { WindowInfo } from '../../../sidecar/protocol/window.ts';
import { PeerConnection } from '../../../sidecar/transport/peer.ts';
import { ResponseError } from '../../../sidecar/transport/responseError.ts';
import { Waits } from '../waits.ts';

/** For an answer, on a machine that does much else: less than a test may take. */
const PATIENCE_MS = 100_000;

/** A client of the host's protocol that hides nothing: every envelope in order, and states reduced from them. */
export class HostPeer {
  readonly peer: PeerConnection;
  readonly envelopes: ActionEnvelope[] = [];
  readonly notified: { method: string; params: Record<string, unknown> }[] = [];
  readonly states = new Map<string, unknown>();
  clientId = '';
  #fromSeq = new Map<string, number>();
  /** What came since the last snapshot. */
  readonly #kept = new Map<string, ActionEnvelope[]>();
  #clientSeq = 0;
  readonly #waits = new Waits(() => [
    ...this.envelopes.slice(-6).map(({ channel, action }) => ({ channel, action })),
    ...this.notified.slice(-3),
  ]);

  /** @param stream a connection of its own, or one that is made and does not listen yet */
  constructor(stream: Duplex | PeerConnection) {
    this.peer =
      stream instanceof PeerConnection ? stream : PeerConnection.overStream(stream, { timers: systemTimers, toError });
    this.peer.onNotification({
      action: (params) => this.#receive(params as ActionEnvelope),
      ...Object.fromEntries(
        [
          'root/sessionAdded',
          'root/sessionRemoved',
          'root/sessionSummaryChanged',
          'root/progress',
          'x-switchboard/noticesChanged',
          'x-switchboard/accessQuestions',
          'auth/required',
          'otlp/exportLogs',
        ].map((method) => [method, (params: unknown) => this.#note(method, params as Record<string, unknown>)]),
      ),
    });
    this.peer.onClose((reason) => this.#waits.end(reason));
    if (!(stream instanceof PeerConnection)) this.peer.listen();
  }

  async initialize(
    clientId: string,
    window: WindowInfo,
    channels: readonly string[] = [ROOT],
  ): Promise<Result<'initialize'>> {
    this.clientId = clientId;
    const result = await this.request('initialize', {
      protocolVersions: ['0.7.0'],
      clientId,
      initialSubscriptions: [...channels],
      initializationOptions: { build: { version: '0.1.0', builtAtMs: 1 }, window },
    });
    for (const it of result.snapshots) this.reset(it);
    return result;
  }

  request<M extends MethodName>(method: M, params: RequestParams<M>): Promise<Result<M>> {
    return this.peer.sendRequest(method, params as object, { timeoutMs: PATIENCE_MS }) as Promise<Result<M>>;
  }

  /** A session with the given agent, subscribed with its default chat, and ready. */
  async newSession(more: Partial<RequestParams<'createSession'>> = {}): Promise<{ session: string; chat: string }> {
    const session = sessionUri(randomUUID());
    await this.request('createSession', { channel: session, ...more });
    const state = await this.subscribe<SessionState>(session);
    const chat = state.defaultChat!;
    await this.subscribe(chat);
    await this.until(() => (this.states.get(session) as SessionState).lifecycle !== 'creating', 'the session is made');
    return { session, chat };
  }

  async subscribe<S>(channel: string, turns?: number): Promise<S> {
    const { snapshot } = await this.request('subscribe', { channel, ...(turns !== undefined && { view: { turns } }) });
    this.reset(snapshot!);
    return snapshot!.state as S;
  }
  reset(snapshot: Snapshot): void {
    this.states.set(snapshot.resource, snapshot.state);
    this.#fromSeq.set(snapshot.resource, snapshot.fromSeq);
    // An action may be read before the answer that it follows was taken in.
    for (const it of this.#kept.get(snapshot.resource) ?? []) this.#apply(it);
    this.#kept.delete(snapshot.resource);
  }

  chat(uri: string): ChatState {
    return this.states.get(uri) as ChatState;
  }
  session(uri: string): SessionState {
    return this.states.get(uri) as SessionState;
  }

  /** @returns its clientSeq */
  dispatch(channel: string, action: AnyAction, clientSeq: number = ++this.#clientSeq): number {
    this.peer.sendNotification('dispatchAction', { channel, clientSeq, action });
    return clientSeq;
  }

  /** Dispatches, and waits for the echo. */
  async act(channel: string, action: AnyAction): Promise<ActionEnvelope> {
    const clientSeq = this.dispatch(channel, action);
    const own = (it: ActionEnvelope) => it.origin?.clientId === this.clientId && it.origin.clientSeq === clientSeq;
    await this.until(() => this.envelopes.some(own), `${action.type} came back to who dispatched it`);
    return this.envelopes.find(own)!;
  }

  /** Starts a turn and answers its id once it was echoed. */
  async prompt(chat: string, text: string, turnId: string = randomUUID()): Promise<string> {
    const action: ChatAction = {
      type: 'chat/turnStarted',
      turnId,
      startedAt: new Date().toISOString(),
      message: { text, origin: { kind: 'user' } },
    };
    const { rejectionReason } = await this.act(chat, action);
    if (rejectionReason !== undefined) throw new Error(rejectionReason);
    return turnId;
  }
  async ended(chat: string, turnId: string): Promise<ChatState['turns'][number]> {
    await this.until(() => this.chat(chat).turns.some((it) => it.id === turnId), 'the turn has ended');
    return this.chat(chat).turns.find((it) => it.id === turnId)!;
  }

  /** Settles when `isTrue` after some message. @param what a sentence that is true then */
  until(isTrue: () => boolean, what?: string): Promise<void> {
    return this.#waits.until(isTrue, what);
  }

  close(): void {
    this.peer.close();
  }

  #receive(envelope: ActionEnvelope): void {
    this.envelopes.push(envelope);
    const known = this.#kept.get(envelope.channel) ?? [];
    this.#kept.set(envelope.channel, known);
    known.push(envelope);
    this.#apply(envelope);
    this.#waits.look();
  }
  #apply({ channel, action, serverSeq, rejectionReason, _meta }: ActionEnvelope): void {
    const definition = channelOf(channel);
    const state = this.states.get(channel);
    if (!definition || state === undefined || rejectionReason !== undefined) return;
    if (serverSeq <= (this.#fromSeq.get(channel) ?? 0)) return;
    const reduced: unknown = definition.reduce(state, action, { now: _meta!.at! });
    this.states.set(channel, definition.settle ? definition.settle(reduced) : reduced);
  }
  #note(method: string, params: Record<string, unknown>): void {
    this.notified.push({ method, params });
    this.#waits.look();
  }
}

/** What a test throws as an answer of a client goes out as it is. */
function toError(thrown: unknown): { code: number; message: string } {
  return thrown instanceof ResponseError
    ? { code: thrown.code, message: thrown.message }
    : { code: -32603, message: 'internal' };
}
