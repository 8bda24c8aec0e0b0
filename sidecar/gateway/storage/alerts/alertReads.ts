import { type Kysely, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';

/** A call that was refused, as its record says. */
export interface RefusedCall {
  readonly request_id: string;
  readonly startedMs: number;
  /** Hash of the key. */
  readonly api_key: string;
  readonly error: string;
  readonly tool: string | null;
}

/** A key that expires soon. */
export interface ExpiringKey {
  readonly token_id: string;
  readonly name: string;
  readonly expiresMs: number;
}

/** Queries for what alerts report, on the connection for reports: no call waits for them. */
export class AlertReads {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;

  constructor(reports: Kysely<Tables>, isShared: boolean) {
    this.#db = reports;
    this.#isShared = isShared;
  }

  /** Oldest first; those with an event of the occasion `refused <request ID>` are left out. */
  async refused(codes: readonly string[], fromMs: number, limit: number): Promise<readonly RefusedCall[]> {
    const occasion = sql<string>`'refused ' || spend_logs.request_id`;
    const rows = await asking(() =>
      this.#db
        .selectFrom('spend_logs')
        .select(['request_id', 'started_ms', 'api_key', 'error', 'body'])
        .where('error', 'is not', null)
        .where('started_ms', '>=', fromMs)
        .where('error_code', 'in', codes)
        .where((it) =>
          it.not(it.exists(it.selectFrom('alert_events').select('seq').where('alert_events.occasion', '=', occasion))),
        )
        .orderBy('started_ms')
        .limit(limit)
        .execute(),
    );
    return rows.map(({ request_id, started_ms, api_key, error, body }) => ({
      request_id,
      startedMs: Number(started_ms),
      api_key,
      error: error ?? '',
      tool: toolIn(body),
    }));
  }

  /** What calls were refused with because of a budget: each text once, with the first call that it refused. */
  async exceededBudgets(
    fromMs: number,
    limit: number,
  ): Promise<readonly { readonly error: string; readonly startedMs: number }[]> {
    const rows = await asking(() =>
      this.#db
        .selectFrom('spend_logs')
        .select((it) => ['error', it.fn.min<number>('started_ms').as('first_ms')])
        .where('error', 'is not', null)
        .where('started_ms', '>=', fromMs)
        .where('error_code', '=', 'budget_exceeded')
        .groupBy('error')
        .orderBy('first_ms')
        .limit(limit)
        .execute(),
    );
    return rows.map(({ error, first_ms }) => ({ error: error ?? '', startedMs: Number(first_ms) }));
  }

  /** How many calls began since then, and how many of them failed. */
  async counts(sinceMs: number): Promise<{ readonly calls: number; readonly failed: number }> {
    const row = await asking(() =>
      this.#db
        .selectFrom('spend_logs')
        .select((it) => [
          it.fn.countAll<number>().as('calls'),
          it.fn.countAll<number>().filterWhere('status', '=', 'failure').as('failed'),
        ])
        .where('started_ms', '>=', sinceMs)
        .executeTakeFirstOrThrow(),
    );
    return { calls: Number(row.calls), failed: Number(row.failed) };
  }

  /** Keys that expire in this time and are not blocked. @param limit of them, the first to expire first */
  async expiringKeys(from: string, until: string, limit: number): Promise<readonly ExpiringKey[]> {
    const member = (name: string) =>
      this.#isShared
        ? sql<string | null>`body::jsonb ->> ${sql.lit(name)}`
        : sql<string | null>`body ->> ${sql.lit(name)}`;
    const rows = await asking(() =>
      this.#db
        .selectFrom('records')
        .select([
          member('expires').as('expires'),
          member('token_id').as('token_id'),
          member('key_alias').as('alias'),
          member('key_name').as('key_name'),
        ])
        .where('kind', '=', 'key')
        .where(member('expires'), '>', from)
        .where(member('expires'), '<=', until)
        .where(sql<boolean>`coalesce(cast(${member('blocked')} as text), 'false') not in ('true', '1')`)
        .orderBy(member('expires'))
        .limit(limit)
        .execute(),
    );
    return rows.map(({ expires, token_id, alias, key_name }) => ({
      token_id: token_id ?? '',
      name: alias ?? key_name ?? '',
      expiresMs: Date.parse(expires ?? ''),
    }));
  }
}

function toolIn(body: string): string | null {
  const { mcp_namespaced_tool_name: tool } = JSON.parse(body) as { readonly mcp_namespaced_tool_name?: unknown };
  return typeof tool === 'string' ? tool : null;
}
