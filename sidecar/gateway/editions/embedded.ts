import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ConfigFacts,
  GatewayStart,
  PersonalGateway,
  PersonalGatewayDeps,
} from '../../launch/gateway/gatewayContract.ts';
import { type Children, openChildren } from '../../platform/children/children.ts';
import { sweepChildren } from '../../platform/children/registry.ts';
import { Fault } from '../../platform/faults.ts';
import { endOtherAdminKeys, keepAdminKey } from '../auth/adminKey.ts';
import { type Gateway, openGateway } from '../gateway.ts';
import { openConfigFacts } from './configFacts.ts';
import { type Configured, openConfigured } from './configStore.ts';
import { readSealingSecret } from './sealingSecret.ts';
import { servingOf } from './serverOptions.ts';
import { openSessionKeys, type SessionKeys } from './sessionKeys.ts';

interface Running {
  readonly gateway: Gateway;
  readonly configured: Configured;
  readonly sessionKeys: SessionKeys;
  readonly children: Children;
  readonly facts: () => Promise<ConfigFacts>;
}

/** In the data directory. It need not be there. */
const CONFIG_FILE = 'switchboard.jsonc';

/**
 * One person's gateway: loopback, SQLite in the data directory, the same port each time where that is free. It follows the
 * configuration file of the data directory; one that is wrong at the start keeps it from starting, since what it says may
 * be what protects.
 */
export function openEmbeddedGateway(deps: PersonalGatewayDeps): PersonalGateway {
  const { runtime, dataDir } = deps;
  const { clock, timers, newId, random, log } = runtime;
  const file = join(dataDir, CONFIG_FILE);
  const trust = { isTrusted: false, allowedCommands: [] as readonly string[] };
  /** Of the configuration file: who wrote them there may run them. */
  let programs: () => readonly string[] = () => [];
  let running: Promise<Running> | undefined;
  let secret: string | undefined;

  async function start(request: GatewayStart): Promise<{ readonly baseUrl: string }> {
    if (request.secret !== undefined) log.hide(request.secret);
    log.hide(request.adminKey);
    trust.isTrusted ||= request.isTrusted;
    if (request.isTrusted && request.allowedCommands) trust.allowedCommands = request.allowedCommands;
    if (running && request.secret !== secret) {
      throw new Fault('conflict', 'The gateway runs with the secrets of another editor. Stop the host, and try again.');
    }
    if (!running) {
      secret = request.secret;
      running = open(request).catch((thrown: unknown) => {
        running = undefined;
        throw thrown;
      });
    }
    const { gateway } = await running;
    await keepAdminKey(gateway.store, request.adminKey, clock.now(), newId);
    return { baseUrl: gateway.baseUrl };
  }

  async function open(request: GatewayStart): Promise<Running> {
    const registry = join(dataDir, 'gateway-children.json');
    sweepChildren(registry);
    const children = openChildren(registry, clock.now);
    const portFile = join(dataDir, 'gateway.port');
    const before = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0;
    const configured = await openConfigured({ file, isOptional: true, env: process.env, runtime });
    const { config } = configured;
    programs = configured.programs;
    const serving = await servingOf(config, { env: process.env, folder: configured.folder }, log);
    // It listens on this machine alone, whatever the file says of that.
    // Whoever reaches it is one person, whose programs may have old keys.
    const atHome = {
      throttle: undefined,
      publicUrl: undefined,
      allowedHosts: [],
      allowedOrigins: [],
      trustedProxies: [],
    };
    const wanted = config.listen.port || (Number.isInteger(before) ? before : 0);
    const openAt = (port: number) =>
      openGateway({
        ...serving,
        ...atHome,
        database: { kind: 'sqlite', file: join(dataDir, 'gateway.db') },
        secret:
          request.secret === undefined
            ? readSealingSecret(join(dataDir, 'gateway.secret'), random)
            : Buffer.from(request.secret, 'base64'),
        adminKey: request.adminKey,
        listen: { host: '127.0.0.1', port },
        prepare: configured.apply,
        defaultAccess: config.default_access ?? 'all',
        guardrails: configured.guardrails,
        stdio: {
          get isTrusted() {
            return trust.isTrusted;
          },
          get allowedCommands() {
            return [...trust.allowedCommands, ...programs()];
          },
        },
        pagesFolder: deps.pagesFolder,
        children,
        env: process.env,
        runtime,
        version: deps.build.version,
      });
    const gateway = await openAt(wanted)
      .catch((thrown: unknown) => {
        // Another program may have the port by now; clients learn of the new one from the editor.
        if (wanted === 0) throw thrown;
        return openAt(0);
      })
      .catch(async (thrown: unknown) => {
        await configured.close();
        throw thrown;
      });
    writeFileSync(portFile, new URL(gateway.baseUrl).port, { mode: 0o600 });
    try {
      const { store } = gateway;
      await endOtherAdminKeys(store, request.adminKey);
      const sessionKeys = await openSessionKeys({ keys: store.key, clock, newId, random });
      const facts = openConfigFacts({ gateway, key: () => request.adminKey, clock, timers, log });
      return { gateway, configured, sessionKeys, children, facts };
    } catch (thrown) {
      await configured.close();
      await gateway.close(0);
      throw thrown;
    }
  }

  return {
    start,
    async sessionTools(session) {
      const { gateway, sessionKeys } = (await running) ?? {};
      if (!gateway || !sessionKeys) return undefined;
      const { total } = await gateway.store.mcp_server.list({ limit: 1 });
      return total === 0 ? undefined : { url: `${gateway.baseUrl}/mcp`, key: await sessionKeys.keyOf(session) };
    },
    async sessionEnded(session) {
      await (await running)?.sessionKeys.end(session);
    },
    facts: async () => (await running)?.facts(),
    async close() {
      const { gateway, configured, children } = (await running?.catch(() => undefined)) ?? {};
      await configured?.close();
      await gateway?.close();
      await children?.stopAll();
    },
  };
}
