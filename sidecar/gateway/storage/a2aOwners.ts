import { type Kysely, sql } from 'kysely';
import { FORGOTTEN_AT_ONCE } from './activity/logRetention.ts';
import { SOON } from './database/sqliteThread.ts';
import type { Tables } from './database/tables.ts';
import { asking } from './storeFault.ts';

/** Ids in one statement: databases bound the values of one. */
const ASKED_AT_ONCE = 500;
/** How often a use is written down: forgetting goes by days. */
const USED_EVERY_MS = 24 * 60 * 60_000;
const MAX_STATEMENTS = 200;

/** Who the contexts and tasks of A2A agents belong to, at every replica and after a restart. Ids and owners are hashes. */
export class A2aOwners {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** @returns the owner of each id that has one @throws {Fault} `unavailable` */
  async of(ids: readonly string[], nowMs: number): Promise<ReadonlyMap<string, string>> {
    const owners = new Map<string, string>();
    for (let at = 0; at < ids.length; at += ASKED_AT_ONCE) {
      const some = ids.slice(at, at + ASKED_AT_ONCE);
      const rows = await asking(() => this.#db.selectFrom('a2a_owners').selectAll().where('id', 'in', some).execute());
      for (const { id, owner } of rows) owners.set(id, owner);
      const stale = rows.filter((it) => it.used_ms < nowMs - USED_EVERY_MS).map((it) => it.id);
      if (stale.length === 0) continue;
      await asking(() => this.#db.updateTable('a2a_owners').set({ used_ms: nowMs }).where('id', 'in', stale).execute());
    }
    return owners;
  }

  /** Gives those of the ids to `owner` that have none: the first who asks has it. @throws {Fault} `unavailable` */
  async claim(ids: readonly string[], owner: string, nowMs: number): Promise<ReadonlyMap<string, string>> {
    // In one order: two who claim the same ids at the same time would wait for each other.
    const sorted = [...ids].sort();
    for (let at = 0; at < sorted.length; at += ASKED_AT_ONCE) {
      const rows = sorted.slice(at, at + ASKED_AT_ONCE).map((id) => ({ id, owner, used_ms: nowMs }));
      await asking(() =>
        this.#db
          .insertInto('a2a_owners')
          .values(rows)
          .onConflict((it) => it.column('id').doNothing())
          .modifyEnd(sql.raw(SOON))
          .execute(),
      );
    }
    return this.of(ids, nowMs);
  }

  /** Lets go of ids that nobody named since then, in pieces. */
  async forget(beforeMs: number): Promise<void> {
    for (let statement = 0; statement < MAX_STATEMENTS; statement += 1) {
      const oldest = this.#db
        .selectFrom('a2a_owners')
        .select('id')
        .where('used_ms', '<', beforeMs)
        .orderBy('used_ms')
        .limit(FORGOTTEN_AT_ONCE);
      const { numDeletedRows } = await asking(() =>
        this.#db.deleteFrom('a2a_owners').where('id', 'in', oldest).executeTakeFirst(),
      );
      if (Number(numDeletedRows) < FORGOTTEN_AT_ONCE) return;
    }
  }
}
