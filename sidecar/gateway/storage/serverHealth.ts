import type { Kysely, Transaction } from 'kysely';
import { McpServerRecord } from '../../protocol/gateway/mcpServer.ts';
import type { AlertOutbox, NewAlert } from './alerts/alertOutbox.ts';
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
  readonly #alerts: AlertOutbox;

  constructor(db: Kysely<Tables>, alerts: AlertOutbox) {
    this.#db = db;
    this.#alerts = alerts;
  }

  async put(all: readonly KeptHealth[]): Promise<void> {
    if (all.length === 0) return;
    await asking(() =>
      this.#db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('server_health')
          .values([...all])
          .onConflict((it) =>
            it.column('server_id').doUpdateSet((row) => ({
              status: row.ref('excluded.status'),
              last_health_check: row.ref('excluded.last_health_check'),
              health_check_error: row.ref('excluded.health_check_error'),
            })),
          )
          .execute();
        if (await this.#alerts.hasRules(transaction)) await this.#noteChanges(transaction, all);
      }),
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

  /** A server that stopped answering, or answers again: what was noted last says which of the two is news. */
  async #noteChanges(transaction: Transaction<Tables>, all: readonly KeptHealth[]): Promise<void> {
    for (const { server_id, status, last_health_check, health_check_error } of all) {
      if (status === 'unknown') continue;
      const last = await this.#alerts.last(['server_down', 'server_up'], server_id, transaction);
      const wasDown = last?.type === 'server_down';
      if ((status === 'unhealthy') === wasDown) continue;
      const type = wasDown ? 'server_up' : 'server_down';
      const name = await nameOf(transaction, server_id);
      if (name === undefined) continue;
      const alert: NewAlert = {
        type,
        occasion: `${type} ${server_id} ${last_health_check}`,
        atMs: Date.parse(last_health_check),
        subject: { type: 'mcp_server', id: server_id, name },
        message: wasDown
          ? `The MCP server '${name}' is available again.`
          : `The MCP server '${name}' is not available. ${health_check_error ?? ''}`.trimEnd(),
        facts: { error: health_check_error },
      };
      await this.#alerts.note(transaction, alert);
    }
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

/** `undefined` for a server that was removed while it was asked. */
async function nameOf(transaction: Transaction<Tables>, id: string): Promise<string | undefined> {
  const row = await transaction
    .selectFrom('records')
    .select('body')
    .where('kind', '=', 'mcp_server')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { alias, server_name, server_id } = McpServerRecord.parse(JSON.parse(row.body));
  return alias || server_name || server_id;
}
