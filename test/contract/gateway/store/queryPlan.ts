import { type RawBuilder, sql } from 'kysely';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';

/** How the database finds the rows of a query, as JSON. It names the indexes. */
export function planOf(store: GatewayStore, query: RawBuilder<unknown>): Promise<string> {
  const { db, kind } = store.database;
  return db.transaction().execute(async (transaction) => {
    // A few rows are read faster without an index.
    if (kind === 'postgres') await sql`set local enable_seqscan = off`.execute(transaction);
    const explain = sql.raw(kind === 'sqlite' ? 'explain query plan' : 'explain');
    return JSON.stringify((await sql`${explain} ${query}`.execute(transaction)).rows);
  });
}
