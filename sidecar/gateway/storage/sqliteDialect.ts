import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SqliteDialect } from 'kysely';

/** Distinct statements that are kept prepared. */
const KEPT_STATEMENTS = 256;

/** Kysely's dialect over Node's own SQLite: the few members it uses, with statements kept by their text. */
export function nodeSqliteDialect(file: string): SqliteDialect {
  const sql = new DatabaseSync(file, { timeout: 5000 });
  sql.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;');
  const kept = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const known = kept.get(text);
    if (known) return known;
    if (kept.size >= KEPT_STATEMENTS) kept.clear();
    const statement = sql.prepare(text);
    kept.set(text, statement);
    return statement;
  };
  return new SqliteDialect({
    database: {
      close: () => sql.close(),
      prepare(text) {
        const statement = prepare(text);
        return {
          reader: statement.columns().length > 0,
          all: (values) => statement.all(...(values as SQLInputValue[])),
          run: (values) => statement.run(...(values as SQLInputValue[])),
          iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
        };
      },
    },
  });
}
