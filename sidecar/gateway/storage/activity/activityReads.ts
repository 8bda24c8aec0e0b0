import { type Kysely, sql } from 'kysely';
import type { KeyFacts } from '../../../protocol/gateway/activity.ts';
import type { EntityKind } from '../../../protocol/gateway/activityQueries.ts';
import type { SumColumns } from '../database/activityTables.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';

export interface DaysQuery {
  readonly entity: EntityKind;
  /** YYYY-MM-DD, both included. */
  readonly start: string;
  readonly end: string;
  readonly entityIds?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly apiKeys?: readonly string[] | undefined;
}

/** Sums of one day by everything that `GET /{entity}/daily/activity` breaks down. */
export interface DaySum extends SumColumns {
  readonly date: string;
  readonly entity: string;
  readonly endpoint: string;
  readonly api_key: string;
  readonly model: string;
  readonly model_group: string;
  readonly provider: string;
  readonly mcp_namespaced_tool_name: string;
}
/** Sums of one day by one name, '' for calls without one. */
export interface NamedDaySum extends SumColumns {
  readonly date: string;
  readonly name: string;
}
export interface EndpointSum extends SumColumns {
  readonly date: string;
  readonly endpoint: string;
}

const entityColumns = {
  user: 'user_id',
  team: 'team_id',
  agent: 'agent_id',
  customer: 'end_user',
  organization: 'organization_id',
} as const;
const sumNames = [
  'spend',
  'prompt_tokens',
  'completion_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'successful_requests',
  'failed_requests',
] as const satisfies readonly (keyof SumColumns)[];
const sums = () => sql.join(sumNames.map((it) => sql`sum(${sql.ref(it)}) as ${sql.ref(it)}`));
const named = ['endpoint', 'api_key', 'model', 'model_group', 'provider', 'mcp_namespaced_tool_name'] as const;
/** Of keys looked up in one statement. */
const KEYS = 500;

/** Reads the sums of days; never the log. */
export class ActivityReads {
  readonly #db: Kysely<Tables>;
  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Which days have a call, newest first. */
  async dates(query: DaysQuery): Promise<readonly string[]> {
    const { table, where } = this.#days(query);
    const days = sql.table(table);
    // From one day that there is to the next: a day has many sums.
    const found = sql<{ date: string }>`with recursive dates(date) as (
        select max(date) from ${days} where date between ${query.start} and ${query.end}
        union all
        select (select max(date) from ${days} where date >= ${query.start} and date < dates.date)
        from dates where date is not null)
      select date from dates where date is not null
        and exists (select 1 from ${days} where ${days}.date = dates.date and ${where}) order by date desc`;
    return (await asking(() => found.execute(this.#db))).rows.map((it) => it.date);
  }

  /** The sums of each day by one column alone; far fewer than {@link days}. */
  async daysBy(by: (typeof named)[number] | 'entity', query: DaysQuery): Promise<readonly NamedDaySum[]> {
    const { table, column, where } = this.#days(query);
    const name = sql.ref(by === 'entity' ? column : by);
    const found = sql<NamedDaySum>`select date, ${name} as name, ${sums()} from ${sql.table(table)}
      where ${where} group by date, ${name}`;
    return (await asking(() => found.execute(this.#db))).rows.map(numbers);
  }

  async days(query: DaysQuery): Promise<readonly DaySum[]> {
    const { table, column, where } = this.#days(query);
    const columns = sql.join(['date', ...named].map((it) => sql.ref(it)));
    const found = sql<DaySum>`select ${columns}, ${sql.ref(column)} as entity, ${sums()} from ${sql.table(table)}
      where ${where} group by ${columns}, ${sql.ref(column)}`;
    return (await asking(() => found.execute(this.#db))).rows.map(numbers);
  }

  /** @param query `tags`: calls that have any of them, each counted once for each */
  async endpoints(query: {
    readonly start: string;
    readonly end: string;
    readonly apiKeys?: readonly string[] | undefined;
    readonly teamIds?: readonly string[] | undefined;
    readonly tags?: readonly string[] | undefined;
  }): Promise<readonly EndpointSum[]> {
    const table = query.tags ? 'daily_tag_activity' : 'daily_activity';
    const where = sql.join(
      [
        sql`date between ${query.start} and ${query.end}`,
        ...among('api_key', query.apiKeys),
        ...among('team_id', query.teamIds),
        ...among('tag', query.tags),
      ],
      sql` and `,
    );
    const found = sql<EndpointSum>`select date, endpoint, ${sums()} from ${sql.table(table)} where ${where}
      group by date, endpoint`;
    return (await asking(() => found.execute(this.#db))).rows.map(numbers);
  }

  async edge(start: string, end: string): Promise<readonly Tables['daily_edge'][]> {
    return asking(() =>
      this.#db.selectFrom('daily_edge').selectAll().where('date', '>=', start).where('date', '<=', end).execute(),
    );
  }

  /** Of keys that are there or were deleted, by hash. */
  async keyFacts(hashes: readonly string[]): Promise<ReadonlyMap<string, KeyFacts>> {
    const keys = await this.#bodies(['deleted_key', 'key'], hashes);
    const owners = [...new Set([...keys.values()].flatMap((it) => textOf(it['user_id']) ?? []))];
    const users = await this.#bodies(['user'], owners);
    return new Map(
      [...keys].map(([hash, body]) => {
        const user_id = textOf(body['user_id']);
        const user_email = user_id === null ? null : textOf(users.get(user_id)?.['user_email']);
        return [hash, { key_alias: textOf(body['key_alias']), team_id: textOf(body['team_id']), user_id, user_email }];
      }),
    );
  }

  async #bodies(kinds: readonly string[], ids: readonly string[]) {
    const found = new Map<string, Readonly<Record<string, unknown>>>();
    for (let at = 0; at < ids.length; at += KEYS) {
      const rows = await asking(() =>
        this.#db
          .selectFrom('records')
          .select(['id', 'body'])
          .where('kind', 'in', kinds)
          .where('id', 'in', ids.slice(at, at + KEYS))
          .orderBy('kind')
          .execute(),
      );
      for (const it of rows) found.set(it.id, JSON.parse(it.body));
    }
    return found;
  }

  #days({ entity, start, end, entityIds, model, apiKeys }: DaysQuery) {
    const table = entity === 'tag' ? 'daily_tag_activity' : 'daily_activity';
    const column = entity === 'tag' ? 'tag' : entityColumns[entity];
    const conditions = [
      sql`date between ${start} and ${end}`,
      ...among(column, entityIds),
      ...among('api_key', apiKeys),
      ...among('model', model === undefined ? undefined : [model]),
      // Calls of no team are not of teams; those of no user are still of the gateway's users as a whole.
      ...(entity === 'user' ? [] : [sql`${sql.ref(column)} <> ''`]),
    ];
    return { table, column, where: sql.join(conditions, sql` and `) };
  }
}

/** PostgreSQL sums whole numbers to its longest kind, which comes as text. */
function numbers<T extends SumColumns>(row: T): T {
  const counts = Object.fromEntries(sumNames.map((it) => [it, Number(row[it])]));
  return { ...row, ...counts };
}

const among = (column: string, values: readonly string[] | undefined) => {
  if (values === undefined) return [];
  return values.length === 0 ? [sql`1 = 0`] : [sql`${sql.ref(column)} in (${sql.join(values)})`];
};
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
