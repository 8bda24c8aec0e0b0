import { existsSync } from 'node:fs';
import type { GatewayStorage } from '../../../launch/gateway/upkeepContract.ts';
import { Fault } from '../../../platform/faults.ts';
import { connectDatabase, type DatabaseAddress } from '../../storage/database/database.ts';
import { reachPostgres } from '../../storage/database/reachPostgres.ts';
import { readAddress } from '../databaseAddress.ts';
import { embeddedFile } from '../embeddedFile.ts';

type Connected = Awaited<ReturnType<typeof connectDatabase>>;

/** @throws {Fault} `invalid_params` for a file that contains no address */
export const addressOf = ({ dataDir, database }: GatewayStorage): DatabaseAddress =>
  readAddress(database) ?? { kind: 'sqlite', file: embeddedFile(dataDir) };

/**
 * Works with an existing database, which is not migrated.
 * @throws {Fault} `not_found` for no file of SQLite, `unavailable` where PostgreSQL does not answer; as `work`
 */
export async function withDatabase<T>(
  address: DatabaseAddress,
  options: { readonly isReader: boolean },
  work: (db: Connected['db']) => Promise<T>,
): Promise<T> {
  if (address.kind === 'sqlite' && !existsSync(address.file))
    throw new Fault(
      'not_found',
      'The data directory contains no gateway database. Check --data-dir and --database-file.',
    );
  if (address.kind === 'postgres' && !(await reachPostgres(address.url)).isThere)
    throw new Fault('unavailable', 'The PostgreSQL database does not respond.');
  const { db, close } = await connectDatabase(address, options);
  try {
    return await work(db);
  } finally {
    await close();
  }
}
