import { channelOf } from '../../sidecar/protocol/channels/index.ts';
import { SubscribeResult } from '../../sidecar/protocol/commands.ts';
import type { ActionEnvelope, AnyAction } from '../../sidecar/protocol/envelope.ts';
import { errorCodes } from '../../sidecar/protocol/errors.ts';
import { ConnectionLost, errorCodeOf } from './connection.ts';
import { Listeners } from './listeners.ts';
import { ChannelMirror } from './mirror.ts';
import type { ChannelView, Disposable } from './port.ts';
import type { Requests, Schedule } from './requests.ts';

export interface OpenOptions {
  /** About how many recent turns of a chat to start with; absent: all. */
  readonly turns?: number;
}
export interface SubscriptionDeps {
  readonly clientId: string;
  readonly now: () => string;
  readonly schedule: Schedule;
  readonly warn: (message: string) => void;
}

const RETRY_MS = 1_000;

/** One channel that somebody holds, over all connections of the client. */
export class Subscription {
  readonly uri: string;
  readonly #deps: SubscriptionDeps;
  readonly #options: OpenOptions;
  readonly #mirror: ChannelMirror<unknown>;
  readonly #changed = new Listeners<void>();
  #holders = 0;
  #isRefused = false;
  #requests: Requests | undefined;
  #retry: Disposable | undefined;

  constructor(uri: string, options: OpenOptions, deps: SubscriptionDeps) {
    this.uri = uri;
    this.#options = options;
    this.#deps = deps;
    this.#mirror = new ChannelMirror({ uri, clientId: deps.clientId, now: deps.now });
  }

  /** Another holder. `onUnused` is called when the last one left. */
  hold<S>(onUnused: () => void): ChannelView<S> {
    this.#holders += 1;
    const mirror = this.#mirror as ChannelMirror<S>;
    const changed = this.#changed;
    const isRefused = () => this.#isRefused;
    const own: Disposable[] = [];
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      for (const it of own) it.dispose();
      this.#holders -= 1;
      if (this.#holders > 0) return;
      this.#retry?.dispose();
      onUnused();
    };
    return {
      get shown() {
        return mirror.shown;
      },
      get isRefused() {
        return isRefused();
      },
      onDidChange(listener) {
        const added = changed.add(listener);
        own.push(added);
        return added;
      },
      dispose: release,
    };
  }

  /** Asks for a snapshot over `requests`; what arrives meanwhile is kept for it. */
  subscribe(requests: Requests): void {
    this.#requests = requests;
    this.#mirror.awaitSnapshot();
    void this.#subscribe(requests);
  }

  disconnect(): void {
    this.#requests = undefined;
    this.#retry?.dispose();
    this.#mirror.awaitSnapshot();
  }

  receive(envelope: ActionEnvelope): void {
    const received = this.#mirror.receive(envelope);
    if (received === 'changed') this.#changed.fire();
    if (received === 'needsSnapshot') this.refresh(`a malformed ${envelope.action.type}`);
  }

  /** Something broken came for this channel: starts from a fresh snapshot. */
  refresh(because: string): void {
    this.#deps.warn(`asking for ${this.uri} again: ${because}`);
    if (this.#requests) this.subscribe(this.#requests);
  }

  expect(clientSeq: number, action: AnyAction): void {
    this.#mirror.expect(clientSeq, action);
    this.#changed.fire();
  }
  forget(clientSeq: number): void {
    if (this.#mirror.forget(clientSeq)) this.#changed.fire();
  }
  /** The channel was disposed of. */
  clear(): void {
    this.#isRefused = true;
    this.#mirror.clear();
    this.#changed.fire();
  }
  get state(): unknown {
    return this.#mirror.confirmed;
  }

  async #subscribe(requests: Requests): Promise<void> {
    const { turns } = this.#options;
    this.#isRefused = false;
    try {
      const answer = await requests.send('subscribe', {
        channel: this.uri,
        ...(turns !== undefined && { view: { turns } }),
      });
      if (requests !== this.#requests || this.#holders === 0) return;
      const snapshot = readSnapshot(this.uri, answer);
      this.#isRefused = false;
      if (this.#mirror.reset(snapshot) === 'needsSnapshot') this.#later(requests);
      this.#changed.fire();
    } catch (error) {
      if (error instanceof ConnectionLost || requests !== this.#requests) return; // the next connection asks again
      this.#isRefused = true;
      if (errorCodeOf(error) === errorCodes.SessionNotFound) return this.clear();
      this.#deps.warn(`no snapshot of ${this.uri}: ${error instanceof Error ? error.message : 'unknown failure'}`);
      this.#later(requests);
    }
  }

  #later(requests: Requests): void {
    this.#mirror.awaitSnapshot();
    this.#retry?.dispose();
    this.#retry = this.#deps.schedule(() => {
      if (requests === this.#requests && this.#holders > 0) void this.#subscribe(requests);
    }, RETRY_MS);
  }
}

/** The judged value itself, not the parsed copy. @throws naming the field that is wrong */
function readSnapshot(uri: string, answer: unknown): { state: unknown; fromSeq: number } {
  const { snapshot } = SubscribeResult.parse(answer);
  if (!snapshot) throw new Error('the channel has no state');
  channelOf(uri)?.state.parse(snapshot.state);
  return { state: (answer as { snapshot: { state: unknown } }).snapshot.state, fromSeq: snapshot.fromSeq };
}
