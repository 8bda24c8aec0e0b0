import { Worker } from 'node:worker_threads';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}
/**
 * The one parameter of a statement that runs once for each of many lists, and answers no rows of its own. The thread reads the lists itself,
 * so that they do not pass through the process.
 */
export class ListsOf {
  /**
   * A query that answers one row with two texts of JSON: `lists`, lists of values, of which the last one is a position in `shared`; and
   * `shared`, lists of values, each of which follows the other values of the lists that name it.
   */
  readonly listsOf: string;
  readonly parameters: readonly unknown[];

  constructor(listsOf: string, parameters: readonly unknown[]) {
    this.listsOf = listsOf;
    this.parameters = parameters;
  }
}
/**
 * The end of a statement that does not wait for the disk, for writes that calls wait for. It must not be in a transaction. The
 * write is on the disk within a second. Every other write is on the disk before it is answered.
 */
export const SOON = '/* soon */';
export interface StatementResult {
  /** Of a statement that ran for several lists: `{ at }` of each list that changed nothing. */
  readonly rows: Readonly<Record<string, unknown>>[];
  /** Absent for statements that answer rows. */
  readonly changes?: number;
}

/** A thread that has one connection to an SQLite file, and nothing else to do. */
export interface SqliteThread {
  /** Ended by itself: what was open of a transaction is taken back. */
  readonly isDead: boolean;
  /** Runs statements one after another, and stops at the first that fails. @returns what the last one answered */
  run(statements: readonly Statement[]): Promise<StatementResult>;
  /** Takes back what is open of a transaction; there may be none, as after a full disk. */
  rollback(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Source of the worker, as text: it stands outside of the bundle's modules and needs nothing but Node. Statements are kept
 * prepared by their text, up to 256.
 */
const SOURCE = `
const { closeSync, existsSync, fdatasync, openSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const kept = new Map();
const { file, readOnly } = workerData;
let sql;
let syncing;
let refused;
function open() {
  const opened = new DatabaseSync(file, { timeout: 5000, readOnly });
  try {
    if (!readOnly) opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;');
    opened.exec('PRAGMA temp_store = MEMORY;');
  } catch (thrown) {
    opened.close();
    throw thrown;
  }
  sql = opened;
}
try {
  if (existsSync(file)) open();
} catch (thrown) {
  refused = thrown;
}
function first() {
  const thrown = refused;
  refused = undefined;
  if (thrown) throw thrown;
  open();
}
function prepare(text) {
  const known = kept.get(text);
  if (known) return known;
  if (kept.size >= 256) kept.clear();
  const statement = sql.prepare(text);
  const made = { statement, isReader: statement.columns().length > 0 };
  kept.set(text, made);
  return made;
}
function run({ sql: text, parameters }) {
  const { statement, isReader } = prepare(text);
  if (typeof parameters[0]?.listsOf === 'string') return runEach(statement, parameters[0]);
  if (isReader) return { rows: statement.all(...parameters) };
  if (text.endsWith('${SOON}')) return { rows: [], changes: runSoon(statement, parameters) };
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}
function runEach(statement, { listsOf, parameters }) {
  const found = prepare(listsOf).statement.get(...parameters);
  const lists = JSON.parse(found.lists);
  const shared = JSON.parse(found.shared);
  const rows = [];
  for (let at = 0; at < lists.length; at += 1) {
    const own = lists[at];
    const others = shared[own.pop()];
    if (statement.run(...own, ...others).changes === 0) rows.push({ at });
  }
  return { rows, changes: lists.length - rows.length };
}
function runSoon(statement, parameters) {
  sql.exec('PRAGMA synchronous = NORMAL');
  try {
    return Number(statement.run(...parameters).changes);
  } finally {
    sql.exec('PRAGMA synchronous = FULL');
    syncing ??= setTimeout(sync, 400);
  }
}
function sync() {
  // This sync may miss what is written from now on, so that gets another one.
  syncing = undefined;
  const log = openSync(file + '-wal', 'r+');
  fdatasync(log, (thrown) => {
    closeSync(log);
    // If the disk refuses this, it also refuses the next write, which reports it.
    if (thrown && sql) syncing ??= setTimeout(sync, 400);
  });
}
function answer(task) {
  if (task === 'close') {
    clearTimeout(syncing);
    return sql && sql.close();
  }
  if (!sql) first();
  if (task === 'rollback') return sql.isTransaction && sql.exec('rollback');
  return task.map(run).at(-1);
}
parentPort.on('message', ({ id, task }) => {
  try {
    parentPort.postMessage({ id, result: answer(task) });
  } catch (thrown) {
    const { message, code, errcode } = thrown instanceof Error ? thrown : new Error(String(thrown));
    parentPort.postMessage({ id, failure: { message, code, errcode } });
  }
  if (task === 'close') parentPort.close();
});
`;

type Task = readonly Statement[] | 'rollback' | 'close';
interface Answer {
  readonly id: number;
  readonly result?: StatementResult;
  readonly failure?: { readonly message: string };
}
interface Asked {
  readonly resolve: (result: StatementResult | undefined) => void;
  readonly reject: (thrown: Error) => void;
}

/**
 * An existing file is opened at once, while the rest of the process starts. The first statement creates a missing file. It fails if the
 * file cannot be opened.
 */
export function openSqliteThread(file: string, { readOnly }: { readonly readOnly: boolean }): SqliteThread {
  const worker = new Worker(SOURCE, { eval: true, workerData: { file, readOnly }, name: 'gateway database' });
  const waiting = new Map<number, Asked>();
  let count = 0;
  let died: Error | undefined;

  /** Whoever waits keeps the process alive; an idle thread does not. */
  function settle(id: number): Asked | undefined {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    return asked;
  }
  function end(cause: Error): void {
    died ??= cause;
    for (const [id] of waiting) settle(id)?.reject(died);
  }
  worker.on('message', ({ id, result, failure }: Answer) => {
    if (failure) settle(id)?.reject(Object.assign(new Error(failure.message), failure));
    else settle(id)?.resolve(result);
  });
  worker.on('error', (thrown) => end(thrown instanceof Error ? thrown : new Error(String(thrown))));
  worker.on('exit', (code) => end(new Error(`The database thread exited with code ${code}.`)));
  worker.unref(); // last, because a listener for messages keeps the process alive again

  function ask(task: Task): Promise<StatementResult | undefined> {
    if (died) return Promise.reject(died);
    return new Promise((resolve, reject) => {
      count += 1;
      if (waiting.size === 0) worker.ref();
      waiting.set(count, { resolve, reject });
      worker.postMessage({ id: count, task });
    });
  }

  return {
    get isDead() {
      return died !== undefined;
    },
    async run(statements) {
      return (await ask(statements)) ?? { rows: [] };
    },
    async rollback() {
      await ask('rollback');
    },
    async close() {
      if (died) return;
      await ask('close');
      await worker.terminate();
    },
  };
}
