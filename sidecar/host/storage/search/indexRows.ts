import type { DatabaseSync } from 'node:sqlite';
import { fold, shortWords } from './terms.ts';

/** Another layout is not brought up to date: the index is made anew. */
const LAYOUT = 1;
/** Numbers of pieces that one millisecond has, as bits: far more than turns that began in it. */
const BITS = 20n;
/** The year 2109; a client says when its turn began, and may say anything. */
const LATEST_MS = 2 ** 42;

interface IndexedTurn {
  readonly chat: string;
  readonly n: number;
  readonly id: string;
  readonly atMs: number;
}

/**
 * The tables of the index. A piece of text is numbered by the time of its turn, so the newest matches are found without
 * looking at older ones. The first piece of a turn has its highest number.
 */
export class IndexRows {
  readonly #sql: DatabaseSync;
  readonly #statements: ReturnType<typeof statementsOf>;

  /** @throws as SQLite does for what is no database; for another layout as for a damaged one */
  constructor(sql: DatabaseSync) {
    this.#sql = sql;
    try {
      sql.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;');
      const layout = sql.prepare('PRAGMA user_version').get()?.['user_version'];
      if (layout === 0) sql.exec(`BEGIN; ${tables} PRAGMA user_version = ${LAYOUT}; COMMIT;`);
      else if (layout !== LAYOUT) throw Object.assign(new Error('the index has a different schema'), { errcode: 26 });
      this.#statements = statementsOf(sql);
    } catch (thrown) {
      sql.close();
      throw thrown;
    }
  }

  number(key: string): number {
    return Number(this.#statements.state.get(key)?.['value'] ?? 0);
  }
  putNumber(key: string, value: number): void {
    this.#statements.putState.run(key, value);
  }
  text(key: string): string {
    return String(this.#statements.state.get(key)?.['value'] ?? '');
  }
  putText(key: string, value: string): void {
    this.#statements.putState.run(key, value);
  }

  has(chat: string, n: number): boolean {
    return this.#statements.turn.get(chat, n) !== undefined;
  }

  add({ chat, n, id, atMs }: IndexedTurn, chunks: readonly string[]): void {
    if (chunks.length === 0) return;
    const low = this.#freeFrom(BigInt(Math.max(0, Math.min(LATEST_MS, Math.floor(atMs)))) << BITS, chunks.length);
    const high = low + BigInt(chunks.length) - 1n;
    this.#statements.putTurn.run(low, high, chat, n, id);
    for (const [at, body] of chunks.entries()) {
      const number = high - BigInt(at);
      const folded = fold(body);
      this.#statements.putChunk.run(number, body);
      this.#statements.putTrigrams.run(number, folded);
      this.#statements.putShort.run(number, [...shortWords(folded)].join(' '));
    }
  }

  /** The turns of a chat from number `first` to `last`. */
  remove(chat: string, first: number, last: number): void {
    for (const { low, high } of this.#statements.range.all(chat, first, last)) {
      for (let number = low as bigint; number <= (high as bigint); number += 1n)
        for (const it of this.#statements.removals) it.run(number);
    }
    this.#statements.removeTurns.run(chat, first, last);
  }

  /** Pieces that may match, newest first; lazily. */
  withTrigrams(query: string, before: bigint): Iterable<{ id: bigint; body: string }> {
    return this.#candidates(this.#statements.withTrigrams, query, before);
  }
  withShort(query: string | undefined, before: bigint): Iterable<{ id: bigint; body: string }> {
    return query === undefined ? [] : this.#candidates(this.#statements.withShort, query, before);
  }

  *#candidates(statement: ReturnType<DatabaseSync['prepare']>, query: string, before: bigint) {
    for (const { id } of statement.iterate(query, before)) {
      const body = this.#statements.chunk.get(id as bigint)?.['body'];
      if (typeof body === 'string') yield { id: id as bigint, body };
    }
  }

  /** Whose piece this is. */
  turnOf(chunk: bigint): { low: bigint; chat: string; id: string; atMs: number } | undefined {
    const row = this.#statements.turnOf.get(chunk);
    if (!row) return undefined;
    const low = row['low'] as bigint;
    return { low, chat: String(row['chat']), id: String(row['id']), atMs: Number(low >> BITS) };
  }

  transaction(work: () => void): void {
    this.#sql.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#sql.exec('COMMIT');
    } catch (thrown) {
      if (this.#sql.isTransaction) this.#sql.exec('ROLLBACK');
      throw thrown;
    }
  }

  close(): void {
    this.#sql.close();
  }

  /** Turns of a fork began when those did that it was made from. */
  #freeFrom(wanted: bigint, count: number): bigint {
    let low = wanted;
    for (;;) {
      const high = this.#statements.turnOf.get(low + BigInt(count) - 1n)?.['high'] as bigint | undefined;
      if (high === undefined || high < low) return low;
      low = high + 1n;
    }
  }
}

const tables = `
  CREATE TABLE state (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE turn (low INTEGER PRIMARY KEY, high INTEGER NOT NULL, chat TEXT NOT NULL, n INTEGER NOT NULL, id TEXT NOT NULL) STRICT;
  CREATE UNIQUE INDEX turn_by_chat ON turn (chat, n);
  CREATE TABLE chunk (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE VIRTUAL TABLE trigrams USING fts5 (
    folded, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
  );
  CREATE VIRTUAL TABLE short USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'unicode61 remove_diacritics 0'
  );`;

function statementsOf(sql: DatabaseSync) {
  const withNumbers = (text: string) => {
    const statement = sql.prepare(text);
    statement.setReadBigInts(true);
    return statement;
  };
  return {
    state: sql.prepare('SELECT value FROM state WHERE key = ?'),
    putState: sql.prepare(
      'INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    ),
    turn: withNumbers('SELECT low FROM turn WHERE chat = ? AND n = ?'),
    range: withNumbers('SELECT low, high FROM turn WHERE chat = ? AND n BETWEEN ? AND ?'),
    turnOf: withNumbers('SELECT low, high, chat, id FROM turn WHERE low <= ? ORDER BY low DESC LIMIT 1'),
    putTurn: sql.prepare('INSERT INTO turn (low, high, chat, n, id) VALUES (?, ?, ?, ?, ?)'),
    removeTurns: sql.prepare('DELETE FROM turn WHERE chat = ? AND n BETWEEN ? AND ?'),
    chunk: sql.prepare('SELECT body FROM chunk WHERE number = ?'),
    putChunk: sql.prepare('INSERT INTO chunk (number, body) VALUES (?, ?)'),
    putTrigrams: sql.prepare('INSERT INTO trigrams (rowid, folded) VALUES (?, ?)'),
    putShort: sql.prepare('INSERT INTO short (rowid, words) VALUES (?, ?)'),
    removals: [
      'DELETE FROM trigrams WHERE rowid = ?',
      'DELETE FROM short WHERE rowid = ?',
      'DELETE FROM chunk WHERE number = ?',
    ].map((it) => sql.prepare(it)),
    withTrigrams: withNumbers(
      'SELECT rowid AS id FROM trigrams WHERE trigrams MATCH ? AND rowid < ? ORDER BY rowid DESC',
    ),
    withShort: withNumbers('SELECT rowid AS id FROM short WHERE short MATCH ? AND rowid < ? ORDER BY rowid DESC'),
  };
}
