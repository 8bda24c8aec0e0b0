import { OnUse } from '../platform/onUse.ts';
import { sealerFor } from '../platform/seal.ts';
import { openAccounting } from './activity/accounting.ts';
import { activityAnswers } from './activity/activityAnswers.ts';
import { alertsOnUse } from './activity/alerts/alertsOnUse.ts';
import { contentsOf } from './activity/content/onUse.ts';
import { spendingOf } from './activity/spending.ts';
import { exportCalls } from './activity/telemetry/exportCalls.ts';
import { OpenStreams } from './activity/telemetry/openStreams.ts';
import { figuresOf, summed } from './activity/telemetry/processFigures.ts';
import { keepAdminKey } from './auth/adminKey.ts';
import { Attempts } from './auth/attempts.ts';
import type { CallContext } from './auth/caller.ts';
import { tracing } from './auth/callTrace.ts';
import { defaultCredentialOptions } from './auth/credential.ts';
import { BackendSecretsCache, ownValues, registeredClients, usedStates, userTokens } from './auth/credentialStores.ts';
import { Directory } from './auth/directory.ts';
import { DraftServers } from './auth/draftServers.ts';
import { jwtCallersOnUse } from './auth/jwt/onUse.ts';
import { Permissions } from './auth/permissions.ts';
import { providerCredentials } from './auth/providerCredentials.ts';
import { CallerResolver } from './auth/resolve.ts';
import { WrongKeys } from './auth/wrongKeys.ts';
import { Backends } from './backends/backends.ts';
import { ResilienceOnUse } from './backends/mcp/resilience/resilienceOnUse.ts';
import { checkCommand, stdioPolicy } from './backends/mcp/stdioPolicy.ts';
import { keptDays, startMaintenance } from './cluster/maintenance.ts';
import { Replicas } from './cluster/replicas.ts';
import { guardrailAdmin, pinRoutes } from './guardrails/guardrailAdmin.ts';
import type { GuardHooks, GuardsParts } from './guardrails/openGuardrails.ts';
import { StoredGuardrails } from './guardrails/storedGuardrails.ts';
import { openApp } from './http/app.ts';
import { mayCallModels } from './http/checkCall.ts';
import { Drain } from './http/drain.ts';
import { type FrontDoor, openFrontDoor } from './http/frontDoor.ts';
import { openPages } from './http/pages.ts';
import { openApiOnUse, openRoutes, surfaceOf } from './http/routes.ts';
import { openTrustedProxies, type TrustedProxies } from './http/trustedProxies.ts';
import { openUiSessions } from './http/uiSession.ts';
import { openManagement } from './management/management.ts';
import { ListedTools } from './mcp/aggregation/listedTools.ts';
import { mcpOnUse } from './mcp/frontOnUse.ts';
import { mcpOptionsOf } from './mcp/mcpOptions.ts';
import type { OpenMcpDeps } from './mcp/openMcp.ts';
import { accessTokensOnUse } from './oauth/accessTokens.ts';
import { DelegatedSignIn } from './oauth/delegated.ts';
import { oauthMethods } from './oauth/routes.ts';
import { signInOnUse } from './oauth/signin/onUse.ts';
import type { Gateway, GatewayOptions } from './options.ts';
import { type GatewayStore, openStore } from './storage/store.ts';

const GRACE_MS = 10_000;
/** When a process that just started has nothing to do, it loads what the first call of a tool would wait for. */
const LOAD_AHEAD_MS = 500;

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
        options.runtime.log.error({ thrown }, 'Part of the gateway did not shut down cleanly. Shutdown continues.');
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

type Opened = (() => Promise<void> | void)[];

/** @param opened gets what has to be closed, in the order in which it was opened */
async function assemble(options: GatewayOptions, opened: Opened, closeAll: () => Promise<void>): Promise<Gateway> {
  const { runtime } = options;
  const trustedProxies = openTrustedProxies(options.trustedProxies ?? []);
  const store = await openStore({
    address: options.database,
    clock: runtime.clock,
    secret: options.secret,
    holder: runtime.newId(),
    openDatabase: options.openDatabase,
  });
  opened.push(() => store.close());
  await options.prepare?.(store);
  const shared = await openShared(options, store, opened);
  if (options.otlp && !shared.isWorker)
    opened.push(await exportCalls({ ...options, ...shared, surfaceOf }, options.otlp));
  const surfaces = openSurfaces(options, shared, opened, () => door.baseUrl());
  // Before anything is served: no call passes without the guardrails.
  await Promise.all([
    options.adminKey !== undefined && !options.owner
      ? keepAdminKey(store, options.adminKey, runtime.clock.now(), runtime.newId)
      : undefined,
    surfaces.stored.read(),
    shared.directory.registered(),
  ]);
  const drain = new Drain(runtime.timers);
  const figures = () => figuresOf({ ...shared, ...surfaces });
  const door: FrontDoor = await openFrontDoor(options, ({ guard, baseUrl, isSecure }) =>
    openDoor(options, { ...shared, ...surfaces, guard, baseUrl, isSecure, trustedProxies, drain }),
  );
  const { mcp, tools, health, alerts } = surfaces;
  const stopMaintenance = await startMaintenance({
    ...runtime,
    ...shared,
    ...keptDays(options),
    mcp,
    alert: (signal) => alerts.run(signal),
    flush: () => shared.accounting.activity.flush(),
    ...(options.checksHealth && { checkHealth: (signal: AbortSignal) => health.use((it) => it.allServers(signal)) }),
  });
  const loadAhead = () =>
    void tools.open().catch((thrown: unknown) => {
      runtime.log.warn({ thrown }, 'What serves MCP could not be loaded in advance. The next request tries again.');
    });
  opened.push(runtime.timers.after(LOAD_AHEAD_MS, loadAhead));
  const close = async (graceMs = GRACE_MS, leaveMs = 0) => {
    const left = options.workers?.close(graceMs, leaveMs);
    await drain.begin(leaveMs);
    const closed = door.close(graceMs);
    mcp.endStreams();
    await closed;
    await left;
    await stopMaintenance();
    await closeAll();
  };
  const usable = () => import('./models/usableModels.ts');
  options.owner?.begin({ store, figures, close }, store.database.kind === 'postgres');
  await options.workers?.begin({ store, accounting: shared.accounting });
  return {
    baseUrl: door.baseUrl(),
    store,
    onCall: (listener) => shared.accounting.activity.listen(listener),
    modelsOf: async (token) => (await usable()).usableModels({ ...shared, clock: runtime.clock }, token),
    allModels: async () => (await usable()).registeredModels({ ...shared, clock: runtime.clock }, () => true),
    renewCertificate(certificate) {
      door.renewCertificate(certificate);
      shared.served.certificate = certificate;
    },
    close,
  };
}

/** What every surface asks: who is calling and what they may use, the ways out, and what is written down of a call. */
async function openShared(options: GatewayOptions, store: GatewayStore, opened: Opened) {
  const { secret, runtime } = options;
  const { clock, timers } = runtime;
  const directory = new Directory(store);
  const { wrongKeysPerMinute } = options.throttle ?? {};
  const wrongKeys = wrongKeysPerMinute ? new WrongKeys(new Attempts(wrongKeysPerMinute, clock)) : undefined;
  const callers = new CallerResolver(directory, clock, wrongKeys);
  const emptyListInherits = options.emptyListInherits ?? false;
  const drafts = new DraftServers(() => clock.nowMs());
  const providers = providerCredentials(store, options.env);
  const tokens = drafts.tokens(userTokens(store, clock, timers.wait));
  const backends = new Backends({
    ...runtime,
    secret,
    tokens,
    clients: drafts.clients(registeredClients(store, clock, timers.wait)),
    states: usedStates(store),
    providerKey: providers.keyOf,
    connect: options.connect,
    credentialRefused: options.credentialRefused,
  });
  opened.push(() => backends.close());
  const { owner } = options;
  const contents = await contentsOf(options, store, timers);
  const accounting = openAccounting({ ...runtime, ...contents, store, directory, surfaceOf, owner });
  opened.push(() => accounting.close());
  const isWorker = owner !== undefined;
  return {
    store,
    isWorker,
    replicas:
      store.database.kind === 'postgres' && !isWorker
        ? new Replicas({ ...runtime, messages: store.replicaMessages })
        : undefined,
    streams: new OpenStreams(),
    directory,
    callers,
    wrongKeys,
    tokenCallers: jwtCallersOnUse(options.jwt, { ...runtime, store, directory, callers, wrongKeys, backends }),
    permissions: new Permissions(directory, { defaultAccess: options.defaultAccess, emptyListInherits }),
    drafts,
    secrets: new BackendSecretsCache(store, drafts),
    own: ownValues(store),
    providers,
    tokens,
    backends,
    accounting,
    delegated: new DelegatedSignIn(sealerFor(secret, 'delegated sign-in'), () => clock.nowMs()),
    mcpOptions: mcpOptionsOf(options),
    served: { certificate: options.listen.tls },
  };
}
type Shared = Awaited<ReturnType<typeof openShared>>;

/** MCP, A2A, the cloud agents and the management routes. @param baseUrl known once the door is open */
function openSurfaces(options: GatewayOptions, shared: Shared, opened: Opened, baseUrl: () => string) {
  const { runtime } = options;
  const { store, replicas, directory, backends, accounting, mcpOptions } = shared;
  const records = {
    admit: (context: CallContext, ask: Parameters<typeof accounting.admit>[1]) => accounting.admit(context, ask),
    record: (context: CallContext, first: Parameters<typeof accounting.begin>[1]) => accounting.begin(context, first),
  };
  const stdio = stdioPolicy(options);
  const resilience = new ResilienceOnUse(runtime);
  const listed = new ListedTools();
  const stored = new StoredGuardrails({ ...runtime, store, fromFile: options.guardrails });
  const { secretOf } = options;
  const own = { gateway: options, secretOf, stdio, resilience, listed, configured: stored.now, baseUrl };
  const tools = new OnUse(() => openTools({ ...runtime, ...shared, ...records, ...own }));
  const mcp = mcpOnUse(tools, replicas);
  opened.push(() => mcp.close());
  const { connections } = mcp;
  const guardrails = async () => (await tools.open()).guardrails;
  const health = new OnUse(async () => {
    const [{ openHealth }, { opening, connections: called }] = await Promise.all([
      import('./management/health.ts'),
      tools.open(),
    ]);
    return openHealth({ ...runtime, ...shared, ...opening, kept: store.serverHealth, connections: called, listed });
  });
  const a2a = new OnUse(async () => {
    const [{ openA2aFront }, { a2aOptions, agentAccess }] = await Promise.all([
      import('./a2a/front.ts'),
      import('./a2a/agentAccess.ts'),
    ]);
    const own = { owners: store.a2aOwners, options: a2aOptions(mcpOptions) };
    return openA2aFront({ ...runtime, ...agentAccess(shared), ...records, ...own });
  });
  const cloud = new OnUse(async () => {
    const [{ cloudAgents }, { openStreamPool }] = await Promise.all([
      import('./cloudagents/cloudAgents.ts'),
      import('./backends/streamSend.ts'),
    ]);
    const stream = openStreamPool({ headersTimeoutMs: mcpOptions.timeoutMs });
    opened.push(() => stream.close());
    const service = options.cloudAgents;
    const credential = async () => service?.credential ?? shared.providers.keyOf('cloudagents');
    return cloudAgents({ ...shared, send: stream.send, service, credential });
  });
  const models = new OnUse(async () => {
    const { openModels } = await import('./models/models.ts');
    return openModels({ ...runtime, ...shared, pool: backends.pool, gate: options.modelGate });
  });
  const alerts = alertsOnUse({ ...runtime, store, backends, served: shared.served });
  const management = openManagement({
    ...runtime,
    ...shared,
    randomBytes: runtime.random,
    spending: spendingOf({ accounting, directory, clock: runtime.clock }),
    activity: activityAnswers(store, surfaceOf),
    health: (ids) => health.use((it) => it.servers(ids)),
    listedTools: (id) => listed.of(id),
    processes: () => connections.processes(),
    resilience: () => resilience.states(),
    mayCallModels,
    describeModel: (record) => models.use((it) => it.describe(record)),
    isAgentHealthy: (agent) => health.use((it) => it.isAgentWell(agent)),
    pins: pinRoutes(guardrails),
    checkCommand: (server) => checkCommand(server, stdio),
    guardrails: guardrailAdmin(stored, guardrails),
    testAlert: (target) => alerts.test(target),
    options: { ...mcpOptions, isRegistryOn: options.isRegistryOn ?? false, content: options.content },
  });
  const rooms = {
    mcp,
    a2a: a2a.methods('call', 'rest', 'card', 'refuseMethod'),
    cloudAgents: cloud.methods('relay'),
    models: models.methods('relay', 'list', 'read', 'describe'),
    management,
  };
  return { ...rooms, tools, guardrails, health, connections, resilience, alerts, stored };
}
type Surfaces = ReturnType<typeof openSurfaces>;

type ToolsParts = Omit<OpenMcpDeps, keyof GuardHooks | 'checkArguments'> &
  Omit<GuardsParts, 'definitions' | 'listed'> & { readonly listed: ListedTools };

/** Loads what tools are listed and called with: the MCP surface and the guardrails. */
async function openTools(parts: ToolsParts) {
  const [{ openMcp }, { openGuards }] = await Promise.all([
    import('./mcp/openMcp.ts'),
    import('./guardrails/openGuardrails.ts'),
  ]);
  const { guardrails, hooks, checkArguments } = openGuards({
    ...parts,
    definitions: (context, server) => opened.front.definitions(context, server),
    listed: (serverId, tools) => parts.listed.note(serverId, tools),
  });
  const opened = openMcp({ ...parts, ...hooks, checkArguments });
  return { ...opened, guardrails };
}

interface Door extends Shared, Surfaces, Pick<FrontDoor, 'guard' | 'baseUrl' | 'isSecure'> {
  readonly trustedProxies: TrustedProxies;
  readonly drain: Drain;
}

/** The table of routes and the steps that lead to its rows. */
function openDoor(options: GatewayOptions, door: Door) {
  const { secret, runtime, caller } = options;
  const {
    store,
    callers,
    mcp,
    a2a,
    cloudAgents,
    models,
    management,
    guardrails,
    connections,
    resilience,
    accounting,
    streams,
    drain,
  } = door;
  const ui = openUiSessions(sealerFor(secret, 'ui sessions'), door.isSecure);
  const people = signInOnUse(options, door, ui);
  const oauth = new OnUse(async () => {
    const { oauthFacade } = await import('./oauth/openFacade.ts');
    return oauthFacade({ ...door, options, listsChanged: () => mcp.listsChanged() }, ui);
  });
  const accessTokens = accessTokensOnUse(oauth);
  return openApp({
    ...runtime,
    callers,
    guard: door.guard,
    baseUrl: door.baseUrl,
    routes: openRoutes({
      publicRoom: {
        ...runtime,
        version: options.version,
        callers,
        wrongKeys: door.wrongKeys,
        ui,
        people,
        store,
        guardrails: { jwks: async () => (await guardrails()).jwks() },
        openapi: openApiOnUse(options.version),
        drain,
        pages: options.pagesFolder === undefined ? undefined : openPages(options.pagesFolder),
      },
      mcp: mcp.room,
      a2a,
      oauth: { ...oauth.methods(...oauthMethods), accessTokens },
      cloudAgents,
      models,
      management,
      metrics: {
        ...{ connections, resilience, accounting, store, directory: door.directory },
        figures: async () => summed([figuresOf(door), ...((await options.workers?.figures()) ?? [])]),
        droppedLogLines: options.droppedLogLines,
      },
    }),
    tokens: door.tokenCallers,
    ui,
    people,
    accessTokens,
    credentials: {
      subscriptionKeyHeaders: caller?.subscriptionKeyHeaders ?? defaultCredentialOptions.subscriptionKeyHeaders,
    },
    identity: { ...(caller?.endUserHeader !== undefined && { endUserHeader: caller.endUserHeader }) },
    trustedProxies: door.trustedProxies,
    maxBodyBytes: door.mcpOptions.maxBodyBytes,
    isLeaving: () => drain.isLeaving,
    streams,
    handOver: options.owner?.handOver,
    traced: options.otlp?.traces ? tracing(runtime, options.otlp.sampleRatio) : undefined,
    rejected: (template) => accounting.rejected(template),
    refused: (context, endpoint, { message, code }) =>
      accounting
        .begin(context, { endpoint, call_type: 'refused', model: '' })
        .finish({ status: 'failure', error: message, error_code: code }),
  });
}
