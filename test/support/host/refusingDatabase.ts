import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * From now on the database of a host fails whatever is written to it, as another program with the file open can bring about:
 * with a broken constraint, or as full (no table takes a row after the largest number there is).
 * @returns takes it back
 */
export function refuseWrites(dataDir: string, how: 'constraint' | 'full'): () => void {
  const file = join(dataDir, 'host.db');
  const [start, step, end] =
    how === 'constraint'
      ? ['', "SELECT RAISE(ABORT, 'refused by a test')", '']
      : [
          `CREATE TABLE most (n INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO most VALUES (${2n ** 63n - 1n});`,
          'INSERT INTO most VALUES (NULL)',
          'DROP TABLE most;',
        ];
  const run = (sentences: (tables: readonly string[]) => string): void => {
    const sql = new DatabaseSync(file);
    sql.exec('PRAGMA busy_timeout = 5000');
    const rows = sql.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'").all();
    const tables = rows.map((it) => String(it['name'])).filter((it) => it !== 'most');
    sql.exec(`BEGIN IMMEDIATE; ${sentences(tables)} COMMIT;`);
    sql.close();
  };
  const all = (tables: readonly string[], sentence: (table: string, event: string) => string) =>
    tables.flatMap((table) => ['INSERT', 'UPDATE', 'DELETE'].map((event) => sentence(table, event))).join(' ');
  const refuse = (table: string, event: string) =>
    `CREATE TRIGGER refuse_${table}_${event} BEFORE ${event} ON ${table} BEGIN ${step}; END;`;
  run((tables) => `${start} ${all(tables, refuse)}`);
  return () => run((tables) => `${all(tables, (table, event) => `DROP TRIGGER refuse_${table}_${event};`)} ${end}`);
}
