import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { GatewayDatabase } from '../../../sidecar/gateway/storage/database/database.ts';
import { migrations } from '../../../sidecar/gateway/storage/database/migrations.ts';
import { nodeSqliteDialect } from '../../../sidecar/gateway/storage/database/sqliteDialect.ts';
import type { Statement, StatementResult } from '../../../sidecar/gateway/storage/database/sqliteThread.ts';
import type { Tables } from '../../../sidecar/gateway/storage/database/tables.ts';
import type { Random } from '../../fuzz/random.ts';
import type { SimTime } from '../time.ts';
import { DatabaseLink } from './databaseLink.ts';
import { asSqlite } from './postgresAsSqlite.ts';

/** The longest time that a statement or its answer takes. */
export const MOST_LATENCY_MS = 100;

/** A statement of a connection that has not run. */
interface Asked {
  readonly link: DatabaseLink;
  /** The statements of one connection run one after another. */
  readonly connection: object;
  readonly statement: Statement | 'commit' | 'rollback';
  readonly isInTransaction: boolean;
  readonly sinceMs: number;
  readonly answer: (result: StatementResult | Error) => void;
}
interface Answered {
  readonly asked: Asked;
  readonly result: StatementResult | Error;
  readonly sinceMs: number;
}
export interface SimDatabaseDeps {
  readonly folder: string;
  readonly random: Random;
  readonly time: SimTime;
  /** Something was committed by a replica. */
  readonly onCommit: (by: DatabaseLink) => void;
  /** The statements to run instead of one. For faults. */
  readonly change?: ((statement: Statement, random: Random) => readonly Statement[]) | undefined;
  /** The result to return instead of another. For faults. */
  readonly answer?: ((statement: Statement, result: StatementResult, random: Random) => StatementResult) | undefined;
}

/**
 * Simulates the PostgreSQL database of all replicas with SQLite in this process. Statements wait until a step runs them. Only
 * one transaction writes at a time, and other reads see what is committed. PostgreSQL allows this order, among others.
 */
export class SimDatabase {
  /** While true, writes fail. */
  isFull = false;
  readonly #deps: SimDatabaseDeps;
  readonly #folder: string;
  readonly #writer: DatabaseSync;
  readonly #reader: DatabaseSync;
  #asked: Asked[] = [];
  #answered: Answered[] = [];
  /** The connection whose transaction is open. */
  #open: { readonly connection: object; readonly link: DatabaseLink } | undefined;
  /** Sent to all listeners when the transaction is committed. */
  #notices: string[] = [];
  readonly #links = new Set<DatabaseLink>();

  private constructor(deps: SimDatabaseDeps) {
    this.#deps = deps;
    this.#folder = mkdtempSync(join(deps.folder, 'switchboard-gateway-simulation-'));
    const file = join(this.#folder, 'gateway.db');
    this.#writer = new DatabaseSync(file);
    this.#writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;');
    this.#reader = new DatabaseSync(file);
  }

  static async open(deps: SimDatabaseDeps): Promise<SimDatabase> {
    const database = new SimDatabase(deps);
    const thread = {
      isDead: false,
      run: async (all: readonly Statement[]) => all.map((it) => run(database.#writer, it)).at(-1)!,
      rollback: async () => undefined,
      close: async () => undefined,
    };
    const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(() => thread) });
    const provider = { getMigrations: async () => migrations('sqlite') };
    const { error } = await new Migrator({ db, provider }).migrateToLatest();
    if (error) throw new Error('the database migrations failed', { cause: error });
    return database;
  }

  /** Opens the link of one replica. */
  link(): DatabaseLink {
    const link = new DatabaseLink((it) => this.#ask(it));
    this.#links.add(link);
    return link;
  }

  /** What `openDatabase` returns to a replica. */
  openFor(link: DatabaseLink): GatewayDatabase {
    const db = new Kysely<Tables>({
      dialect: {
        createDriver: () => link.driver(),
        createQueryCompiler: () => new SqliteQueryCompiler(),
        createAdapter: () => new SqliteAdapter(),
        createIntrospector: (it) => new SqliteIntrospector(it),
      },
    });
    return {
      kind: 'postgres',
      db,
      reports: db,
      follow: async (onNotified) => link.follow(onNotified),
      pool: () => undefined,
      close: () => db.destroy(),
    };
  }

  /** Reads committed rows at once. */
  read<T>(sql: string, ...parameters: (string | number)[]): readonly T[] {
    return this.#reader.prepare(sql).all(...parameters) as T[];
  }

  get hasWork(): boolean {
    return this.#answered.length > 0 || this.#runnable.length > 0;
  }
  /** How much time may pass before something must run. */
  get mostWaitMs(): number {
    const all = [...this.#asked, ...this.#answered];
    const oldest = all.reduce((first, it) => Math.min(first, it.sinceMs), Number.POSITIVE_INFINITY);
    return Math.max(0, oldest + MOST_LATENCY_MS - this.#deps.time.passedMs);
  }

  /** Runs a statement, or lets an answer arrive. */
  step(): string {
    const { random } = this.#deps;
    const runnable = this.#runnable;
    const at = random.below(runnable.length + this.#answered.length);
    const asked = runnable[at];
    if (!asked) {
      const [answered] = this.#answered.splice(at - runnable.length, 1);
      answered!.asked.answer(answered!.result);
      return 'answer';
    }
    this.#asked = this.#asked.filter((it) => it !== asked);
    const result = this.#run(asked);
    if (random.chance(0.8)) asked.answer(result);
    else this.#answered.push({ asked, result, sinceMs: this.#deps.time.passedMs });
    return typeof asked.statement === 'string' ? asked.statement : asked.statement.sql.slice(0, 40);
  }

  /** Disconnects a replica. For statements that have run, it learns only that its connection broke. */
  cut(link: DatabaseLink): void {
    link.isCut = true;
    link.breakListening();
    this.#answered = this.#answered.map((it) => (it.asked.link === link ? { ...it, result: broken() } : it));
  }

  /** Removes a replica that is gone. Its open transaction is rolled back, and no answers reach it. */
  forget(link: DatabaseLink): void {
    link.isGone = true;
    this.#links.delete(link);
    this.#asked = this.#asked.filter((it) => it.link !== link);
    this.#answered = this.#answered.filter((it) => it.asked.link !== link);
    if (this.#open?.link === link) this.#end('rollback');
  }

  close(): void {
    for (const it of [...this.#links]) this.forget(it);
    this.#writer.close();
    this.#reader.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #ask(asked: Omit<Asked, 'sinceMs'>): void {
    this.#asked.push({ ...asked, sinceMs: this.#deps.time.passedMs });
  }

  get #runnable(): readonly Asked[] {
    return this.#asked.filter((it) => !this.#open || this.#open.connection === it.connection || isRead(it));
  }

  #run({ link, connection, statement, isInTransaction }: Asked): StatementResult | Error {
    const isOwn = this.#open?.connection === connection;
    if (link.isCut) {
      if (isOwn) this.#end('rollback');
      return broken();
    }
    if (typeof statement === 'string') return this.#end(statement);
    if (isInTransaction && !isOwn) {
      this.#writer.exec('begin');
      this.#open = { connection, link };
    }
    const before = this.#notices.length;
    try {
      const result = this.#execute(statement, isInTransaction ? this.#writer : undefined);
      if (!isInTransaction && !isSelect(statement.sql)) this.#committed(link);
      return result;
    } catch (thrown) {
      this.#notices.length = before;
      return thrown instanceof Error ? thrown : new Error(String(thrown));
    }
  }

  #execute(statement: Statement, inTransaction: DatabaseSync | undefined): StatementResult {
    const { change, answer, random } = this.#deps;
    const { statements, notice } = asSqlite(statement);
    if (notice !== undefined) this.#notices.push(notice);
    let result: StatementResult = { rows: [] };
    for (const it of statements.flatMap((one) => change?.(one, random) ?? [one])) {
      const isWrite = !isSelect(it.sql);
      if (isWrite && this.isFull) throw Object.assign(new Error('No space left on device'), { code: '53100' });
      result = run(inTransaction ?? (isWrite ? this.#writer : this.#reader), it);
      // A message from one replica to another notifies its recipient.
      for (const { notified } of result.rows) if (typeof notified === 'string') this.#notices.push(notified);
    }
    return answer?.(statement, result, random) ?? result;
  }

  #end(how: 'commit' | 'rollback'): StatementResult | Error {
    if (!this.#open) return { rows: [] };
    const isRefused = how === 'commit' && this.isFull;
    this.#writer.exec(isRefused ? 'rollback' : how);
    const { link } = this.#open;
    this.#open = undefined;
    if (how === 'commit' && !isRefused) this.#committed(link);
    else this.#notices = [];
    return isRefused ? Object.assign(new Error('No space left on device'), { code: '53100' }) : { rows: [] };
  }

  #committed(by: DatabaseLink): void {
    for (const about of this.#notices.splice(0)) for (const it of this.#links) it.notify(about);
    this.#deps.onCommit(by);
  }
}

const broken = () => Object.assign(new Error('the connection to the database broke'), { code: 'ECONNRESET' });
const isSelect = (sql: string) => /^\s*select/i.test(sql);
const isRead = ({ statement, isInTransaction }: Asked) =>
  typeof statement !== 'string' && !isInTransaction && isSelect(statement.sql);

const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

function run(sql: DatabaseSync, { sql: text, parameters }: Statement): StatementResult {
  const known = prepared.get(sql) ?? new Map<string, StatementSync>();
  prepared.set(sql, known);
  const statement = known.get(text) ?? sql.prepare(text);
  known.set(text, statement);
  const values = parameters as (string | number | null)[];
  if (statement.columns().length > 0) return { rows: statement.all(...values) };
  return { rows: [], changes: Number(statement.run(...values).changes) };
}
