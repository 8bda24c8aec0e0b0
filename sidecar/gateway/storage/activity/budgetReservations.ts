import { type Kysely, sql, type Transaction } from 'kysely';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';
import { lockFlushes } from './flushLock.ts';
import type { LogLines } from './logLines.ts';

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

/** Who waits for what was spent. */
interface Asked {
  readonly counter: BudgetCounter;
  resolve(spent: number): void;
  reject(thrown: unknown): void;
}
/** Of counters in one statement. */
const COUNTERS = 500;

/** Sums of many prices are never exact: a billionth of a dollar, request or token is nothing. */
const NOTHING = 1e-9;

/** What budgets have spent, and what replicas have set aside of any limit. */
export class BudgetReservations {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;
  readonly #lines: Pick<LogLines, 'enterAllWithin'>;
  #asked: Asked[] = [];
  constructor(db: Kysely<Tables>, isShared: boolean, lines: Pick<LogLines, 'enterAllWithin'>) {
    this.#db = db;
    this.#isShared = isShared;
    this.#lines = lines;
  }

  /**
   * What was spent in a window, as far as it is written; one that nobody asked for before is counted from the records. A list asks
   * for a thousand of them at once, which is one question to the database.
   */
  spent(counter: BudgetCounter): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ counter, resolve, reject });
      if (this.#asked.length === 1) queueMicrotask(() => this.#answer());
    });
  }

  #answer(): void {
    const asked = this.#asked.splice(0);
    for (let at = 0; at < asked.length; at += COUNTERS) {
      const some = asked.slice(at, at + COUNTERS);
      this.#spent(new Map(some.map(({ counter }) => [counter.counter, counter]))).then(
        (spent) => {
          for (const { counter, resolve } of some) resolve(spent.get(counter.counter) ?? 0);
        },
        (thrown: unknown) => {
          for (const { reject } of some) reject(thrown);
        },
      );
    }
  }

  async #spent(counters: ReadonlyMap<string, BudgetCounter>): Promise<ReadonlyMap<string, number>> {
    return asking(async () => {
      const known = await written(this.#db, [...counters.keys()]);
      const missing = [...counters.values()].filter((it) => !known.has(it.counter));
      if (missing.length === 0) return known;
      const counted = await this.#db.transaction().execute(async (transaction) => {
        // Between the batches of all replicas: each is in the records and not yet in the window, or in both.
        if (this.#isShared) await lockFlushes(transaction);
        await this.#lines.enterAllWithin(transaction);
        const spent = await recount(transaction, missing);
        const rows = missing.map(({ counter, scope, startMs, endMs }) => ({
          ...{ counter, scope, start_ms: startMs, end_ms: endMs },
          spent: spent.get(counter) ?? 0,
        }));
        const insert = transaction.insertInto('budget_counters').values(rows);
        await insert.onConflict((it) => it.column('counter').doNothing()).execute();
        return written(
          transaction,
          missing.map((it) => it.counter),
        );
      });
      return new Map([...known, ...counted]);
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
}

async function written(db: Kysely<Tables>, counters: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = db.selectFrom('budget_counters').select(['counter', 'spent']).where('counter', 'in', counters);
  return new Map((await rows.execute()).map((it) => [it.counter, it.spent]));
}

/** What names an owner's calls, in the lines and, but for sessions, in the sums of days. */
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
      return [
        ['agent_id', one],
        ['session_id', other],
      ];
    case 'organization':
      return [['organization_id', id]];
    case 'global':
      return [];
  }
}
type Column = 'api_key' | 'team_id' | 'user_id' | 'end_user' | 'agent_id' | 'organization_id' | 'session_id';

/** Owners of one type whose windows begin together are counted together. */
async function recount(
  db: Transaction<Tables>,
  counters: readonly BudgetCounter[],
): Promise<ReadonlyMap<string, number>> {
  const spent = new Map<string, number>();
  const groups = new Map<string, BudgetCounter[]>();
  for (const it of counters) {
    const name = callsOf(it.owner).length === 1 ? `${it.owner.type} ${it.startMs}` : it.counter;
    const group = groups.get(name) ?? [];
    group.push(it);
    groups.set(name, group);
  }
  for (const group of groups.values()) {
    const { owner, startMs } = group[0]!;
    const [of, ...more] = callsOf(owner);
    const byOwner = of && more.length === 0 ? sql.ref(of[0]) : undefined;
    const mine = byOwner
      ? [sql`${byOwner} in (${sql.join([...new Set(group.map((it) => it.owner.id))])})`]
      : callsOf(owner).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
    for (const { table, where } of sourcesOf(owner.type, startMs)) {
      const conditions = sql.join([sql`1 = 1`, ...where, ...mine], sql` and `);
      const { rows } = await sql<{ owner: string; spent: number | string | null }>`
        select ${byOwner ?? sql.lit('')} as owner, sum(spend) as spent from ${sql.table(table)} where ${conditions}
        ${byOwner ? sql`group by ${byOwner}` : sql``}`.execute(db);
      const found = new Map(rows.map((it) => [it.owner, Number(it.spent ?? 0)]));
      for (const it of group) {
        const amount = found.get(byOwner ? it.owner.id : '') ?? 0;
        spent.set(it.counter, (spent.get(it.counter) ?? 0) + amount);
      }
    }
  }
  return spent;
}

/** Whole days from their sums; the day that a window begins within, and sessions, from the lines that are kept. */
function sourcesOf(type: OwnerType, startMs: number) {
  const midnightMs = Math.ceil(startMs / DAY_MS) * DAY_MS;
  // A team's key does not count against its user.
  const isOfUser = type === 'user';
  const lines = (untilMs?: number) => ({
    table: 'spend_logs',
    where: [
      sql`started_ms >= ${startMs}`,
      ...(untilMs === undefined ? [] : [sql`started_ms < ${untilMs}`]),
      ...(isOfUser ? [sql`team_id is null`] : []),
    ],
  });
  if (type === 'session') return [lines()];
  const days = {
    table: 'daily_activity',
    where: [
      ...(startMs > 0 ? [sql`date >= ${new Date(midnightMs).toISOString().slice(0, 10)}`] : []),
      ...(isOfUser ? [sql`team_id = ''`] : []),
    ],
  };
  return midnightMs === startMs ? [days] : [lines(midnightMs), days];
}
