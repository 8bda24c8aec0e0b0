import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import type { SummaryChanges } from '../../sidecar/protocol/methods.ts';
import { Listeners } from './listeners.ts';
import type { Disposable, HostPort } from './port.ts';

/** Sessions of one page. The list is newest first, so more pages are older ones. */
const PAGE = 100;

export type CatalogueChange =
  /** Sessions came, went, or may be in another place now. */
  | { readonly kind: 'list' }
  /** One session, which may have changed its group. */
  | { readonly kind: 'session'; readonly before: SessionSummary; readonly after: SessionSummary };

/** What is known of sessions, of one host or of several. */
export type Sessions = Pick<SessionCatalogue, 'sessions' | 'get' | 'onDidChange'>;

/** All sessions of the host as far as they were fetched, kept right by the host's notifications. */
export class SessionCatalogue implements Disposable {
  readonly #port: HostPort;
  readonly #warn: (message: string) => void;
  readonly #sessions = new Map<string, SessionSummary>();
  readonly #changed = new Listeners<CatalogueChange>();
  readonly #subscriptions: readonly Disposable[];
  #nextCursor: string | undefined;
  #pages = 1;
  #isLoaded = false;
  /** What was notified while the list is fetched: pages that are there already do not have it. */
  #meanwhile: (() => void)[] | undefined;
  #isReplaying = false;
  #generation = 0;

  constructor(port: HostPort, warn: (message: string) => void) {
    this.#port = port;
    this.#warn = warn;
    this.#subscriptions = [
      port.onDidConnect(() => void this.#reload()),
      port.onNotification('root/sessionAdded', ({ summary }) =>
        this.#apply(() => {
          this.#sessions.set(summary.resource, summary);
          this.#changed.fire({ kind: 'list' });
        }),
      ),
      port.onNotification('root/sessionRemoved', ({ session }) =>
        this.#apply(() => {
          if (this.#sessions.delete(session)) this.#changed.fire({ kind: 'list' });
        }),
      ),
      port.onNotification('root/sessionSummaryChanged', ({ session, changes }) =>
        this.#apply(() => this.#merge(session, changes)),
      ),
    ];
  }

  readonly onDidChange = (listener: (change: CatalogueChange) => void): Disposable => this.#changed.add(listener);

  get sessions(): readonly SessionSummary[] {
    return [...this.#sessions.values()];
  }

  get(uri: string): SessionSummary | undefined {
    return this.#sessions.get(uri);
  }

  /** A session of a page that was not fetched yet, which somebody found in another way. */
  learn(summary: SessionSummary): void {
    if (this.#sessions.has(summary.resource)) return;
    this.#sessions.set(summary.resource, summary);
    this.#changed.fire({ kind: 'list' });
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  get hasMore(): boolean {
    return this.#nextCursor !== undefined;
  }

  async loadMore(): Promise<void> {
    if (this.#nextCursor === undefined) return;
    const generation = this.#generation;
    const { items, nextCursor } = await this.#port.request('root/listSessions', {
      limit: PAGE,
      cursor: this.#nextCursor,
    });
    if (generation !== this.#generation) return;
    for (const it of items) this.#sessions.set(it.resource, it);
    this.#nextCursor = nextCursor;
    this.#pages += 1;
    this.#changed.fire({ kind: 'list' });
  }

  dispose(): void {
    for (const it of this.#subscriptions) it.dispose();
  }

  /** Cursors do not outlive a connection: as many pages as were shown are fetched again. */
  async #reload(): Promise<void> {
    this.#generation += 1;
    const generation = this.#generation;
    const meanwhile: (() => void)[] = [];
    this.#meanwhile = meanwhile;
    const fetched: SessionSummary[] = [];
    let cursor: string | undefined;
    try {
      for (let page = 0; page < this.#pages; page += 1) {
        const answer = await this.#port.request('root/listSessions', {
          limit: PAGE,
          ...(cursor === undefined ? {} : { cursor }),
        });
        fetched.push(...answer.items);
        cursor = answer.nextCursor;
        if (cursor === undefined) break;
      }
    } catch (error) {
      // The connection broke again; the next handshake asks anew.
      if (generation === this.#generation) this.#meanwhile = undefined;
      this.#warn(`the list of sessions was not read: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    if (generation !== this.#generation) return;
    this.#meanwhile = undefined;
    this.#sessions.clear();
    for (const it of fetched) this.#sessions.set(it.resource, it);
    this.#nextCursor = cursor;
    this.#isLoaded = true;
    this.#changed.fire({ kind: 'list' });
    this.#isReplaying = true;
    for (const change of meanwhile) change();
    this.#isReplaying = false;
  }

  #apply(change: () => void): void {
    this.#meanwhile?.push(change);
    change();
  }

  /**
   * Of a session that is in no page that was fetched: what happens in it makes it one of the first page. While the list was
   * fetched it may have moved past the pages, so it may be missing although they were all.
   */
  #bring({ modifiedAt }: SummaryChanges): void {
    const isMissing = this.#nextCursor !== undefined || this.#isReplaying;
    if (modifiedAt !== undefined && isMissing && !this.#meanwhile) void this.#reload();
  }

  #merge(uri: string, changes: SummaryChanges): void {
    const before = this.#sessions.get(uri);
    if (!before) {
      this.#bring(changes);
      return;
    }
    const after = mergeSummary(before, changes);
    this.#sessions.set(uri, after);
    this.#changed.fire({ kind: 'session', before, after });
  }
}

/** `null` clears an optional member. */
export function mergeSummary(summary: SessionSummary, changes: SummaryChanges): SessionSummary {
  const entries = Object.entries({ ...summary, ...changes }).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as SessionSummary;
}
