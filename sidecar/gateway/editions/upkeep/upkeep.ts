import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { GatewayUpkeep, RowCounts } from '../../../launch/gateway/upkeepContract.ts';
import { Fault } from '../../../platform/faults.ts';
import { readBackup } from '../../storage/backup/readBackup.ts';
import { writeBackup } from '../../storage/backup/writeBackup.ts';
import { connectDatabase } from '../../storage/database/database.ts';
import { checkGateway } from './check.ts';
import { addressOf, withDatabase } from './connected.ts';
import { rotateSecret } from './rotateSecret.ts';

export const gatewayUpkeep: GatewayUpkeep = {
  check: checkGateway,
  rotateSecret,
  backup(storage, file, version, at) {
    const address = addressOf(storage);
    return withDatabase(address, { isReader: true }, (db) =>
      writeBackup({ dialect: address.kind, db, file, version, at }),
    );
  },
  async restore(storage, file) {
    const address = addressOf(storage);
    if (!existsSync(file)) throw new Fault('not_found', 'The backup file does not exist.');
    if (address.kind === 'postgres')
      return withDatabase(address, { isReader: false }, (db) => readBackup(address.kind, db, file));
    return restoreFile(address.file, file);
  },
};

/** A file of SQLite appears under its name when all of the backup is in it. */
async function restoreFile(target: string, file: string) {
  if (existsSync(target))
    throw new Fault(
      'conflict',
      'The data directory already contains a gateway database. Restore to another directory.',
    );
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const partial = `${target}.restoring`;
  const remove = () => {
    for (const it of ['', '-wal', '-shm']) rmSync(`${partial}${it}`, { force: true });
  };
  remove(); // an earlier attempt that was killed
  try {
    const { db, close } = await connectDatabase({ kind: 'sqlite', file: partial }, { isReader: false });
    let rows: RowCounts;
    try {
      rows = await readBackup('sqlite', db, file);
    } finally {
      await close();
    }
    renameSync(partial, target);
    return rows;
  } catch (thrown) {
    remove();
    throw thrown;
  }
}
