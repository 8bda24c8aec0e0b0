import { type Kysely, sql } from 'kysely';
import { Fault } from '../../../platform/faults.ts';
import { sealerFor } from '../../../platform/seal.ts';
import { migrationsIn } from '../database/migrate.ts';
import type { Dialect } from '../database/recordsMigration.ts';
import type { Tables } from '../database/tables.ts';
import { placeOf } from '../secrets.ts';

const sealerOf = (secret: Uint8Array) => sealerFor(secret, 'secrets');

/** Whether this secret sealed everything that is sealed. */
export async function opensAll(db: Kysely<Tables>, secret: Uint8Array): Promise<boolean> {
  const sealer = sealerOf(secret);
  const rows = await db.selectFrom('secrets').selectAll().execute();
  return rows.every((it) => typeof sealer.open(it.sealed, placeOf(it.kind, it.id, it.name)) === 'string');
}

/**
 * A gateway that runs would go on to seal with its own secret. With PostgreSQL, one of the replicas holds a lease. SQLite leaves its
 * log only if nobody else has the file open; a gateway turns it on again when it starts.
 *
 * @throws {Fault} `conflict` while a gateway runs, `not_found` for a database without data
 */
export async function refuseRunning(dialect: Dialect, db: Kysely<Tables>, nowMs: number): Promise<void> {
  if ((await migrationsIn(db)) === undefined) throw new Fault('not_found', 'The database contains no gateway data.');
  const isRunning =
    dialect === 'postgres'
      ? await db.selectFrom('leases').select('name').where('expires_at_ms', '>', nowMs).executeTakeFirst()
      : !(await sql`pragma journal_mode = delete`.execute(db).then(
          () => true,
          (thrown: unknown) => !isLocked(thrown),
        ));
  if (!isRunning) return;
  const message =
    'A gateway is running with this database. Stop all replicas first. If one was killed, wait for 15 seconds.';
  throw new Fault('conflict', message);
}

const isLocked = (thrown: unknown): boolean => thrown instanceof Error && /locked/.test(thrown.message);

/**
 * Seals all secrets with another secret, all or none. Messages between replicas, which nobody could open any more, are removed.
 * @returns how many were sealed
 * @throws {Fault} `internal` for one that `before` does not open
 */
export async function resealSecrets(db: Kysely<Tables>, before: Uint8Array, after: Uint8Array): Promise<number> {
  const [open, seal] = [sealerOf(before), sealerOf(after)];
  return db.transaction().execute(async (transaction) => {
    const rows = await transaction.selectFrom('secrets').selectAll().execute();
    for (const { kind, id, name, sealed } of rows) {
      const place = placeOf(kind, id, name);
      const clear = open.open(sealed, place);
      if (typeof clear !== 'string') {
        const message =
          'A stored credential was encrypted with another secret. Check --secret-file. Nothing was changed.';
        throw new Fault('internal', message);
      }
      await transaction
        .updateTable('secrets')
        .set({ sealed: seal.seal(clear, place) })
        .where('kind', '=', kind)
        .where('id', '=', id)
        .where('name', '=', name)
        .execute();
    }
    await transaction.deleteFrom('replica_messages').execute();
    return rows.length;
  });
}
