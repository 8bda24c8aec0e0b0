import { Kysely } from 'kysely';
import type { GatewayDatabase } from '../../storage/database/database.ts';
import { nodeSqliteDialect } from '../../storage/database/sqliteDialect.ts';
import type { Statement, StatementResult } from '../../storage/database/sqliteThread.ts';
import type { Tables } from '../../storage/database/tables.ts';

export interface OwnersDatabaseDeps {
  run(database: 'db' | 'reports', statements: readonly Statement[]): Promise<StatementResult>;
  rollback(): Promise<void>;
}

/** The owner's SQLite database, as a worker uses it. The owner has brought it to the newest layout. */
export function ownersDatabase({ run, rollback }: OwnersDatabaseDeps): GatewayDatabase {
  const kysely = (name: 'db' | 'reports') =>
    new Kysely<Tables>({
      dialect: nodeSqliteDialect(() => ({
        isDead: false,
        run: (statements) => run(name, statements),
        rollback,
        close: () => Promise.resolve(),
      })),
    });
  const [db, reports] = [kysely('db'), kysely('reports')];
  return {
    kind: 'sqlite',
    db,
    reports,
    follow: () => Promise.resolve(undefined), // the owner tells what changed
    pool: () => undefined,
    async close() {
      await reports.destroy();
      await db.destroy();
    },
  };
}
