import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CallGate,
  ConfigFacts,
  EmbeddedGatewayDeps,
  GatewayStart,
  OfferedAgent,
  OfferedModel,
  RecordedCall,
} from '../../launch/gateway/gatewayContract.ts';
import { type Children, openChildren } from '../../platform/children/children.ts';
import { endingChildren } from '../../platform/children/endingChildren.ts';
import { sweepChildren } from '../../platform/children/registry.ts';
import { endOtherAdminKeys } from '../auth/adminKey.ts';
import { openGateway } from '../gateway.ts';
import type { Gateway, GatewayOptions } from '../options.ts';
import { openConfigFacts } from './configFacts.ts';
import { type Configured, openConfigured } from './configStore.ts';
import { embeddedFile } from './embeddedFile.ts';
import { followAgents } from './followAgents.ts';
import { followModels } from './followModels.ts';
import { recordedCall } from './recordedCall.ts';
import { ownSecretFile, readSealingSecret } from './sealingSecret.ts';
import { processLimits, servingOf } from './serverOptions.ts';
import { openSessionKeys, type SessionKeys } from './sessionKeys.ts';

/** What runs once a window has started the gateway. */
export interface Running {
  readonly gateway: Gateway;
  readonly configured: Configured;
  readonly sessionKeys: SessionKeys;
  readonly children: Children;
  readonly facts: () => Promise<ConfigFacts>;
}

/** Which programs a window lets the gateway start; it may say more while the gateway runs. */
export interface WindowTrust {
  readonly isTrusted: boolean;
  readonly allowedCommands: readonly string[];
}

/** How the host takes part in calls that are made under the keys of its sessions. */
export interface SessionCalls {
  readonly gate: () => CallGate | undefined;
  readonly onCall: (call: RecordedCall) => void;
  readonly onAgents: (agents: readonly OfferedAgent[]) => void;
  readonly onModels: (models: readonly OfferedModel[]) => void;
}

/** In the data directory. It need not be there. */
const CONFIG_FILE = 'switchboard.jsonc';

/** @throws {Fault} as {@link openGateway} and {@link openConfigured}; nothing runs then */
export async function openRunning(
  deps: EmbeddedGatewayDeps,
  request: GatewayStart,
  trust: WindowTrust,
  calls: SessionCalls,
): Promise<Running> {
  const { runtime, dataDir } = deps;
  const registry = join(dataDir, 'gateway-children.json');
  sweepChildren(registry);
  const children = endingChildren(openChildren(registry, runtime.clock.now));
  const file = join(dataDir, CONFIG_FILE);
  const configured = await openConfigured({ file, isOptional: true, env: process.env, runtime });
  const keys: { current?: SessionKeys } = {};
  const modelGate = gateOf((token) => keys.current?.holderOf(token), calls.gate);
  const options = await optionsOf(deps, request, configured, { trust, children, modelGate });
  const gateway = await openAtLastPort(options, dataDir, configured.config.listen.port).catch(
    async (thrown: unknown) => {
      await configured.close();
      throw thrown;
    },
  );
  try {
    const { store } = gateway;
    const { clock, timers, newId, random, log } = runtime;
    await endOtherAdminKeys(store, request.adminKey);
    const sessionKeys = await openSessionKeys({ keys: store.key, clock, newId, random });
    keys.current = sessionKeys;
    gateway.onCall((call) => {
      const recorded = recordedCall(sessionKeys, call);
      if (recorded) calls.onCall(recorded);
    });
    const { defaultAccess, cloudAgents } = options(0);
    const hasCloud = cloudAgents !== undefined;
    const isOpenToAll = defaultAccess !== 'none';
    await followAgents({ store, log, isOpenToAll, hasCloud }, calls.onAgents);
    await followModels({ gateway, log, isOpenToAll }, calls.onModels);
    const facts = openConfigFacts({ gateway, key: () => request.adminKey, clock, timers, log });
    return { gateway, configured, sessionKeys, children, facts };
  } catch (thrown) {
    await configured.close();
    await gateway.close(0);
    throw thrown;
  }
}

type ModelGate = NonNullable<GatewayOptions['modelGate']>;

/** Asks the host only about calls that are made under the keys of its sessions. */
function gateOf(holderOf: SessionKeys['holderOf'], gate: SessionCalls['gate']): ModelGate {
  return {
    limitsCost(token) {
      const { session } = holderOf(token) ?? {};
      return session !== undefined && gate()?.limitsCost(session) === true;
    },
    admit(token, call) {
      const { session, chat } = holderOf(token) ?? {};
      return session === undefined || chat === undefined ? undefined : gate()?.admit({ ...call, session, chat });
    },
  };
}

type OptionsAtPort = (port: number) => GatewayOptions;

async function optionsOf(
  deps: EmbeddedGatewayDeps,
  request: GatewayStart,
  { config, sources, credentialRefused, apply, guardrails, secretOf, programs }: Configured,
  {
    trust,
    children,
    modelGate,
  }: { readonly trust: WindowTrust; readonly children: Children; readonly modelGate: ModelGate },
): Promise<OptionsAtPort> {
  const { runtime, dataDir, pagesFolder, build } = deps;
  const serving = await servingOf(config, sources, runtime.log);
  // It listens on this machine alone, whatever the file says of that.
  // Whoever reaches it is one person, whose programs may have old keys.
  const atHome = {
    throttle: undefined,
    otlp: undefined, // nothing leaves a person's editor
    signIn: undefined,
    publicUrl: undefined,
    allowedHosts: [],
    allowedOrigins: [],
    trustedProxies: [],
  };
  return (port) => ({
    ...serving,
    ...atHome,
    database: { kind: 'sqlite', file: embeddedFile(dataDir) },
    secret:
      request.secret === undefined
        ? readSealingSecret(ownSecretFile(dataDir), runtime.random)
        : Buffer.from(request.secret, 'base64'),
    adminKey: request.adminKey,
    listen: { host: '127.0.0.1', port },
    prepare: apply,
    defaultAccess: config.default_access ?? 'all',
    guardrails,
    secretOf,
    credentialRefused,
    modelGate,
    stdio: {
      get isTrusted() {
        return trust.isTrusted;
      },
      // Who wrote programs into the configuration file may run them.
      get allowedCommands() {
        return [...trust.allowedCommands, ...programs()];
      },
      ...processLimits(config),
    },
    pagesFolder,
    children,
    env: process.env,
    runtime,
    version: build.version,
  });
}

/** At the configured port, else at that of the last time, where it is free: clients learn of another one from the editor. */
async function openAtLastPort(options: OptionsAtPort, dataDir: string, configured: number): Promise<Gateway> {
  const portFile = join(dataDir, 'gateway.port');
  const before = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0;
  const wanted = configured || (Number.isInteger(before) ? before : 0);
  const gateway = await openGateway(options(wanted)).catch((thrown: unknown) => {
    if (wanted === 0) throw thrown;
    return openGateway(options(0));
  });
  writeFileSync(portFile, new URL(gateway.baseUrl).port, { mode: 0o600 });
  return gateway;
}
