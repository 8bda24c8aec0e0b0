import type { Kysely, Transaction } from 'kysely';
import type { SpendLog } from '../../../protocol/gateway/activity.ts';
import type { CallLines } from '../activity/spendLogRow.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';
import type { AlertOutbox } from './alertOutbox.ts';

/** A call that a guardrail or a budget refused. */
export type RefusedCall = Pick<
  SpendLog,
  'request_id' | 'startTime' | 'endTime' | 'api_key' | 'error' | 'error_code' | 'mcp_namespaced_tool_name'
>;

const BUDGET = 'budget_exceeded';
const codes: readonly string[] = [BUDGET, 'guardrail_violation', 'blocked_pii_entity'];
/** Most calls that fail have none of these words, so their lines need not be read. */
const MAYBE = new RegExp(codes.map((it) => `"${it}"`).join('|'));
/** Rows in one statement: databases limit how many values it may have. */
const ROWS = 100;

/**
 * Refused calls that alerts have not looked at. A row is written together with the record of its call, however long the call took
 * and however late its record is written, and stays until it was looked at.
 */
export class RefusedCalls {
  readonly #db: Kysely<Tables>;
  readonly #outbox: Pick<AlertOutbox, 'hasRules'>;

  constructor(db: Kysely<Tables>, outbox: Pick<AlertOutbox, 'hasRules'>) {
    this.#db = db;
    this.#outbox = outbox;
  }

  /** Keeps those among these records, if there is a rule. @param within the transaction that writes the records */
  async note(within: Transaction<Tables>, lines: CallLines): Promise<void> {
    const refused = lines.failed.filter((at) => MAYBE.test(lines.own[at] ?? '')).map((at) => lines.read(at));
    const wanted = refused.filter((it) => it.error_code !== null && codes.includes(it.error_code));
    if (wanted.length === 0 || !(await this.#outbox.hasRules(within))) return;
    // A budget that is exhausted refuses many calls in the same words: the first one is enough.
    const byWords = new Map<string, SpendLog>();
    for (const it of wanted) {
      const words = it.error_code === BUDGET ? `${it.error}` : it.request_id;
      if (!byWords.has(words)) byWords.set(words, it);
    }
    const rows = [...byWords.values()].map((it) => {
      const { request_id, startTime, endTime, api_key, error, error_code, mcp_namespaced_tool_name } = it;
      const call: RefusedCall = {
        request_id,
        startTime,
        endTime,
        api_key,
        error,
        error_code,
        mcp_namespaced_tool_name,
      };
      return { request_id, started_ms: Date.parse(startTime), body: JSON.stringify(call) };
    });
    for (let at = 0; at < rows.length; at += ROWS)
      await within
        .insertInto('refused_calls')
        .values(rows.slice(at, at + ROWS))
        .onConflict((it) => it.column('request_id').doNothing())
        .execute();
  }

  /** Oldest first. */
  async first(limit: number): Promise<readonly RefusedCall[]> {
    const rows = await asking(() =>
      this.#db.selectFrom('refused_calls').select('body').orderBy('started_ms').limit(limit).execute(),
    );
    return rows.map((it) => JSON.parse(it.body) as RefusedCall);
  }

  /** These were looked at. */
  async remove(calls: readonly RefusedCall[]): Promise<void> {
    const ids = calls.map((it) => it.request_id);
    await asking(() => this.#db.deleteFrom('refused_calls').where('request_id', 'in', ids).execute());
  }
}
