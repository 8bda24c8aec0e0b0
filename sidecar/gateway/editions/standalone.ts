import type { Server } from 'node:http';
import { join } from 'node:path';
import type { GatewayFiles, StandaloneGateway, StandaloneGatewayDeps } from '../../launch/gateway/gatewayContract.ts';
import { openChildren } from '../../platform/children/children.ts';
import { endingChildren } from '../../platform/children/endingChildren.ts';
import { sweepChildren } from '../../platform/children/registry.ts';
import { makeFirstAdminKey } from '../auth/adminKey.ts';
import { newKey } from '../auth/keys.ts';
import { openGateway } from '../gateway.ts';
import { checkProtection } from '../http/listen.ts';
import type { GatewayOptions } from '../options.ts';
import type { DatabaseAddress } from '../storage/database/database.ts';
import { awaitDatabase } from './awaitDatabase.ts';
import { watchCertificate } from './certificate.ts';
import { type Configured, openConfigured } from './configStore.ts';
import { readAddress } from './databaseAddress.ts';
import { type Logs, openLogs } from './openLogs.ts';
import { ownSecretFile, readSealingSecret } from './sealingSecret.ts';
import { certificateFiles, processLimits, readText, servingOf } from './serverOptions.ts';

/**
 * The gateway of a team: its files are named on the command line, its secrets stand in none of it.
 *
 * @param embedded where no other database is named
 */
export async function runStandalone(
  deps: StandaloneGatewayDeps,
  embedded: DatabaseAddress,
): Promise<StandaloneGateway> {
  const { files, env, runtime } = deps;
  const configured = await openConfigured({ file: files.config, env, runtime });
  const logs = await openLogs(configured.config, { ...deps, folder: configured.folder, sources: configured.sources });
  try {
    const gateway = await runConfigured(deps, embedded, configured, logs.dropped);
    return {
      ...gateway,
      async close(how) {
        await gateway.close(how);
        await logs.close();
      },
    };
  } catch (thrown) {
    await logs.close();
    throw thrown;
  }
}

async function runConfigured(
  deps: StandaloneGatewayDeps,
  embedded: DatabaseAddress,
  configured: Configured,
  droppedLogLines: Logs['dropped'],
): Promise<StandaloneGateway> {
  const { files, dataDir, env, runtime, build, listen, pagesFolder } = deps;
  const { clock, newId, random, log } = runtime;
  const { config } = configured;
  const adminKey = readAdminKey(files, env);
  if (adminKey !== undefined) log.hide(adminKey);
  const registry = join(dataDir, 'gateway-children.json');
  sweepChildren(registry);
  const children = endingChildren(openChildren(registry, clock.now));
  const serving = await servingOf(config, configured.sources, log, listen);
  const database = readAddress(files.database) ?? embedded;
  await awaitDatabase(database, serving.listen, build.version, runtime);
  const workers = await workersOf(deps, serving.listen, configured);
  const gateway = await openGateway({
    ...serving,
    ...workers,
    database,
    secret: readSealingSecret(files.secret ?? ownSecretFile(dataDir), random),
    ...(adminKey !== undefined && { adminKey }),
    prepare: configured.apply,
    guardrails: configured.guardrails,
    secretOf: configured.secretOf,
    credentialRefused: configured.credentialRefused,
    stdio: {
      isTrusted: true,
      allowedCommands: config.stdio.allowed_commands,
      wantsVersions: true,
      ...processLimits(config),
    },
    pagesFolder,
    droppedLogLines,
    checksHealth: true,
    children,
    env,
    runtime,
    version: build.version,
  }).catch(async (thrown: unknown) => {
    await workers?.workers.close(0, 0);
    await configured.close();
    throw thrown;
  });
  const certificate = watchCertificate({
    files: certificateFiles(config, configured.folder),
    renew: (tls) => gateway.renewCertificate(tls),
    log,
  });
  const end = async (graceMs: number, leaveMs: number) => {
    certificate.close();
    await configured.close();
    await gateway.close(graceMs, leaveMs);
    await children.stopAll();
  };
  try {
    const newAdminKey =
      adminKey === undefined ? await makeFirstAdminKey(gateway.store, newKey(random), clock.now(), newId) : undefined;
    const { leave_s, grace_s } = config.shutdown;
    return {
      baseUrl: gateway.baseUrl,
      newAdminKey,
      async reload() {
        certificate.look();
        await configured.reload();
      },
      async close({ isUrgent }) {
        const leavesFor = isUrgent ? 0 : leave_s;
        log.info(
          { leave_s: leavesFor, grace_s },
          'The gateway is draining. It will serve requests for the number of seconds in leave_s and then stop.',
        );
        await end(grace_s * 1_000, leavesFor * 1_000);
        log.info({}, 'The gateway stopped. All calls were completed or aborted, and all records were written.');
      },
    };
  } catch (thrown) {
    await end(0, 0);
    throw thrown;
  }
}

/** The options of a gateway with workers. @throws {Fault} `unavailable` where the port is taken */
async function workersOf(
  { workers: wanted, outlet, runtime }: StandaloneGatewayDeps,
  listen: GatewayOptions['listen'],
  { guardrails, credentialRefused = () => undefined }: Configured,
) {
  if (!wanted) return undefined;
  checkProtection(listen);
  const { openWorkers } = await import('../cluster/workers/openWorkers.ts');
  const workers = await openWorkers({
    ...runtime,
    count: wanted.count,
    pipe: wanted.pipe,
    startProcess: () => wanted.start(),
    host: listen.host,
    port: listen.port,
    guardrails,
    credentialRefused,
    line: (text) => outlet.write(text),
  });
  const onServer = (server: Server) => workers.serveOn(server);
  return { workers, listen: { ...listen, port: workers.port, onServer, handed: 'plain' as const } };
}

export function readAdminKey({ adminKey }: GatewayFiles, env: StandaloneGatewayDeps['env']): string | undefined {
  return adminKey === undefined ? env['SWITCHBOARD_ADMIN_KEY'] : readText(adminKey, '--admin-key-file').trim();
}
