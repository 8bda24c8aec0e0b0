import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CheckedPart, CheckOptions } from '../../../launch/gateway/upkeepContract.ts';
import { Fault } from '../../../platform/faults.ts';
import { GatewayConfig } from '../../../protocol/gateway/config.ts';
import { loadConfig } from '../../configuration/loadConfig.ts';
import { sentencesOf } from '../../configuration/sentences.ts';
import { wantedRecords } from '../../configuration/wanted.ts';
import { opensAll } from '../../storage/backup/resealSecrets.ts';
import { layoutOf } from '../../storage/database/layout.ts';
import { migrationsIn } from '../../storage/database/migrate.ts';
import { ownSecretFile, readExistingSecret } from '../sealingSecret.ts';
import { certificateFiles, readCertificate } from '../serverOptions.ts';
import { CheckedStores } from './checkedStores.ts';
import { checkServers } from './checkServers.ts';
import { addressOf, withDatabase } from './connected.ts';

const ok = (part: string, message: string): CheckedPart => ({ part, state: 'ok', message });
const warning = (part: string, message: string): CheckedPart => ({ part, state: 'warning', message });
const failed = (part: string, message: string): CheckedPart => ({ part, state: 'failed', message });

/** Every part that a gateway needs, one after another: what is wrong with one does not hide another. */
export async function checkGateway(options: CheckOptions): Promise<readonly CheckedPart[]> {
  const { parts, config, folder } = await checkConfiguration(options);
  const { deadline, env } = options;
  const own = [...parts, ...checkCertificate(config, folder), ...(await checkDatabase(options))];
  if (!deadline) return own;
  const servers = await checkServers(config, { path: env['PATH'] ?? '', folder, deadline });
  const { checkServices } = await import('./checkServices.ts');
  return [...own, ...servers, ...(await checkServices(config, { sources: { env, folder }, deadline }))];
}

interface CheckedConfiguration {
  readonly parts: readonly CheckedPart[];
  readonly config: GatewayConfig;
  readonly folder: string;
}

async function checkConfiguration({ config: named, env, deadline }: CheckOptions): Promise<CheckedConfiguration> {
  const part = 'configuration';
  const file = resolve(named ?? 'switchboard.jsonc');
  const nothing = { config: GatewayConfig.parse({}), folder: dirname(file) };
  if (named === undefined && !existsSync(file))
    return { parts: [warning(part, 'There is no switchboard.jsonc in this folder.')], ...nothing };
  const { result, notes, text = '' } = await loadConfig(file);
  if (!('config' in result))
    return { parts: [failed(part, sentencesOf(file, text, result.problems).join('\n'))], ...nothing };
  const { folder } = nothing;
  const stores =
    result.config.secret_stores && new CheckedStores(result.config.secret_stores, { env, folder }, deadline);
  const { findings } = await wantedRecords(result.config, { env, folder, stores });
  const missing = sentencesOf(file, text, findings).map((it) => failed(part, it));
  const warnings = sentencesOf(file, text, result.warnings).map((it) => warning(part, it));
  const imported = notes.map((it) => warning(part, `${it.file}: ${it.path}: ${it.message}`));
  const parts = [...missing, ...warnings, ...imported, ...((await stores?.close()) ?? [])];
  return {
    parts: missing.length > 0 ? parts : [ok(part, `${file} has no errors.`), ...parts],
    config: result.config,
    folder: nothing.folder,
  };
}

/** Whether the certificate and the private key can be read and match. */
function checkCertificate(config: GatewayConfig, folder: string): readonly CheckedPart[] {
  const files = certificateFiles(config, folder);
  if (!files) return [];
  try {
    const { cert, key } = readCertificate(files);
    const certificate = new X509Certificate(cert);
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      return [failed('certificate', 'The certificate and the private key in listen.tls do not match.')];
    return [ok('certificate', `The certificate is valid until ${certificate.validTo}.`)];
  } catch (thrown) {
    const why =
      thrown instanceof Fault ? thrown.message : 'The certificate or key in listen.tls is not a valid PEM file.';
    return [failed('certificate', why)];
  }
}

async function checkDatabase(options: CheckOptions): Promise<readonly CheckedPart[]> {
  try {
    const address = addressOf(options);
    if (address.kind === 'sqlite' && !existsSync(address.file))
      return [ok('database', 'There is no database yet. The gateway creates it when it starts.')];
    return await withDatabase(address, { isReader: true }, async (db) => {
      const run = (await migrationsIn(db)) ?? [];
      const layout = layoutOf(run);
      if (layout === 'later')
        return [failed('database', 'The gateway database was written by a later version. Update Switchboard.')];
      if (run.length === 0) return [ok('database', 'The database is empty. The gateway fills it when it starts.')];
      const database =
        layout === 'current'
          ? ok('database', 'The database responds and has the layout of this version.')
          : warning(
              'database',
              'The database was written by an earlier version. The gateway migrates it when it starts.',
            );
      return [database, await checkSecret(options, (secret) => opensAll(db, secret))];
    });
  } catch (thrown) {
    if (!(thrown instanceof Fault)) return [failed('database', 'The database cannot be read.')];
    return [failed('database', thrown.message)];
  }
}

async function checkSecret(
  { secret, dataDir }: CheckOptions,
  opens: (secret: Uint8Array) => Promise<boolean>,
): Promise<CheckedPart> {
  const part = 'sealing secret';
  try {
    const isRight = await opens(readExistingSecret(secret ?? ownSecretFile(dataDir)));
    return isRight
      ? ok(part, 'The sealing secret opens all stored credentials.')
      : failed(part, 'Stored credentials were encrypted with another secret. Check --secret-file.');
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return failed(part, thrown.message);
  }
}
