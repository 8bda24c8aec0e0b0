import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import type { GatewayUpkeep } from '../../../launch/gateway/upkeepContract.ts';
import { Fault } from '../../../platform/faults.ts';
import { opensAll, refuseRunning, resealSecrets } from '../../storage/backup/resealSecrets.ts';
import { ownSecretFile, readExistingSecret, writeNewSecret } from '../sealingSecret.ts';
import { addressOf, withDatabase } from './connected.ts';

/**
 * The new secret is on the disk before anything is sealed with it, and takes the place of the old one afterwards. A rotation that was
 * killed in between is finished by the next one.
 */
export const rotateSecret: GatewayUpkeep['rotateSecret'] = async (options) => {
  const file = options.secret ?? ownSecretFile(options.dataDir);
  const before = readExistingSecret(file);
  const next = `${file}.new`;
  const kept = `${file}.until-${new Date(options.nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  if (existsSync(kept)) throw new Fault('already_exists', 'The file for the old secret already exists. Try again.');
  const address = addressOf(options);
  const sealed = await withDatabase(address, { isReader: false }, async (db) => {
    await refuseRunning(address.kind, db, options.nowMs);
    const begun = existsSync(next) ? readExistingSecret(next) : undefined;
    const names = await db.selectFrom('secrets').select('name').execute();
    if (begun && names.length > 0 && (await opensAll(db, begun))) return names.length;
    rmSync(next, { force: true });
    return resealSecrets(db, before, writeNewSecret(next, options.random));
  }).catch((thrown: unknown) => {
    throw thrown instanceof Fault ? thrown : unreadable(thrown);
  });
  // The file exists at every moment, because a gateway without one creates a new secret.
  copyFileSync(file, kept, constants.COPYFILE_EXCL);
  renameSync(next, file);
  return { sealed, file, kept };
};

const unreadable = (cause: unknown) =>
  new Fault('unavailable', 'The secrets in the database could not be re-encrypted. Nothing was changed.', { cause });
