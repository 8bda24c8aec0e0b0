import type { Statement } from '../../../sidecar/gateway/storage/database/sqliteThread.ts';

interface Translated {
  readonly statements: readonly Statement[];
  /** The notification that all listeners get when it is committed. */
  readonly notice?: string;
}

/** Translates statements that only PostgreSQL understands. */
export function asSqlite({ sql, parameters }: Statement): Translated {
  // Only one transaction writes at a time, so every lock is free.
  if (sql.includes('pg_advisory_xact_lock')) return { statements: [] };
  if (sql.startsWith('select pg_notify(')) return { statements: [], notice: '' };
  if (sql.includes('pg_notify(')) return { statements: [sending(sql, parameters)] };
  if (sql.includes('json_array_elements(')) return { statements: [{ sql: lines(sql), parameters }] };
  return { statements: [{ sql, parameters }] };
}

/** The insert of a message between replicas, without the notification around it. */
function sending(sql: string, parameters: readonly unknown[]): Statement {
  const [, insert] = /with sent as \(([\s\S]*?)returning replica\s*\)/.exec(sql) ?? [];
  if (insert === undefined) throw new Error(`the simulation does not know this statement: ${sql}`);
  return { sql: `${insert} returning replica as notified`, parameters: parameters.slice(0, -1) };
}

const lines = (sql: string) =>
  sql
    .replaceAll(/\(v ->> (\d+)\)::(?:double precision|\w+)/g, "json_extract(v.value, '$[$1]')")
    .replace(/json_array_elements\(\?::json\) as v/, 'json_each(?) as v where true');
