import type { Kysely } from 'kysely';
import type { Tables } from './database/tables.ts';
import { asking } from './storeFault.ts';

/** How a server was when somebody last asked it. */
export interface KeptHealth {
  readonly server_id: string;
  readonly status: 'healthy' | 'unhealthy' | 'unknown';
  /** RFC 3339, UTC. */
  readonly last_health_check: string;
  /** In words, without address and without text of the server. */
  readonly health_check_error: string | null;
}

/** What servers answered when they were last asked, apart from their records: nobody wrote those. */
export class ServerHealth {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async put(all: readonly KeptHealth[]): Promise<void> {
    if (all.length === 0) return;
    await asking(() =>
      this.#db
        .insertInto('server_health')
        .values([...all])
        .onConflict((it) =>
          it.column('server_id').doUpdateSet((row) => ({
            status: row.ref('excluded.status'),
            last_health_check: row.ref('excluded.last_health_check'),
            health_check_error: row.ref('excluded.health_check_error'),
          })),
        )
        .execute(),
    );
  }

  /** Servers that nobody asked yet are missing. */
  async of(ids: readonly string[]): Promise<readonly KeptHealth[]> {
    if (ids.length === 0) return [];
    const rows = await asking(() =>
      this.#db.selectFrom('server_health').selectAll().where('server_id', 'in', ids).execute(),
    );
    return rows.map((it) => ({ ...it }));
  }

  /** Forgets servers that are not registered any more. */
  async tidy(): Promise<void> {
    await asking(() =>
      this.#db
        .deleteFrom('server_health')
        .where('server_id', 'not in', (it) => it.selectFrom('records').select('id').where('kind', '=', 'mcp_server'))
        .execute(),
    );
  }
}
