import { type Kysely, sql, type Transaction } from 'kysely';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';
import { FLUSH_LOCK } from './activityWrites.ts';

/** Whose spending a counter counts. */
export type OwnerType =
  | 'key'
  | 'team'
  | 'team_member'
  | 'user'
  | 'end_user'
  | 'agent'
  | 'session'
  | 'organization'
  | 'global';

/** The id of an owner that is named by two: a person in a team, a session with an agent. */
export const pairId = (one: string, other: string): string => `${encodeURIComponent(one)}/${encodeURIComponent(other)}`;
const readPair = (id: string): readonly string[] => id.split('/').map(decodeURIComponent);

/** One window of one budget. */
export interface BudgetCounter {
  readonly counter: string;
  readonly scope: string;
  readonly owner: { readonly type: OwnerType; readonly id: string };
  readonly startMs: number;
  readonly endMs: number;
}
export interface LeaseAsk {
  readonly counter: string;
  readonly holder: string;
  readonly max: number;
  /** Less than this is no use. */
  readonly atLeast: number;
  /** Part of what is left that is given at once, 0 to 1. */
  readonly share: number;
  /** Only whole ones. */
  readonly isCount: boolean;
  readonly nowMs: number;
  readonly expiresAtMs: number;
}

/** Sums of many prices are never exact: a billionth of a dollar, request or token is nothing. */
const NOTHING = 1e-9;

/** What budgets have spent, and what replicas have set aside of any limit. */
export class BudgetReservations {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;
  constructor(db: Kysely<Tables>, isShared: boolean) {
    this.#db = db;
    this.#isShared = isShared;
  }

  /** What was spent in a window, as far as it is written; one that nobody asked for before is counted from the records. */
  async spent(counter: BudgetCounter): Promise<number> {
    return asking(async () => {
      const known = await this.#counter(counter.counter);
      if (known !== undefined) return known;
      return this.#db.transaction().execute(async (transaction) => {
        // Between the batches of all replicas: each is in the records and not yet in the window, or in both.
        if (this.#isShared) await sql`select pg_advisory_xact_lock(${FLUSH_LOCK})`.execute(transaction);
        const { counter: name, scope, startMs, endMs } = counter;
        const spent = await recount(transaction, counter);
        await transaction
          .insertInto('budget_counters')
          .values({ counter: name, scope, start_ms: startMs, end_ms: endMs, spent })
          .onConflict((it) => it.column('counter').doNothing())
          .execute();
        const row = transaction.selectFrom('budget_counters').select('spent').where('counter', '=', name);
        return (await row.executeTakeFirstOrThrow()).spent;
      });
    });
  }

  /** PostgreSQL only. Sets aside a part of what is left. @returns what was given, 0 for nothing, and what was left before */
  async lease(ask: LeaseAsk): Promise<{ readonly granted: number; readonly remaining: number }> {
    const { counter, holder, max, atLeast, share, isCount, nowMs, expiresAtMs } = ask;
    return asking(() =>
      this.#db.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${counter}, 0))`.execute(transaction);
        // One statement sees one moment: what is spent stops being set aside in the same transaction.
        const { rows } = await sql<{ used: number }>`select
          coalesce((select spent from budget_counters where counter = ${counter}), 0) + coalesce((select sum(amount)
          from allowances where counter = ${counter} and expires_at_ms > ${nowMs}), 0) as used`.execute(transaction);
        const remaining = max - Number(rows[0]?.used ?? 0);
        if (remaining + NOTHING < atLeast) return { granted: 0, remaining };
        const part = isCount ? Math.ceil(remaining * share) : remaining * share;
        const granted = Math.min(Math.max(remaining, atLeast), Math.max(atLeast, part));
        await sql`insert into allowances (counter, holder, amount, expires_at_ms)
          values (${counter}, ${holder}, ${granted}, ${expiresAtMs})
          on conflict (counter, holder) do update set expires_at_ms = excluded.expires_at_ms, amount = excluded.amount
          + case when allowances.expires_at_ms > ${nowMs} then allowances.amount else 0 end`.execute(transaction);
        return { granted, remaining };
      }),
    );
  }

  /** @returns those that are still there; of the others everything may have been given to somebody else */
  async renew(holder: string, counters: readonly string[], nowMs: number, expiresAtMs: number): Promise<Set<string>> {
    if (counters.length === 0) return new Set();
    const rows = await asking(() =>
      this.#db
        .updateTable('allowances')
        .set({ expires_at_ms: expiresAtMs })
        .where('holder', '=', holder)
        .where('counter', 'in', counters)
        .where('expires_at_ms', '>', nowMs)
        .returning('counter')
        .execute(),
    );
    return new Set(rows.map((it) => it.counter));
  }

  /** @param counters absent: all of this holder */
  async giveBack(holder: string, counters?: readonly string[]): Promise<void> {
    let query = this.#db.deleteFrom('allowances').where('holder', '=', holder);
    if (counters) query = query.where('counter', 'in', counters);
    if (counters?.length !== 0) await asking(() => query.execute());
  }

  /** Spending of this owner returns to 0 in all windows. The sums of days and the log keep it. */
  async reset(scope: string): Promise<void> {
    await asking(() => this.#db.updateTable('budget_counters').set({ spent: 0 }).where('scope', '=', scope).execute());
  }

  async #counter(name: string): Promise<number | undefined> {
    const row = this.#db.selectFrom('budget_counters').select('spent').where('counter', '=', name);
    return (await row.executeTakeFirst())?.spent;
  }
}

/** What names an owner's calls, in the lines and in the sums of days. */
function callsOf({ type, id }: BudgetCounter['owner']): readonly (readonly [Column, string])[] {
  const [one = '', other = ''] = type === 'session' || type === 'team_member' ? readPair(id) : [];
  switch (type) {
    case 'key':
      return [['api_key', id]];
    case 'team':
      return [['team_id', id]];
    case 'team_member':
      return [
        ['team_id', one],
        ['user_id', other],
      ];
    case 'user':
      return [['user_id', id]];
    case 'end_user':
      return [['end_user', id]];
    case 'agent':
      return [['agent_id', id]];
    case 'session':
      return [['agent_id', one]];
    case 'organization':
      return [['organization_id', id]];
    case 'global':
      return [];
  }
}
type Column = 'api_key' | 'team_id' | 'user_id' | 'end_user' | 'agent_id' | 'organization_id';

/** Whole days from their sums; the day that a window begins within, and sessions, from the lines that are kept. */
async function recount(db: Transaction<Tables>, { owner, startMs }: BudgetCounter): Promise<number> {
  const { type, id } = owner;
  let lines = db
    .selectFrom('spend_logs')
    .select((it) => it.fn.sum<number | null>('spend').as('spent'))
    .where('started_ms', '>=', startMs);
  for (const [column, value] of callsOf(owner)) lines = lines.where(column, '=', value);
  if (type === 'session') {
    const own = lines.where('session_id', '=', readPair(id)[1] ?? '');
    return Number((await own.executeTakeFirst())?.spent ?? 0);
  }
  const midnightMs = Math.ceil(startMs / DAY_MS) * DAY_MS;
  let first = lines.where('started_ms', '<', midnightMs);
  let days = db.selectFrom('daily_activity').select((it) => it.fn.sum<number | null>('spend').as('spent'));
  for (const [column, value] of callsOf(owner)) days = days.where(column, '=', value);
  if (startMs > 0) days = days.where('date', '>=', new Date(midnightMs).toISOString().slice(0, 10));
  // A team's key does not count against its user.
  if (type === 'user') {
    first = first.where('team_id', 'is', null);
    days = days.where('team_id', '=', '');
  }
  const ofFirst = midnightMs === startMs ? undefined : await first.executeTakeFirst();
  return Number(ofFirst?.spent ?? 0) + Number((await days.executeTakeFirst())?.spent ?? 0);
}
