import type { Kysely } from 'kysely';
import type { CallContentRow } from '../database/activityTables.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';

/** Rows in one statement: what calls write comes between two of them. */
export const FORGOTTEN_CONTENTS_AT_ONCE = 100;
/** Statements of one go: what is left is for the next one. */
const MAX_STATEMENTS = 1_000;
/** IDs in one statement. */
const READ_AT_ONCE = 100;

/** Requests and responses of calls, for as long as somebody wants them. They come without secrets. */
export class CallContents {
  readonly #db: Kysely<Tables>;
  readonly #reports: Kysely<Tables>;
  constructor(db: Kysely<Tables>, reports: Kysely<Tables>) {
    this.#db = db;
    this.#reports = reports;
  }

  /** What was written before is left as it is. */
  async write(rows: readonly CallContentRow[]): Promise<void> {
    await asking(() =>
      this.#db
        .insertInto('call_contents')
        .values([...rows])
        .onConflict((it) => it.column('request_id').doNothing())
        .execute(),
    );
  }

  /** By request ID; what is not stored is not in it. */
  async of(requestIds: readonly string[]): Promise<ReadonlyMap<string, CallContentRow>> {
    const found = new Map<string, CallContentRow>();
    for (let at = 0; at < requestIds.length; at += READ_AT_ONCE) {
      const ids = requestIds.slice(at, at + READ_AT_ONCE);
      const rows = await asking(() =>
        this.#reports.selectFrom('call_contents').selectAll().where('request_id', 'in', ids).execute(),
      );
      for (const it of rows) found.set(it.request_id, numbered(it));
    }
    return found;
  }

  /** Oldest first. @returns how many it deleted */
  async forget(beforeMs: number): Promise<number> {
    let forgotten = 0;
    for (let statement = 0; statement < MAX_STATEMENTS; statement += 1) {
      const count = await asking(() => this.#some(beforeMs));
      forgotten += count;
      if (count < FORGOTTEN_CONTENTS_AT_ONCE) break;
    }
    return forgotten;
  }

  async #some(beforeMs: number): Promise<number> {
    const oldest = this.#db
      .selectFrom('call_contents')
      .select('request_id')
      .where('at_ms', '<', beforeMs)
      .orderBy('at_ms')
      .limit(FORGOTTEN_CONTENTS_AT_ONCE);
    const { numDeletedRows } = await this.#db
      .deleteFrom('call_contents')
      .where('request_id', 'in', oldest)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}

/** PostgreSQL answers `bigint` as text. */
const numbered = (it: CallContentRow): CallContentRow => ({
  ...it,
  at_ms: Number(it.at_ms),
  request_bytes: Number(it.request_bytes),
  response_bytes: Number(it.response_bytes),
});
