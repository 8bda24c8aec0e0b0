import { sql, type Transaction } from 'kysely';
import type { Tables } from '../database/tables.ts';

/** An arbitrary number that all replicas share. */
const FLUSH_LOCK = 816_2026;

/** PostgreSQL only. Until the transaction ends, no other replica writes records of calls. */
export async function lockFlushes(transaction: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${FLUSH_LOCK})`.execute(transaction);
}
