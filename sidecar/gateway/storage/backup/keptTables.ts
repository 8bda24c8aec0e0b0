import type { Tables } from '../database/tables.ts';

/**
 * What a backup holds, with the primary key of each table. The rest is of running processes only: how replicas learn of each other, what
 * they lease and reserve, which batches they have written, in which browsers people are signed in, and which alerts they deliver: a
 * restored gateway does not send them a second time. Requests and responses of calls are left out too: they are kept for some days, and
 * a backup would keep them longer.
 */
export const keptTables = {
  records: ['kind', 'id'],
  secrets: ['kind', 'id', 'name'],
  claims: ['id'],
  server_health: ['server_id'],
  a2a_owners: ['id'],
  audit: ['id'],
  spend_logs: ['request_id'],
  incoming_lines: ['seq'],
  log_days: ['day'],
  daily_activity: ['id'],
  daily_tag_activity: ['id'],
  daily_edge: ['date', 'endpoint'],
  budget_counters: ['counter'],
  alert_marks: ['name'],
} as const satisfies Partial<Record<keyof Tables, readonly string[]>>;
export type KeptTable = keyof typeof keptTables;
export const keptNames = Object.keys(keptTables) as KeptTable[];
export const isKept = (name: string): name is KeptTable => Object.hasOwn(keptTables, name);
