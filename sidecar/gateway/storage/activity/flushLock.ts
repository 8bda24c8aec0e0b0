import { sql, type Transaction } from 'kysely';
import type { Tables } from '../database/tables.ts';

/** Any number; all replicas use the same. */
const FLUSH_LOCK = 816_2026;

/** PostgreSQL only. Waits until no other replica writes records of calls, and keeps them from it until the transaction ends. */
export async function lockFlushes(transaction: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${FLUSH_LOCK})`.execute(transaction);
}
