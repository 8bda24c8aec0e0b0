import type {
  SessionInputRequest,
  SessionState,
  SessionSummary,
} from '../../sidecar/protocol/channels/session/schema.ts';
import { activityOf, status } from '../../sidecar/protocol/status.ts';
import type { SessionCatalogue } from './catalogue.ts';
import { Listeners } from './listeners.ts';
import type { ChannelView, Disposable, HostPort } from './port.ts';

/** One thing that waits for a person, in any session. */
export interface PendingRequest {
  /** Unique over all sessions: request ids are unique in their session only. */
  readonly key: string;
  readonly session: SessionSummary;
  readonly request: SessionInputRequest;
}

/** What waits for a person, on one host or on several. */
export type Waiting = Pick<Attention, 'pending' | 'find' | 'onDidChange'>;

/** What a client program answers by itself is not for people. */
const forPeople: ReadonlySet<string> = new Set(['chatInput', 'toolConfirmation', 'toolAuthentication']);

/** Subscribes to the sessions that need input, and to no other, and says what they wait for. */
export class Attention implements Disposable {
  readonly #port: HostPort;
  readonly #catalogue: SessionCatalogue;
  readonly #open = new Map<string, { readonly view: ChannelView<SessionState>; readonly stop: Disposable }>();
  readonly #changed = new Listeners<void>();
  readonly #stop: Disposable;

  constructor(port: HostPort, catalogue: SessionCatalogue) {
    this.#port = port;
    this.#catalogue = catalogue;
    this.#stop = catalogue.onDidChange(() => this.#follow());
    this.#follow();
  }

  readonly onDidChange = (listener: () => void): Disposable => this.#changed.add(listener);

  /** Oldest session first, in each session as the host lists them. */
  get pending(): readonly PendingRequest[] {
    return [...this.#open.entries()]
      .flatMap(([uri, { view }]) => {
        const session = this.#catalogue.get(uri);
        return session ? pendingOf(session, view.shown) : [];
      })
      .toSorted((a, b) => a.session.createdAt.localeCompare(b.session.createdAt));
  }

  find(key: string): PendingRequest | undefined {
    return this.pending.find((it) => it.key === key);
  }

  dispose(): void {
    this.#stop.dispose();
    for (const it of this.#open.values()) {
      it.stop.dispose();
      it.view.dispose();
    }
    this.#open.clear();
  }

  #follow(): void {
    const wanted = new Set(
      this.#catalogue.sessions.filter((it) => activityOf(it.status) === status.InputNeeded).map((it) => it.resource),
    );
    for (const [uri, { view, stop }] of this.#open) {
      if (wanted.has(uri)) continue;
      stop.dispose();
      view.dispose();
      this.#open.delete(uri);
    }
    for (const uri of wanted) {
      if (this.#open.has(uri)) continue;
      const view = this.#port.open<SessionState>(uri);
      this.#open.set(uri, { view, stop: view.onDidChange(() => this.#changed.fire()) });
    }
    this.#changed.fire();
  }
}

export function pendingOf(session: SessionSummary, state: SessionState | undefined): PendingRequest[] {
  return (state?.inputNeeded ?? [])
    .filter((it) => forPeople.has(it.kind))
    .map((request) => ({ key: `${session.resource}#${request.id}`, session, request }));
}
