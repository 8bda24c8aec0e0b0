import { CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { RefusedCalls } from '../alerts/refusedCalls.ts';
import type { SumColumns } from '../database/activityTables.ts';
import { EachList } from '../database/sqliteThread.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';
import { DailySums } from './dailySums.ts';
import { endedCall } from './endedCall.ts';
import { type CallLines, columns, names } from './spendLogRow.ts';

/** Money spent by somebody at some time: it counts in every window of theirs that this time is in. */
export interface Spending {
  readonly scope: string;
  readonly atMs: number;
  readonly amount: number;
}
/** Part of an allowance that was spent, and is therefore no longer set aside. */
export interface UsedAllowance {
  readonly counter: string;
  readonly amount: number;
}

/** What one process has to write; never changed once it was made, so that it can be sent again as it is. */
export interface ActivityBatch {
  /** Names the process; `seq` counts its batches from 1. */
  readonly writer: string;
  readonly seq: number;
  readonly atMs: number;
  readonly lines: CallLines;
  /** Of the lines, and of calls without one: refused at the edge, or let go while the store was down. */
  readonly sums: DailySums;
  readonly spendings: readonly Spending[];
  readonly used: readonly UsedAllowance[];
}

/** Any number; all replicas use the same. */
export const FLUSH_LOCK = 816_2026;
/** Of the sums' rows in one statement: databases limit how many values it may have. */
const ROWS = 500;
/** No batch is sent again, and no call settles, after so long. */
const KEPT_MS = 2 * 24 * 60 * 60_000;

/** Writes batches of calls: lines, sums and spendings in one transaction, and each batch and line once. */
export class ActivityWrites {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;
  readonly #insert: Insert;
  readonly #refused: Pick<RefusedCalls, 'note'>;

  constructor(db: Kysely<Tables>, isShared: boolean, refused: Pick<RefusedCalls, 'note'>) {
    this.#db = db;
    this.#refused = refused;
    this.#isShared = isShared;
    this.#insert = isShared ? insertPostgres() : insertSqlite(db);
  }

  /** A batch or line that was written before is not written again, and adds nothing to the sums. */
  async write(batch: ActivityBatch): Promise<void> {
    await asking(() =>
      this.#db.transaction().execute(async (transaction) => {
        // Replicas write one after another, else two that update the same sums in different order stop each other.
        if (this.#isShared) await sql`select pg_advisory_xact_lock(${FLUSH_LOCK})`.execute(transaction);
        if (!(await isNew(transaction, batch))) return;
        const known = batch.lines.length > 0 ? await this.#insert(transaction, batch.lines) : [];
        await addLines(transaction, batch.lines, known);
        await this.#refused.note(transaction, batch.lines);
        await addSums(transaction, without(batch, known));
        await addSpendings(transaction, batch);
      }),
    );
  }

  /** Forgets marks, windows and allowances that nobody can ask for any more. */
  async tidy(nowMs: number): Promise<void> {
    await asking(async () => {
      await this.#db
        .deleteFrom('flush_marks')
        .where('at_ms', '<', nowMs - KEPT_MS)
        .execute();
      await this.#db
        .deleteFrom('budget_counters')
        .where('end_ms', '<', nowMs - KEPT_MS)
        .execute();
      await this.#db
        .deleteFrom('allowances')
        .where('expires_at_ms', '<', nowMs - KEPT_MS)
        .execute();
    });
  }
}

/** Sums of a batch without those of its lines that were there before. */
function without({ sums, lines }: ActivityBatch, known: readonly number[]): DailySums {
  if (known.length === 0) return sums;
  const left = new DailySums(sums);
  for (const at of known) left.remove(endedCall(lines.read(at)));
  return left;
}

async function isNew(transaction: Transaction<Tables>, { writer, seq, atMs }: ActivityBatch): Promise<boolean> {
  const row = await transaction
    .insertInto('flush_marks')
    .values({ writer, seq, at_ms: atMs })
    .onConflict((it) => it.column('writer').doUpdateSet({ seq, at_ms: atMs }).where('flush_marks.seq', '<', seq))
    .returning('seq')
    .executeTakeFirst();
  return row !== undefined;
}

/** @param known positions of lines that were there before */
async function addLines(transaction: Transaction<Tables>, lines: CallLines, known: readonly number[]): Promise<void> {
  const days = new Map(lines.days);
  for (const at of known) {
    const day = Math.floor(Date.parse(lines.read(at).startTime) / DAY_MS);
    days.set(day, (days.get(day) ?? 0) - 1);
  }
  const changed = [...days].filter(([, it]) => it !== 0).toSorted(([a], [b]) => a - b);
  const rows = changed.map(([day, it]) => ({ day, lines: it }));
  if (rows.length === 0) return;
  await transaction
    .insertInto('log_days')
    .values(rows)
    .onConflict((it) =>
      it.column('day').doUpdateSet((row) => ({ lines: row('log_days.lines', '+', row.ref('excluded.lines')) })),
    )
    .execute();
}

async function addSums(transaction: Transaction<Tables>, sums: DailySums): Promise<void> {
  for (const [table, rows] of [
    ['daily_activity', sums.calls],
    ['daily_tag_activity', sums.tags],
  ] as const) {
    for (let at = 0; at < rows.length; at += ROWS)
      await transaction
        .insertInto(table)
        .values(rows.slice(at, at + ROWS))
        .onConflict((it) =>
          it.column('id').doUpdateSet((row) => {
            const more = (name: keyof SumColumns) => row(`${table}.${name}`, '+', row.ref(`excluded.${name}`));
            return {
              spend: more('spend'),
              prompt_tokens: more('prompt_tokens'),
              completion_tokens: more('completion_tokens'),
              cache_read_input_tokens: more('cache_read_input_tokens'),
              cache_creation_input_tokens: more('cache_creation_input_tokens'),
              successful_requests: more('successful_requests'),
              failed_requests: more('failed_requests'),
            };
          }),
        )
        .execute();
  }
  if (sums.edge.length > 0)
    await transaction
      .insertInto('daily_edge')
      .values([...sums.edge])
      .onConflict((it) =>
        it.columns(['date', 'endpoint']).doUpdateSet((row) => ({
          successful_requests: row('daily_edge.successful_requests', '+', row.ref('excluded.successful_requests')),
          failed_requests: row('daily_edge.failed_requests', '+', row.ref('excluded.failed_requests')),
        })),
      )
      .execute();
}

async function addSpendings(
  transaction: Transaction<Tables>,
  { writer, spendings, used }: ActivityBatch,
): Promise<void> {
  const scopes = [...new Set(spendings.map((it) => it.scope))];
  for (let at = 0; at < scopes.length; at += ROWS) {
    const windows = await transaction
      .selectFrom('budget_counters')
      .select(['counter', 'scope', 'start_ms', 'end_ms'])
      .where('scope', 'in', scopes.slice(at, at + ROWS))
      .orderBy('counter')
      .execute();
    for (const { counter, scope, start_ms, end_ms } of windows) {
      const within = spendings.filter((it) => it.scope === scope && it.atMs >= start_ms && it.atMs < end_ms);
      const amount = within.reduce((sum, it) => sum + it.amount, 0);
      if (amount === 0) continue;
      await transaction
        .updateTable('budget_counters')
        .set((it) => ({ spent: it('spent', '+', amount) }))
        .where('counter', '=', counter)
        .execute();
    }
  }
  for (const { counter, amount } of used)
    await transaction
      .updateTable('allowances')
      .set((it) => ({ amount: it('amount', '-', amount) }))
      .where('counter', '=', counter)
      .where('holder', '=', writer)
      .execute();
}

/** Writes lines. @returns the positions of those whose id was there before: of two with one id, the second */
type Insert = (transaction: Transaction<Tables>, lines: CallLines) => Promise<readonly number[]>;

/** One statement that the database's thread runs for each row. */
function insertSqlite(db: Kysely<Tables>): Insert {
  const marks = sql.join(names.map(() => sql.raw('?')));
  const { sql: text } = sql`insert into spend_logs (${columnList()}) values (${marks})
    on conflict (request_id) do nothing`.compile(db);
  return async (transaction, lines) => {
    const { rows: known } = await transaction.executeQuery<{ at: number }>(
      CompiledQuery.raw(text, [new EachList(lines.own, lines.shared)]),
    );
    return known.map(({ at }) => at);
  };
}

/** One value for all lines: the statement stays the same, however many there are. */
function insertPostgres(): Insert {
  const picks = sql.join(names.map((name, at) => sql`(v ->> ${sql.lit(at)})::${sql.raw(columns[name])}`));
  return async (transaction, lines) => {
    const whole = lines.own.map((_, at) => lines.whole(at));
    const { rows: inserted } = await sql<{ request_id: string }>`insert into spend_logs (${columnList()})
      select ${picks} from json_array_elements(${`[${whole.join(',')}]`}::json) as v
      on conflict (request_id) do nothing returning request_id`.execute(transaction);
    if (inserted.length === lines.length) return [];
    const ids = new Set(inserted.map((it) => it.request_id));
    return [...lines.own.keys()].filter((at) => !ids.delete(lines.read(at).request_id));
  };
}

const columnList = () => sql.join(names.map((it) => sql.ref(it)));
