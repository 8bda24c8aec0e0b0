import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { CHANNEL } from './database/follow.ts';
import type { Tables } from './database/tables.ts';
import { type KindName, kinds } from './kinds.ts';

/** Other replicas have read a change long before it is this old. */
const KEPT_MS = 24 * 60 * 60_000;
/** Any number; all replicas use the same. */
const WRITERS_LOCK = 815_2026;

/** Emits every written record: of this process at once, of other replicas when {@link Changes.poll} is called. */
export class Changes {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #isShared: boolean;
  readonly #listeners = new Set<(kind: KindName, id: string) => void>();
  readonly #endedListeners = new Set<(id: string) => void>();
  #seen = 0;
  #reading: Promise<void> | undefined;
  #isMore = false;

  constructor(db: Kysely<Tables>, clock: Clock, isShared: boolean) {
    this.#db = db;
    this.#clock = clock;
    this.#isShared = isShared;
  }

  /** Starts to count from the newest change: read the records after this. */
  async start(): Promise<void> {
    if (!this.#isShared) return;
    const row = await this.#db
      .selectFrom('changes')
      .select((it) => it.fn.max('seq').as('seq'))
      .executeTakeFirst();
    this.#seen = Number(row?.seq ?? 0);
  }

  /** Forgets what every replica has read long ago. */
  async tidy(): Promise<void> {
    await this.#db
      .deleteFrom('changes')
      .where('at_ms', '<', this.#clock.nowMs() - KEPT_MS)
      .execute();
  }

  /** @returns stops listening */
  listen(listener: (kind: KindName, id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For MCP sessions that somebody ended at a replica. */
  listenEnded(listener: (id: string) => void): void {
    this.#endedListeners.add(listener);
  }

  /** For a write of this process that is on disk. */
  readonly emit = (kind: KindName, id: string): void => {
    for (const it of this.#listeners) it(kind, id);
  };

  /** Inside the transaction of a write. Writers of all replicas come one after another, so `seq` is the order of commits. */
  readonly mark = async (transaction: Transaction<Tables>, kind: ChangeKind, id: string): Promise<void> => {
    if (!this.#isShared) return;
    await sql`select pg_advisory_xact_lock(${WRITERS_LOCK})`.execute(transaction);
    await transaction.insertInto('changes').values({ kind, id, at_ms: this.#clock.nowMs() }).execute();
    await sql`select pg_notify(${CHANNEL}, '')`.execute(transaction);
  };

  /**
   * Reads what replicas wrote since the last time, and emits it. What this process wrote is emitted twice. Asked while it
   * reads, it reads once more.
   */
  async poll(): Promise<void> {
    if (!this.#isShared) return;
    this.#isMore = true;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readAll(): Promise<void> {
    while (this.#isMore) {
      this.#isMore = false;
      const rows = await this.#db
        .selectFrom('changes')
        .select(['seq', 'kind', 'id'])
        .where('seq', '>', this.#seen)
        .orderBy('seq')
        .execute();
      for (const { seq, kind, id } of rows) {
        this.#seen = seq;
        // A kind that only a later version knows concerns nobody here.
        if (isKind(kind)) this.emit(kind, id);
        else if (kind === 'ended_session') for (const it of this.#endedListeners) it(id);
      }
    }
  }
}

/** What replicas notify each other of. */
type ChangeKind = KindName | 'ended_session';
const isKind = (name: string): name is KindName => Object.hasOwn(kinds, name);
