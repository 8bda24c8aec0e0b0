import type { Kysely } from 'kysely';
import type { Tables } from './database/tables.ts';
import type { Beside } from './records.ts';
import { asking } from './storeFault.ts';

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  /** Who did it: a user, else a key's hash, else `config`. */
  readonly actor: string;
  /** Whom the actor named as the one who wanted it; nobody checked that. */
  readonly changed_by?: string | null;
  /** The email address of the actor at that time, if the actor is a user who has one. */
  readonly actor_email?: string | null;
  /**
   * `key`; `sign_in` for a person who signed in with the identity provider; `invitation` for one who accepted an invitation;
   * `jwt`, the issuer, and the subject for a signed token; `scim` for an identity provider. Absent if the gateway itself did it.
   */
  readonly signed_in_by?: string | null;
  readonly action:
    | 'created'
    | 'updated'
    | 'deleted'
    | 'blocked'
    | 'unblocked'
    | 'rotated'
    | 'drift'
    | 'soft_budget_crossed'
    | 'approved'
    | 'rejected'
    /** A request and its response, by somebody else than the caller. */
    | 'read';
  readonly kind: string;
  readonly object_id: string;
  /** JSON, without secrets. */
  readonly before?: string | null;
  readonly after?: string | null;
}

export interface AuditQuery {
  readonly kind?: string | undefined;
  readonly object_id?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The first day, and the first that no longer counts: YYYY-MM-DD, UTC. */
  readonly from?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
}

/** Entries in one statement: changes come between two of them. */
export const FORGOTTEN_ENTRIES_AT_ONCE = 500;

/** Who changed what, and when. Only ever added to, until entries are as old as somebody wants. */
export class Audit {
  readonly #db: Kysely<Tables>;
  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** @param beside written in the same transaction */
  async add(entry: AuditEntry, beside?: Beside): Promise<void> {
    const row = {
      ...entry,
      changed_by: entry.changed_by ?? null,
      actor_email: entry.actor_email ?? null,
      signed_in_by: entry.signed_in_by ?? null,
      before: entry.before ?? null,
      after: entry.after ?? null,
    };
    const insert = (into: Kysely<Tables>) => into.insertInto('audit').values(row).execute();
    await asking(async () => {
      if (!beside) return void (await insert(this.#db));
      await this.#db.transaction().execute(async (transaction) => {
        await insert(transaction);
        await beside(transaction);
      });
    });
  }

  /** Newest first. */
  async list(query: AuditQuery) {
    const rows = this.#matching(query).selectAll().orderBy('at', 'desc').orderBy('id', 'desc');
    return asking(() =>
      rows
        .limit(query.limit)
        .offset(query.offset ?? 0)
        .execute(),
    );
  }

  /** All that match, newest first, in pieces that fit into memory. */
  async *all(query: Omit<AuditQuery, 'limit' | 'offset'>, pieceSize: number) {
    let after: { readonly at: string; readonly id: string } | undefined;
    for (;;) {
      const matching = this.#matching(query).selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(pieceSize);
      const last = after;
      const rest = last
        ? matching.where((it) =>
            it.or([it('at', '<', last.at), it.and([it('at', '=', last.at), it('id', '<', last.id)])]),
          )
        : matching;
      const rows = await asking(() => rest.execute());
      if (rows.length > 0) yield rows;
      after = rows.at(-1);
      if (rows.length < pieceSize) return;
    }
  }

  async count(query: Omit<AuditQuery, 'limit'>): Promise<number> {
    const counted = this.#matching(query).select((it) => it.fn.countAll<number>().as('count'));
    return Number((await asking(() => counted.executeTakeFirstOrThrow())).count);
  }

  /** Deletes entries from before a time, oldest first. @param before RFC 3339 @returns how many */
  async forget(before: string): Promise<number> {
    const oldest = this.#db
      .selectFrom('audit')
      .select('id')
      .where('at', '<', before)
      .orderBy('at')
      .limit(FORGOTTEN_ENTRIES_AT_ONCE);
    for (let forgotten = 0; ; ) {
      const { numDeletedRows } = await asking(() =>
        this.#db.deleteFrom('audit').where('id', 'in', oldest).executeTakeFirst(),
      );
      forgotten += Number(numDeletedRows);
      if (numDeletedRows < FORGOTTEN_ENTRIES_AT_ONCE) return forgotten;
    }
  }

  #matching(query: Omit<AuditQuery, 'limit'>) {
    let rows = this.#db.selectFrom('audit');
    for (const column of ['kind', 'object_id', 'actor', 'action'] as const) {
      const value = query[column];
      if (value !== undefined) rows = rows.where(column, '=', value);
    }
    if (query.from !== undefined) rows = rows.where('at', '>=', query.from);
    if (query.before !== undefined) rows = rows.where('at', '<', query.before);
    return rows;
  }
}
