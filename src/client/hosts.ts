import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import type {
  HostNotificationName,
  HostNotificationParams,
  MethodName,
  RequestParams,
} from '../../sidecar/protocol/methods.ts';
import { sessionUri } from '../../sidecar/protocol/uris.ts';
import type { Attention, PendingRequest, Waiting } from './attention.ts';
import type { CatalogueChange, SessionCatalogue } from './catalogue.ts';
import type { HostClient } from './hostClient.ts';
import { Listeners } from './listeners.ts';
import type { Answer, ChannelAction, ChannelView, Disposable, HostPort } from './port.ts';

/** One host as a window knows it. */
export interface Host {
  /** Empty for the host of this machine, otherwise its address. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly client: HostClient;
  readonly catalogue: SessionCatalogue;
  readonly attention: Attention;
}

/** Where a new session is made; empty: on this machine. */
export interface NewPlace {
  /** The address of a host elsewhere. */
  readonly host?: string;
  /** A folder there, as a URI. */
  readonly folder?: string;
}

/**
 * All hosts of a window. As a port it is the host of this machine, except for what belongs to a session of another one:
 * that goes there.
 */
export class Hosts implements HostPort, Disposable {
  readonly local: Host;
  #others: readonly Host[] = [];
  readonly #sessions = new Listeners<CatalogueChange>();
  readonly #pending = new Listeners<void>();
  readonly #stops = new Map<Host, readonly Disposable[]>();
  readonly attention: Waiting;

  constructor(local: Host) {
    this.local = local;
    const pending = () => this.#waiting;
    this.attention = {
      get pending() {
        return pending();
      },
      find: (key) => pending().find((it) => it.key === key),
      onDidChange: (listener) => this.#pending.add(listener),
    };
    this.#follow(local);
  }

  /** The one of this machine first. */
  get all(): readonly Host[] {
    return [this.local, ...this.#others];
  }

  /** Hosts elsewhere, as the person listed them. */
  setOthers(others: readonly Host[]): void {
    for (const it of this.#others) if (!others.includes(it)) this.#leave(it);
    for (const it of others) if (!this.#stops.has(it)) this.#follow(it);
    this.#others = others;
    this.#sessions.fire({ kind: 'list' });
    this.#pending.fire();
  }

  at(id: string): Host | undefined {
    return this.all.find((it) => it.id === id);
  }

  /** Whose session, chat or changeset this is; what nobody knows belongs to this machine. */
  of(uri: string): Host {
    const uuid = /^[^:]+:\/([^/]+)/.exec(uri)?.[1] ?? '';
    const session = sessionUri(uuid);
    const knows = (it: Host) =>
      it.catalogue.get(session) !== undefined || it.client.holds(session) || it.client.holds(uri);
    return this.#others.find(knows) ?? this.local;
  }

  readonly onDidChange = (listener: (change: CatalogueChange) => void): Disposable => this.#sessions.add(listener);
  /** Those of all hosts; where there are several, each title says whose it is. */
  get sessions(): readonly SessionSummary[] {
    return this.all.flatMap((it) => it.catalogue.sessions.map((session) => this.#named(session, it)));
  }

  /** As its host says it. */
  get(uri: string): SessionSummary | undefined {
    return this.of(uri).catalogue.get(uri);
  }

  /** What waits for a person on any host; where there are several, each title says on which. */
  get #waiting(): readonly PendingRequest[] {
    return this.all.flatMap((host) =>
      host.attention.pending.map((it) => ({ ...it, session: this.#named(it.session, host) })),
    );
  }

  /** What names no channel is asked of the host of this machine alone: of a list of sessions, the others have theirs. */
  request<M extends MethodName>(method: M, params: RequestParams<M>): Promise<Answer<M>> {
    const { channel } = params as { readonly channel?: string };
    return this.of(channel ?? '').client.request(method, params);
  }

  dispatch(channel: string, action: ChannelAction): void {
    this.of(channel).client.dispatch(channel, action);
  }

  open<S>(uri: string, options?: { readonly turns?: number }): ChannelView<S> {
    return this.of(uri).client.open<S>(uri, options);
  }

  onNotification<N extends HostNotificationName>(name: N, listener: (params: HostNotificationParams<N>) => void) {
    return this.local.client.onNotification(name, listener);
  }
  get onDidConnect(): HostPort['onDidConnect'] {
    return this.local.client.onDidConnect;
  }
  get onDidDisconnect(): HostPort['onDidDisconnect'] {
    return this.local.client.onDidDisconnect;
  }
  get onDidReject(): HostPort['onDidReject'] {
    return this.local.client.onDidReject;
  }

  dispose(): void {
    for (const it of [...this.#stops.keys()]) this.#leave(it);
  }

  #named(session: SessionSummary, { name }: Host): SessionSummary {
    return this.#others.length === 0 ? session : { ...session, title: `${session.title} · ${name}` };
  }

  #follow(host: Host): void {
    this.#stops.set(host, [
      host.catalogue.onDidChange((change) => this.#sessions.fire(change)),
      host.attention.onDidChange(() => this.#pending.fire()),
    ]);
  }

  #leave(host: Host): void {
    for (const it of this.#stops.get(host) ?? []) it.dispose();
    this.#stops.delete(host);
  }
}
