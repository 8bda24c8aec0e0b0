import type { Kysely } from 'kysely';
import { asking } from './storeFault.ts';
import type { Tables } from './tables.ts';

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  /** Who did it: a key's hash, a user, `config`. */
  readonly actor: string;
  readonly action: 'created' | 'updated' | 'deleted' | 'blocked' | 'unblocked' | 'rotated' | 'drift' | 'approved';
  readonly kind: string;
  readonly object_id: string;
  /** JSON, without secrets. */
  readonly before?: string | null;
  readonly after?: string | null;
}

/** Who changed what, and when. Only ever added to. */
export class Audit {
  readonly #db: Kysely<Tables>;
  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(entry: AuditEntry): Promise<void> {
    const row = { ...entry, before: entry.before ?? null, after: entry.after ?? null };
    await asking(() => this.#db.insertInto('audit').values(row).execute());
  }

  /** Newest first. */
  async list(query: { readonly kind?: string; readonly object_id?: string; readonly limit: number }) {
    let rows = this.#db.selectFrom('audit').selectAll().orderBy('at', 'desc').limit(query.limit);
    if (query.kind !== undefined) rows = rows.where('kind', '=', query.kind);
    if (query.object_id !== undefined) rows = rows.where('object_id', '=', query.object_id);
    return asking(() => rows.execute());
  }
}
