import { type Kysely, sql } from 'kysely';
import type { LogLines } from '../activity/logLines.ts';
import type { Tables } from '../database/tables.ts';
import { member } from '../recordList.ts';
import { asking } from '../storeFault.ts';

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
  readonly #lines: Pick<LogLines, 'enterAll'>;

  constructor(reports: Kysely<Tables>, isShared: boolean, lines: Pick<LogLines, 'enterAll'>) {
    this.#db = reports;
    this.#isShared = isShared;
    this.#lines = lines;
  }

  /** How many calls began since then, and how many of them failed. */
  async counts(sinceMs: number): Promise<{ readonly calls: number; readonly failed: number }> {
    await this.#lines.enterAll();
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
    const of = (name: string) => member<string | null>(name, this.#isShared);
    const rows = await asking(() =>
      this.#db
        .selectFrom('records')
        .select([
          of('expires').as('expires'),
          of('token_id').as('token_id'),
          of('key_alias').as('alias'),
          of('key_name').as('key_name'),
        ])
        .where('kind', '=', 'key')
        .where(of('expires'), '>', from)
        .where(of('expires'), '<=', until)
        .where(sql<boolean>`coalesce(cast(${of('blocked')} as text), 'false') not in ('true', '1')`)
        .orderBy(of('expires'))
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
