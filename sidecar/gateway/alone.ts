import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { GatewayFiles, LoneGateway, LoneGatewayDeps } from '../launch/gatewayContract.ts';
import { openChildren } from '../platform/children/children.ts';
import { sweepChildren } from '../platform/children/registry.ts';
import { Fault } from '../platform/faults.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/logger.ts';
import { GatewayConfig } from '../protocol/gateway/config.ts';
import { newKey } from './callers/keys.ts';
import { CurrentGuardrails } from './configuration/currentGuardrails.ts';
import { loadConfig } from './configuration/loadConfig.ts';
import { findSecret, type SecretSources } from './configuration/secretSources.ts';
import { followConfig } from './followConfig.ts';
import { openGateway } from './gateway.ts';
import { keepAdminKey } from './keepAdminKey.ts';
import type { GatewayOptions } from './options.ts';
import { readSealingSecret } from './sealingSecret.ts';
import type { DatabaseAddress } from './storage/database.ts';

/** The gateway of a team: its files are named on the command line, its secrets stand in none of it. */
export async function runAlone(deps: LoneGatewayDeps): Promise<LoneGateway> {
  const { files, dataDir, env, log, clock, build } = deps;
  const random = (bytes: number) => randomBytes(bytes);
  const file = files.config === undefined ? undefined : resolve(files.config);
  const config = file === undefined ? GatewayConfig.parse({}) : await readFileConfig(file);
  // Before anything is served: no call passes without them.
  const guardrails = new CurrentGuardrails(config.guardrails);
  const { listen } = config;
  const adminKey = readAdminKey(files, env);
  for (const it of [adminKey]) if (it !== undefined) log.hide(it);
  const registry = join(dataDir, 'gateway-children.json');
  sweepChildren(registry);
  const children = openChildren(registry, clock.now);
  const gateway = await openGateway({
    database: readAddress(files.database, dataDir),
    secret: readSealingSecret(files.secret ?? join(dataDir, 'gateway.secret'), random),
    ...(adminKey !== undefined && { adminKey }),
    listen: {
      host: listen.host,
      port: listen.port,
      allowInsecure: listen.allow_insecure,
      ...(listen.tls && {
        tls: { cert: readText(listen.tls.cert_file, 'cert_file'), key: readText(listen.tls.key_file, 'key_file') },
      }),
    },
    publicUrl: config.public_url,
    allowedHosts: config.allowed_hosts,
    allowedOrigins: config.allowed_origins,
    trustedProxies: config.trusted_proxies,
    trustedRedirects: config.trusted_redirects,
    defaultAccess: config.default_access ?? 'none',
    emptyListInherits: config.empty_list_inherits,
    separator: config.separator,
    alwaysPrefix: config.always_prefix,
    stdio: { isTrusted: true, allowedCommands: config.stdio.allowed_commands },
    guardrails: () => guardrails.now,
    cloudAgents: await readCloudAgents(config, { env, folder: dirname(file ?? '.') }, log),
    caller: {
      subscriptionKeyHeaders: config.caller.subscription_key_headers,
      ...(config.caller.end_user_header !== undefined && { endUserHeader: config.caller.end_user_header }),
    },
    pagesFolder: deps.pagesFolder,
    children,
    env,
    clock,
    newId,
    random,
    log,
    version: build.version,
  });
  try {
    const { store } = gateway;
    const following = file && (await followConfig({ store, file, guardrails, env, clock, newId, log }));
    const newAdminKey = adminKey === undefined ? await firstAdminKey(gateway.store, clock.now(), random) : undefined;
    return {
      baseUrl: gateway.baseUrl,
      newAdminKey,
      async close() {
        if (following) await following.close();
        await gateway.close();
        await children.stopAll();
      },
    };
  } catch (thrown) {
    await gateway.close(0);
    throw thrown;
  }
}

/** At the first start somebody has to be able to get in. */
async function firstAdminKey(
  store: Parameters<typeof keepAdminKey>[0],
  now: string,
  random: (bytes: number) => Uint8Array,
): Promise<string | undefined> {
  const { items } = await store.key.list({});
  if (items.some((it) => it.role === 'proxy_admin')) return undefined;
  const key = newKey(random);
  await keepAdminKey(store, key, now, newId);
  return key;
}

/** @throws {Fault} `invalid_params` with the first mistake and its place */
async function readFileConfig(file: string): Promise<GatewayConfig> {
  const { result } = await loadConfig(file);
  if ('config' in result) return result.config;
  const [first] = result.problems;
  throw new Fault('invalid_params', `${file}: ${first?.message ?? 'cannot be read'}`, { data: result.problems });
}

/** @throws {Fault} `invalid_params` for a credential that is not there */
async function readCloudAgents(
  { cloud_agents: it }: GatewayConfig,
  sources: SecretSources,
  log: Log,
): Promise<GatewayOptions['cloudAgents']> {
  if (!it) return undefined;
  const service = { upstreamUrl: it.upstream_url, prefix: it.prefix };
  if (!it.credential) return service;
  const found = await findSecret(it.credential, sources);
  if ('missing' in found) {
    const field = 'cloud_agents.credential';
    throw new Fault('invalid_params', `${field}: ${found.missing}`, { data: { field } });
  }
  log.hide(found.value);
  return { ...service, credential: found.value };
}

function readAdminKey({ adminKey }: GatewayFiles, env: LoneGatewayDeps['env']): string | undefined {
  return adminKey === undefined ? env['SWITCHBOARD_ADMIN_KEY'] : readText(adminKey, '--admin-key-file').trim();
}

/** A file with `postgres://…`; without one the embedded store. */
function readAddress(path: string | undefined, dataDir: string): DatabaseAddress {
  if (path === undefined) return { kind: 'sqlite', file: join(dataDir, 'gateway.db') };
  const url = readText(path, '--database-file').trim();
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    throw new Fault(
      'invalid_params',
      'The file of --database-file must hold an address that begins with postgres://.',
      {
        data: { field: '--database-file' },
      },
    );
  }
  return { kind: 'postgres', url };
}

function readText(path: string, field: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Fault('invalid_params', `The file of ${field} cannot be read.`, { data: { field }, cause });
  }
}
