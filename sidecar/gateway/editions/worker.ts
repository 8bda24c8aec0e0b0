import type { GatewayWorkerDeps } from '../../launch/gateway/gatewayContract.ts';
import { Fault } from '../../platform/faults.ts';
import { openWorkerLink } from '../cluster/workers/workerLink.ts';
import { openGateway } from '../gateway.ts';
import type { DatabaseAddress } from '../storage/database/database.ts';
import { watchCertificate } from './certificate.ts';
import { openConfigured } from './configStore.ts';
import { readAddress } from './databaseAddress.ts';
import { ownSecretFile, readSealingSecret } from './sealingSecret.ts';
import { certificateFiles, servingOf } from './serverOptions.ts';
import { readAdminKey } from './standalone.ts';

/**
 * A process that judges and relays calls for a gateway: its owner has everything else. It reads the same configuration, and
 * applies nothing of it.
 *
 * @param sqlite the owner's database where no other is named
 */
export async function runWorker(deps: GatewayWorkerDeps, sqlite: DatabaseAddress): Promise<void> {
  const { files, dataDir, env, runtime, build, listen, outlet, owner, left } = deps;
  const configured = await openConfigured({ file: files.config, env, runtime });
  const { config, folder, sources, secretOf } = configured;
  outlet.setLevel(config.logs.level);
  const certificate = { close: () => {} };
  const link = await openWorkerLink(owner, runtime, () => {
    certificate.close();
    void configured.close().finally(left);
  });
  outlet.add({ write: (text) => link.line(text), writeNow: () => link.flush() });
  const adminKey = readAdminKey(files, env);
  if (adminKey !== undefined) runtime.log.hide(adminKey);
  const serving = await servingOf(config, sources, runtime.log, listen);
  const database = readAddress(files.database);
  const gateway = await openGateway({
    ...serving,
    throttle: undefined, // the owner counts wrong keys
    listen: { ...serving.listen, port: link.port, handed: 'raw', onServer: (server) => link.serveOn(server) },
    ...(database ? { database } : { database: sqlite, openDatabase: () => link.openDatabase() }),
    secret: readSealingSecret(files.secret ?? ownSecretFile(dataDir), runtime.random),
    owner: link,
    ...(adminKey !== undefined && { adminKey }),
    guardrails: () => link.guardrails(),
    secretOf,
    credentialRefused: configured.credentialRefused && (() => link.credentialRefused()),
    stdio: { isTrusted: false, allowedCommands: [] },
    children: noChildren,
    env,
    runtime,
    version: build.version,
  });
  const watched = watchCertificate({
    files: certificateFiles(config, folder),
    renew: (tls) => gateway.renewCertificate(tls),
    log: runtime.log,
  });
  certificate.close = () => watched.close();
}

const noProgram = () => Promise.reject(new Fault('unavailable', 'A worker of the gateway does not start programs.'));
const noChildren = { spawn: noProgram, openPty: noProgram, list: () => [], stopAll: () => Promise.resolve() };
