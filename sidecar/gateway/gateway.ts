import { createSealer, sealingKey } from '../platform/seal.ts';
import type { Guardrail } from '../protocol/gateway/guardrail.ts';
import { withMethods } from '../protocol/gateway/mcpMethods.ts';
import { a2aOptions, agentServices } from './a2a/agentServices.ts';
import { openA2aFront } from './a2a/front.ts';
import { openAccounting } from './activity/accounting.ts';
import { activityAnswers } from './activity/activityAnswers.ts';
import { spendingOf } from './activity/spending.ts';
import { keepAdminKey } from './auth/adminKey.ts';
import { Attempts } from './auth/attempts.ts';
import type { CallContext } from './auth/caller.ts';
import { defaultCredentialOptions } from './auth/credential.ts';
import { BackendSecretsCache, ownValues, registeredClients, usedStates, userTokens } from './auth/credentialStores.ts';
import { Directory } from './auth/directory.ts';
import { DraftServers } from './auth/draftServers.ts';
import { Permissions } from './auth/permissions.ts';
import { providerCredentials } from './auth/providerCredentials.ts';
import { Callers } from './auth/resolve.ts';
import { WrongKeys } from './auth/wrongKeys.ts';
import { Backends } from './backends/backends.ts';
import { McpConnections } from './backends/mcp/connections.ts';
import { Eras } from './backends/mcp/eras.ts';
import { checkCommand, stdioPolicy } from './backends/mcp/stdioPolicy.ts';
import { openStreamPool } from './backends/streamSend.ts';
import { cloudAgents } from './cloudagents/cloudAgents.ts';
import { startMaintenance } from './cluster/maintenance.ts';
import { guardrailInfo, openGuards, pinRoutes } from './guardrails/openGuardrails.ts';
import { openApp } from './http/app.ts';
import { Drain } from './http/drain.ts';
import { type FrontDoor, openFrontDoor } from './http/frontDoor.ts';
import type { Certificate } from './http/listen.ts';
import { openApi } from './http/openapi.ts';
import { openPages } from './http/pages.ts';
import { openRoutes, routes, surfaceOf } from './http/routes.ts';
import { openTrustedProxies } from './http/trustedProxies.ts';
import { openUiSessions } from './http/uiSession.ts';
import { openHealth } from './management/health.ts';
import { openManagement } from './management/management.ts';
import { ListedTools } from './mcp/aggregation/listedTools.ts';
import { type McpFront, openMcpFront } from './mcp/front.ts';
import { mcpServices } from './mcp/gatewayServices.ts';
import { defaultMcpOptions, type McpOptions } from './mcp/services.ts';
import { DelegatedSignIn } from './oauth/delegated.ts';
import { oauthFacade } from './oauth/openFacade.ts';
import type { GatewayOptions } from './options.ts';
import { type GatewayStore, openStore } from './storage/store.ts';
import { relayedMethods } from './wire/mcpMessage.ts';

export interface Gateway {
  /** Where callers reach it, without a slash at the end. */
  readonly baseUrl: string;
  readonly store: GatewayStore;
  /** For connections that begin from now on. @throws where certificate and key do not belong together */
  renewCertificate(certificate: Certificate): void;
  /**
   * For `leaveMs` it says that it leaves and still serves, so that load balancers send calls elsewhere.
   * Then it takes no new ones, ends streams that only listen, lets calls under way end for at most `graceMs`, writes what
   * is not written yet, and leaves.
   */
  close(graceMs?: number, leaveMs?: number): Promise<void>;
}

const GRACE_MS = 10_000;
const none: readonly Guardrail[] = [];

/**
 * Starts the gateway: one process of a team's, or the one of a person's editor.
 *
 * @throws {Fault} `invalid_params` for options that are not safe, `unavailable` where database or port cannot be used
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const opened: (() => Promise<void> | void)[] = [];
  const closeAll = async () => {
    for (const close of opened.toReversed()) {
      try {
        await close();
      } catch (thrown) {
        options.runtime.log.error({ thrown }, 'A part of the gateway did not end in order. The others do.');
      }
    }
  };
  try {
    return await assemble(options, opened, closeAll);
  } catch (thrown) {
    await closeAll();
    throw thrown;
  }
}

/** @param opened gets what has to be closed, in the order in which it was opened */
async function assemble(
  options: GatewayOptions,
  opened: (() => Promise<void> | void)[],
  closeAll: () => Promise<void>,
): Promise<Gateway> {
  const { secret, runtime } = options;
  const { clock, timers, newId, log, random } = runtime;
  const trustedProxies = openTrustedProxies(options.trustedProxies ?? []);
  const store = await openStore({ address: options.database, clock, secret, holder: newId() });
  opened.push(() => store.close());
  await options.prepare?.(store);
  if (options.adminKey !== undefined) await keepAdminKey(store, options.adminKey, clock.now(), newId);

  const directory = new Directory(store);
  const { wrongKeysPerMinute } = options.throttle ?? {};
  const wrongKeys = wrongKeysPerMinute ? new WrongKeys(new Attempts(wrongKeysPerMinute, clock)) : undefined;
  const callers = new Callers(directory, clock, wrongKeys);
  const emptyListInherits = options.emptyListInherits ?? false;
  const permissions = new Permissions(directory, { defaultAccess: options.defaultAccess, emptyListInherits });
  const drafts = new DraftServers(() => clock.nowMs());
  const secrets = new BackendSecretsCache(store, drafts);
  const providers = providerCredentials(store, options.env);
  const tokens = drafts.tokens(userTokens(store, clock, timers.wait));
  const backends = new Backends({
    clock,
    timers,
    newId,
    random,
    secret,
    tokens,
    clients: drafts.clients(registeredClients(store, clock, timers.wait)),
    states: usedStates(store),
    providerKey: providers.keyOf,
  });
  opened.push(() => backends.close());
  const accounting = openAccounting({ store, directory, clock, timers, newId, log, surfaceOf });
  opened.push(() => accounting.close());

  const services = { directory, permissions, backends, secrets, own: ownValues(store), drafts };
  const mcpOptions: McpOptions = {
    ...defaultMcpOptions,
    ...options.limits,
    version: options.version,
    ...(options.mcpMethods && { methods: relayedMethods(withMethods(options.mcpMethods)) }),
    ...(options.separator !== undefined && { separator: options.separator }),
    ...(options.alwaysPrefix !== undefined && { alwaysPrefix: options.alwaysPrefix }),
  };
  const stdio = stdioPolicy(options);
  const connections = new McpConnections({
    children: options.children,
    stdio,
    clock,
    timers,
    newId,
    hasOthers: store.endedSessions.hasOthers,
  });
  const listed = new ListedTools();
  const health = openHealth({
    directory,
    kept: store.serverHealth,
    backends,
    secrets,
    connections,
    listed,
    children: options.children,
    stdio,
    clock,
    timers,
    newId,
  });
  const { guardrails, hooks } = openGuards({
    store,
    backends,
    configured: options.guardrails ?? (() => none),
    definitions: (context, server) => mcp.definitions(context, server),
    listed: (serverId, tools) => listed.note(serverId, tools),
    baseUrl: () => door.baseUrl(),
    clock,
    newId,
    log,
  });
  const delegated = new DelegatedSignIn(createSealer(sealingKey(secret, 'delegated sign-in')), () => clock.nowMs());
  const mcp: McpFront = openMcpFront(
    {
      ...mcpServices(services),
      ...hooks,
      admit: (context: CallContext, ask) => accounting.admit(context, ask),
      record: (context: CallContext, first) => accounting.begin(context, first),
      connections,
      eras: new Eras(connections, runtime),
      signInDocument: (baseUrl, pathname, serverId) => delegated.address(baseUrl, pathname, serverId),
      sealer: createSealer(sealingKey(secret, 'mcp sessions')),
      clock,
      timers,
      newId,
      log,
      options: mcpOptions,
    },
    store.endedSessions,
  );
  opened.push(() => mcp.close());
  const a2a = openA2aFront({
    ...agentServices(services),
    owners: store.a2aOwners,
    admit: (context: CallContext, ask) => accounting.admit(context, ask),
    record: (context: CallContext, first) => accounting.begin(context, first),
    clock,
    timers,
    log,
    options: a2aOptions(mcpOptions),
  });
  const management = openManagement({
    store,
    directory,
    permissions,
    backends,
    tokens,
    drafts,
    clock,
    newId,
    randomBytes: random,
    spending: spendingOf({ accounting, directory, clock }),
    activity: activityAnswers(store, surfaceOf),
    health: (ids) => health.servers(ids),
    listedTools: (id) => listed.of(id),
    isAgentHealthy: (agent) => health.isAgentWell(agent),
    pins: pinRoutes(guardrails),
    checkCommand: (server) => checkCommand(server, stdio),
    guardrails: () => (options.guardrails ?? (() => none))().map(guardrailInfo),
    options: { separator: mcpOptions.separator, isRegistryOn: options.isRegistryOn ?? false, version: options.version },
  });
  const stream = openStreamPool({ headersTimeoutMs: mcpOptions.timeoutMs });
  opened.push(() => stream.close());

  let document: object | undefined;
  const openapi = () => (document ??= openApi(routes, options.version));
  const drain = new Drain(timers);
  const door: FrontDoor = await openFrontDoor(options, ({ guard, baseUrl, isSecure }) => {
    const ui = openUiSessions(createSealer(sealingKey(secret, 'ui sessions')), isSecure);
    const oauth = oauthFacade(
      {
        ...services,
        options,
        store,
        callers,
        tokens,
        mcp: mcpServices(services),
        listsChanged: () => mcp.listsChanged(),
        delegated,
        subkey: (purpose) => sealingKey(secret, purpose),
      },
      ui,
    );
    return openApp({
      callers,
      guard,
      baseUrl,
      routes: openRoutes({
        publicRoom: {
          version: options.version,
          clock,
          callers,
          ui,
          store,
          guardrails,
          openapi,
          drain,
          pages: options.pagesFolder === undefined ? undefined : openPages(options.pagesFolder),
        },
        mcp: mcp.room,
        a2a,
        oauth,
        cloudAgents: cloudAgents({
          send: stream.send,
          service: options.cloudAgents,
          credential: async () => options.cloudAgents?.credential ?? providers.keyOf('cloudagents'),
          permissions,
          accounting,
        }),
        management,
        metrics: { mcp, connections, accounting },
      }),
      ui,
      accessTokens: oauth.accessTokens,
      credentials: {
        subscriptionKeyHeaders:
          options.caller?.subscriptionKeyHeaders ?? defaultCredentialOptions.subscriptionKeyHeaders,
      },
      identity: {
        ...(options.caller?.endUserHeader !== undefined && { endUserHeader: options.caller.endUserHeader }),
      },
      trustedProxies,
      maxBodyBytes: mcpOptions.maxBodyBytes,
      isLeaving: () => drain.isLeaving,
      rejected: (template) => accounting.rejected(template),
      refused: (context, endpoint, { message, code }) =>
        accounting
          .begin(context, { endpoint, call_type: 'refused', model: '' })
          .finish({ status: 'failure', error: message, error_code: code }),
      clock,
      timers,
      newId,
      log,
    });
  });
  const stopUpkeep = await startMaintenance({
    ...(options.keepLogDays !== undefined && { keepLogDays: options.keepLogDays }),
    store,
    directory,
    backends,
    mcp,
    clock,
    timers,
    log,
    flush: () => accounting.activity.flush(),
    ...(options.checksHealth && { checkHealth: (signal: AbortSignal) => health.allServers(signal) }),
  });
  return {
    baseUrl: door.baseUrl(),
    store,
    renewCertificate: (certificate) => door.renewCertificate(certificate),
    async close(graceMs = GRACE_MS, leaveMs = 0) {
      await drain.begin(leaveMs);
      const closed = door.close(graceMs);
      mcp.endStreams();
      await closed;
      await stopUpkeep();
      await closeAll();
    },
  };
}
