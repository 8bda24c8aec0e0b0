import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './database/tables.ts';
import { begins, contains } from './matching.ts';

export interface ListQuery {
  readonly id?: string | undefined;
  readonly alias?: string | undefined;
  readonly team_id?: string | undefined;
  readonly organization_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  /** Begins the id or is part of the alias, in whatever case. */
  readonly search?: string | undefined;
  /** Only records of a team that belong to no user and no agent, or none of them. */
  readonly isOfTeamAlone?: boolean | undefined;
  /** Only records of which at least one of these is true. */
  readonly among?: Among | undefined;
  /** Default: when they were created. Records without the value come before all others, and after them if descending. */
  readonly sort_by?: SortColumn | undefined;
  readonly descending?: boolean | undefined;
  readonly offset?: number | undefined;
  /** Default: all of them. */
  readonly limit?: number | undefined;
}

export interface Among {
  readonly id?: string | undefined;
  readonly user_ids?: readonly string[] | undefined;
  readonly team_ids?: readonly string[] | undefined;
  readonly created_by?: string | undefined;
}

type SortColumn = 'created_at' | 'updated_at' | 'alias' | 'max_budget' | 'expires';

/**
 * The pieces of a statement that finds records. The ids are found in `records_listed` or another index, without the bodies:
 * most of a table of many records is bodies.
 *
 * @param isShared PostgreSQL
 */
export function listOf(db: Kysely<Tables>, kind: string, isShared: boolean, query: ListQuery) {
  // Written out: a database uses an index on one kind only for a statement that says which kind.
  let matching = db.selectFrom('records').where('kind', '=', sql.lit(kind));
  for (const column of ['id', 'alias', 'team_id', 'organization_id', 'user_id', 'agent_id'] as const) {
    const value = query[column];
    if (value !== undefined) matching = matching.where(column, '=', value);
  }
  const words = query.search;
  if (words !== undefined && words !== '') {
    matching = matching.where((it) => it.or([contains('alias', words), begins('id', words)]));
  }
  if (query.isOfTeamAlone !== undefined) {
    const isOfTeamAlone = sql<boolean>`(team_id is not null and user_id is null and agent_id is null)`;
    matching = matching.where(query.isOfTeamAlone ? isOfTeamAlone : sql<boolean>`not ${isOfTeamAlone}`);
  }
  if (query.among) matching = matching.where(isAmong(query.among, isShared));
  const direction = sql.raw(query.descending ? 'desc' : 'asc');
  const nulls = sql.raw(query.descending ? 'nulls last' : 'nulls first');
  const by = sortValue(query.sort_by ?? 'created_at', isShared);
  const first = by ? [sql`${by} ${direction} ${nulls}`] : [];
  return { matching, order: sql.join([...first, sql`created_at ${direction}`, sql`id ${direction}`]) };
}

function isAmong({ id, user_ids, team_ids, created_by }: Among, isShared: boolean): RawBuilder<boolean> {
  const any = [
    ...(id === undefined ? [] : [sql`id = ${id}`]),
    ...(user_ids?.length ? [sql`user_id in (${sql.join(user_ids)})`] : []),
    ...(team_ids?.length ? [sql`team_id in (${sql.join(team_ids)})`] : []),
    ...(created_by === undefined ? [] : [sql`${member('created_by', isShared)} = ${created_by}`]),
  ];
  return any.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`(${sql.join(any, sql` or `)})`;
}

/** The migration that indexes keys by these values has the same expressions. @returns `undefined`: the order alone */
function sortValue(column: SortColumn, isShared: boolean): RawBuilder<unknown> | undefined {
  if (column === 'created_at') return undefined;
  // In the order of bytes, which is SQLite's own.
  if (column === 'alias') return isShared ? sql`alias collate "C"` : sql`alias`;
  const value = member(column, isShared);
  return column === 'max_budget' && isShared ? sql`(${value})::double precision` : value;
}

/** A member of the body. Text from PostgreSQL, and its own type from SQLite. */
export const member = <T = unknown>(name: string, isShared: boolean): RawBuilder<T> =>
  isShared ? sql`(${readable} ->> ${sql.lit(name)})` : sql`(body ->> ${sql.lit(name)})`;

/**
 * The body as PostgreSQL reads it: in texts of JSON it takes neither NUL nor half a surrogate pair, which only bodies with an escaped
 * character can have.
 */
const readable = sql`(case when strpos(body, ${sql.lit('\\u')}) = 0 then body
  else regexp_replace(body, ${sql.lit(String.raw`\\u(0000|d[89a-f][0-9a-f]{2})`)}, ${sql.lit(String.raw`\\ufffd`)}, 'g') end)::jsonb`;
