import { type Kysely, sql, type Transaction } from 'kysely';
import { Fault } from '../../platform/faults.ts';
import type { RecordRow, Tables } from './database/tables.ts';
import { type KindName, kinds, type RecordOf } from './kinds.ts';
import { type ListQuery, listOf } from './recordList.ts';
import { asking } from './storeFault.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Told after each write that is on disk. */
export type Written = (kind: KindName, id: string) => void;
/** Marks a write for other replicas, in the write's own transaction. */
export type MarkChange = (transaction: Transaction<Tables>, kind: KindName, id: string) => Promise<void>;

/** What is written in the transaction of a record: both are there, or neither. */
export type Beside = (transaction: Transaction<Tables>) => Promise<unknown>;

/** If a kind has more records than this, none of them is kept after it was read. */
const KEPT = 1_000;

/** The records of one kind. Each write is one transaction; what cannot be read any more is an error, never a gap. */
export class Records<K extends KindName> {
  readonly #db: Kysely<Tables>;
  readonly #name: K;
  readonly #isShared: boolean;
  readonly #mark: MarkChange;
  readonly #written: Written;
  /** What {@link all} read last, by its text. A start reads all servers several times, and checking them takes longest. */
  #known: ReadonlyMap<string, RecordOf<K>> = new Map();

  /** @param isShared PostgreSQL */
  constructor(db: Kysely<Tables>, name: K, isShared: boolean, mark: MarkChange, written: Written) {
    this.#db = db;
    this.#name = name;
    this.#isShared = isShared;
    this.#mark = mark;
    this.#written = written;
  }

  async get(id: string): Promise<RecordOf<K> | undefined> {
    const row = await asking(() =>
      this.#db
        .selectFrom('records')
        .select('body')
        .where('kind', '=', this.#name)
        .where('id', '=', id)
        .executeTakeFirst(),
    );
    return row && this.#read(row.body);
  }

  async byAlias(alias: string): Promise<RecordOf<K> | undefined> {
    const row = await asking(() =>
      this.#db
        .selectFrom('records')
        .select('body')
        .where('kind', '=', this.#name)
        .where('alias', '=', alias)
        .executeTakeFirst(),
    );
    return row && this.#read(row.body);
  }

  /** Oldest first. Records that have not changed are the same objects as before, so callers must not modify them. */
  async all(): Promise<readonly RecordOf<K>[]> {
    const { matching, order } = listOf(this.#db, this.#name, this.#isShared, {});
    const rows = await asking(() => matching.select('body').orderBy(order).execute());
    const known = this.#known;
    const items = rows.map(({ body }) => known.get(body) ?? this.#read(body));
    this.#known = new Map(rows.length > KEPT ? [] : rows.map(({ body }, at) => [body, items[at]!]));
    return items;
  }

  /** Oldest first, unless asked otherwise. */
  async list(query: ListQuery): Promise<Page<RecordOf<K>>> {
    const { matching, order } = listOf(this.#db, this.#name, this.#isShared, query);
    if (query.limit === undefined) {
      const rows = await asking(() => matching.select('body').orderBy(order).execute());
      return { items: rows.map((it) => this.#read(it.body)), total: rows.length };
    }
    const chosen = matching
      .select('id')
      .orderBy(order)
      .limit(query.limit)
      .offset(query.offset ?? 0);
    const bodies = this.#db
      .selectFrom('records')
      .select('body')
      .where('kind', '=', this.#name)
      .where('id', 'in', sql<string>`(select id from (${chosen}) as chosen)`)
      .orderBy(order);
    const counted = matching.select((it) => it.fn.countAll<number>().as('count'));
    const rows = await asking(() => bodies.execute());
    const { count } = await asking(() => counted.executeTakeFirstOrThrow());
    return { items: rows.map((it) => this.#read(it.body)), total: Number(count) };
  }

  /** Second names, in the order of their bytes. */
  async aliases(query: ListQuery): Promise<Page<string>> {
    const { matching, order } = listOf(this.#db, this.#name, this.#isShared, { ...query, sort_by: 'alias' });
    const named = matching.where('alias', 'is not', null);
    const chosen = named
      .select('alias')
      .orderBy(order)
      .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
      .offset(query.offset ?? 0);
    const rows = await asking(() => chosen.execute());
    const counted = named.select((it) => it.fn.countAll<number>().as('count'));
    const { count } = await asking(() => counted.executeTakeFirstOrThrow());
    return { items: rows.flatMap((it) => it.alias ?? []), total: Number(count) };
  }

  /**
   * Those in which any of the texts is a value or the name of a member, oldest first. Where in the record is for the caller to
   * judge. The fields that this reads have an index neither in SQLite nor in PostgreSQL.
   */
  async holding(texts: readonly string[], limit: number): Promise<readonly RecordOf<K>[]> {
    if (texts.length === 0) return [];
    const anywhere = texts.map((it) => sql<boolean>`replace(body, ${JSON.stringify(it)}, '') <> body`);
    const rows = await asking(() =>
      this.#db
        .selectFrom('records')
        .select('body')
        .where('kind', '=', this.#name)
        .where((it) => it.or(anywhere))
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute(),
    );
    return rows.map((it) => this.#read(it.body));
  }

  /** @throws {Fault} `already_exists` naming what is taken */
  async insert(record: RecordOf<K>, beside?: Beside): Promise<void> {
    const row = this.#row(record);
    await asking(() =>
      this.#db.transaction().execute(async (transaction) => {
        await this.#mark(transaction, this.#name, row.id);
        await transaction.insertInto('records').values(row).execute().catch(taken(this.#name));
        await beside?.(transaction);
      }),
    );
    this.#written(this.#name, row.id);
  }

  /**
   * Reads, changes and writes a record as one step; what `change` throws passes through and nothing is written. The id may
   * change as well, as that of a rotated key.
   * @throws {Fault} `not_found`; `already_exists` where the new alias is taken
   */
  async update(id: string, change: (record: RecordOf<K>) => RecordOf<K>, beside?: Beside): Promise<RecordOf<K>> {
    let changed: RecordOf<K> | undefined;
    let newId = id;
    await asking(() =>
      this.#db.transaction().execute(async (transaction) => {
        // The mark takes the lock first: two updates of one record on two replicas come after each other.
        await this.#mark(transaction, this.#name, id);
        const row = await transaction
          .selectFrom('records')
          .select('body')
          .where('kind', '=', this.#name)
          .where('id', '=', id)
          .executeTakeFirst();
        if (!row) throw notFound(this.#name, id);
        changed = change(this.#read(row.body));
        const next = this.#row(changed);
        newId = next.id;
        if (newId !== id) await this.#mark(transaction, this.#name, newId);
        await transaction
          .updateTable('records')
          .set(next)
          .where('kind', '=', this.#name)
          .where('id', '=', id)
          .execute()
          .catch(taken(this.#name));
        await beside?.(transaction);
      }),
    );
    this.#written(this.#name, id);
    if (newId !== id) this.#written(this.#name, newId);
    return changed!;
  }

  /** @returns what was there */
  async remove(id: string, beside?: Beside): Promise<RecordOf<K> | undefined> {
    let removed: string | undefined;
    await asking(() =>
      this.#db.transaction().execute(async (transaction) => {
        await this.#mark(transaction, this.#name, id);
        const row = await transaction
          .deleteFrom('records')
          .where('kind', '=', this.#name)
          .where('id', '=', id)
          .returning('body')
          .executeTakeFirst();
        removed = row?.body;
        await beside?.(transaction);
      }),
    );
    this.#written(this.#name, id);
    return removed === undefined ? undefined : this.#read(removed);
  }

  #read(body: string): RecordOf<K> {
    const result = kinds[this.#name].schema.safeParse(JSON.parse(body));
    if (result.success) return result.data as RecordOf<K>;
    throw new Fault('internal', `A stored ${this.#name} cannot be read.`, { cause: result.error });
  }

  #row(record: RecordOf<K>): RecordRow {
    const { idOf, aliasOf } = kinds[this.#name] as {
      idOf: (it: unknown) => string;
      aliasOf?: (it: unknown) => string | null | undefined;
    };
    const facts = record as Readonly<Record<string, unknown>>;
    const text = (name: string) => (typeof facts[name] === 'string' ? facts[name] : null);
    return {
      kind: this.#name,
      id: idOf(record),
      alias: aliasOf?.(record) || null,
      team_id: text('team_id'),
      organization_id: text('organization_id'),
      user_id: text('user_id'),
      agent_id: text('agent_id'),
      created_at: text('created_at') ?? '',
      body: JSON.stringify(record),
    };
  }
}

const spoken = (kind: KindName) => kind.replace('mcp_server', 'MCP server').replaceAll('_', ' ');

export const notFound = (kind: KindName, id: string): Fault =>
  new Fault('not_found', `There is no ${spoken(kind)} '${kind === 'key' ? `${id.slice(0, 8)}…` : id}'.`, {
    data: { field: 'id' },
  });

/** SQLite says UNIQUE or PRIMARY KEY, PostgreSQL has a number for it. */
const taken = (kind: KindName) => (thrown: unknown) => {
  const isTaken =
    thrown instanceof Error &&
    (/UNIQUE constraint/i.test(thrown.message) || ('code' in thrown && thrown.code === '23505'));
  if (!isTaken) throw thrown;
  throw new Fault('already_exists', `Another ${spoken(kind)} already has this ID or name.`, { cause: thrown });
};
