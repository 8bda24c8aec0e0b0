import { Fault } from '../../platform/faults.ts';
import type { SessionSummary } from '../../protocol/channels/session/schema.ts';
import type { Params, Result } from '../../protocol/methods.ts';
import { parseChangesetUri, parseChangesView, sessionUri } from '../../protocol/uris.ts';
import { refuseAttachments } from '../effects/checkLimits.ts';
import { grantRules } from '../resources/grants.ts';
import { approvalsOf } from '../turns/approvalSources.ts';
import { decisionsOf } from '../turns/decisions.ts';
import { readRules } from '../turns/grantedRules.ts';
import { agentHandlers } from './agentHandlers.ts';
import type { Connection } from './connection.ts';
import { initialize, reconnect } from './handshake.ts';
import type { Handlers } from './register.ts';
import { fetchTurns, subscribeRequest } from './subscribe.ts';

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1_000;

/** Every command of the protocol, and ours. They answer after what they did is on disk. */
export const handlers: Handlers<Connection> = {
  initialize,
  reconnect,
  ping: () => null,
  subscribe: subscribeRequest,
  fetchTurns,
  'root/listSessions': listSessions,
  listSessions,

  async createSession(params, { deps, client, underWay }) {
    // It begins at once: what the client sends right behind it is for this session.
    await underWay.hold(params.channel, deps.effects.sessions.create(params, client));
    return null;
  },
  async disposeSession({ channel }, { deps }) {
    await deps.effects.sessions.dispose(channel, () => deps.terminals.sessionGone(channel));
    return null;
  },
  async createChat(params, connection) {
    const tooMany = refuseAttachments('initialMessage', params.initialMessage, connection.limits);
    if (tooMany !== undefined) throw new Fault('invalid_params', tooMany);
    await connection.deps.effects.sessions.createChat(params, connection.client);
    return null;
  },
  async disposeChat({ channel }, { deps }) {
    await deps.effects.sessions.disposeChat(channel);
    return null;
  },

  completions: async (params, connection) => ({
    items: await connection.deps.resources.complete(params, connection.client),
  }),
  resolveSessionConfig: (params, connection) =>
    connection.deps.effects.sessions.resolveConfig(params, connection.client),
  sessionConfigCompletions: async (params, connection) => ({
    items: [...(await connection.deps.effects.sessions.completeConfig(params, connection.client))],
  }),

  async authenticate(params, { deps, client }) {
    await deps.tokens.accept(client, params);
    for (const channel of client.baselines) deps.effects.resumeQueue(client, channel);
    return {};
  },
  'x-switchboard/refreshLease': async ({ resource }, connection) => {
    const { tokens, leases } = connection.deps;
    if (!tokens.find(resource))
      throw new Fault('invalid_params', 'resource: no agent or MCP server requires a token for this resource');
    return { lease: await leases.acquire(resource, connection) };
  },
  'x-switchboard/refreshLeaseEnd': ({ lease }, { deps }) => {
    deps.leases.release(lease);
    return null;
  },
  'x-switchboard/forgetToken': ({ resource }, { deps, client }) => {
    deps.tokens.drop(client, resource);
    return null;
  },
  resourceRead: (params, { deps, client }) => deps.resources.read(params, client),
  resourceWrite: async (params, { deps, client }) => (await deps.resources.files()).write(params, client),
  resourceList: async (params, { deps, client }) => (await deps.resources.files()).list(params, client),
  resourceCopy: async (params, { deps, client }) => (await deps.resources.files()).copy(params, client),
  resourceMove: async (params, { deps, client }) => (await deps.resources.files()).move(params, client),
  resourceDelete: async (params, { deps, client }) => (await deps.resources.files()).delete(params, client),
  resourceResolve: async (params, { deps, client }) => (await deps.resources.files()).resolve(params, client),
  resourceMkdir: async (params, { deps, client }) => (await deps.resources.files()).mkdir(params, client),
  resourceRequest: async (params, { deps, client }, signal) =>
    (await deps.resources.files()).request(params, client, signal),
  createResourceWatch: async (params, { deps, client }) => ({
    channel: await (await deps.resources.files()).watches.create(params, client),
  }),
  'x-switchboard/accessAnswer': ({ id, allow }, { deps, answersForPerson }) => {
    if (!answersForPerson)
      throw new Fault('forbidden', "only a VS Code window can answer on the user's behalf", { data: {} });
    deps.resources.answer(id, allow);
    return null;
  },
  async createTerminal(params, { deps, client }) {
    await deps.terminals.create(params, client);
    return null;
  },
  async disposeTerminal({ channel }, { deps, client }) {
    await deps.terminals.dispose(channel, client);
    return null;
  },
  invokeChangesetOperation: (params, { deps, client }) => {
    if (deps.store.has(params.channel) && !seesChangeset(client.baselines, params.channel))
      throw new Fault('invalid_params', 'channel: subscribe to the changeset or its session before you change it');
    return deps.resources.invoke(params, client);
  },

  'x-switchboard/processes': (_params, { deps }) => ({ items: [...deps.processes()], build: deps.build }),
  'x-switchboard/customAgents': async ({ workingDirectory }, { deps, client }) => ({
    items: [...(await deps.effects.customizations.agentsIn(workingDirectory, client))],
  }),
  async 'x-switchboard/renameChat'({ channel, title }, { deps }) {
    await deps.effects.sessions.renameChat(channel, title);
    return null;
  },
  'x-switchboard/restorePreview': async ({ channel, turnId }, connection) => {
    requireLooking(connection, channel);
    return connection.deps.effects.sessions.restores.preview(channel, turnId);
  },
  'x-switchboard/restore': async ({ channel, turnId, what }, connection) => {
    requireLooking(connection, channel);
    return connection.deps.effects.sessions.restores.restore(channel, turnId, what);
  },
  'x-switchboard/restoreRedo': async ({ channel }, connection) => {
    requireLooking(connection, channel);
    return connection.deps.effects.sessions.restores.redo(channel);
  },
  ...agentHandlers,
  'x-switchboard/conversations': async (params, { deps, client }) => (await deps.elsewhere()).list(params, client),
  async 'x-switchboard/conversationOpen'(params, { deps, client }) {
    await (await deps.elsewhere()).open(params, client);
    return null;
  },
  async 'x-switchboard/conversationDelete'(params, { deps, client }) {
    await (await deps.elsewhere()).delete(params, client);
    return null;
  },
  'x-switchboard/keepContent': (params, { deps }) => deps.resources.keep(params),
  'x-switchboard/searchTranscripts': (params, { deps }, signal) => deps.transcripts.search(params, signal),
  'x-switchboard/lineAuthors': async (params, { deps }) => (await deps.authors()).lineAuthors(params),
  'x-switchboard/noteAuthors': async (params, { deps, client }) => (await deps.authors()).noteAuthors(params, client),
  'x-switchboard/mergeWorktree': ({ channel }, { deps, client }) =>
    deps.effects.sessions.mergeWorktree(channel, client),
  'x-switchboard/worktrees': async (params, { deps, client }) => (await deps.worktrees()).list(params, client),
  'x-switchboard/worktreeSize': async (params, { deps, client }) => (await deps.worktrees()).size(params, client),
  'x-switchboard/worktreesRemove': async (params, { deps, client }) => (await deps.worktrees()).remove(params, client),
  async 'x-switchboard/raceStart'(params, { deps, client }) {
    await (await deps.races()).start(params, client);
    return null;
  },
  'x-switchboard/raceChanges': async (params, { deps, client }) => (await deps.races()).changes(params, client),
  async 'x-switchboard/raceCheck'(params, { deps, client }) {
    await (await deps.races()).check(params, client);
    return null;
  },
  'x-switchboard/raceKeep': async (params, { deps, client }) => (await deps.races()).keep(params, client),
  async 'x-switchboard/setBudget'({ channel, limit }, { deps }) {
    if (!deps.store.state('session', channel)) throw new Fault('session_not_found', 'session not found');
    await deps.effects.effectDeps.budgets.set(channel, limit ?? undefined);
    await deps.store.settled();
    return null;
  },
  'x-switchboard/exportSession': async (params, connection) =>
    (await connection.deps.transfers()).export(params, connection),
  'x-switchboard/importSession': async (params, connection) =>
    (await connection.deps.transfers()).import(params, connection),
  'x-switchboard/stopHost'({ restart, force }, { deps }) {
    if (deps.isBusy() && force !== true) throw new Fault('turn_in_progress', 'an agent is working');
    deps.timers.soon(() => deps.stopRequested(restart));
    return null;
  },
  'x-switchboard/gatewayStart': ({ secret, adminKey, allowedCommands }, { deps, client }) => {
    for (const it of [secret, adminKey]) if (it !== undefined) deps.hide(it);
    if (!deps.gateway) throw new Fault('unavailable', 'this host has no gateway');
    const isTrusted = client.window?.trusted === true;
    const request = { adminKey, isTrusted, ...(secret !== undefined && { secret }) };
    return deps.gateway.start({ ...request, ...(allowedCommands && { allowedCommands }) });
  },
  'x-switchboard/rules': (_params, { deps, client }) =>
    approvalsOf(
      deps,
      client.window,
      deps.clients.known().flatMap((it) => grantRules(it.grants)),
    ),
  'x-switchboard/ruleTest': async ({ kind, what }, { deps, client }) =>
    (await import('../turns/tryRules.ts')).tryRules(deps.storage, client.window, { kind, what }),
  'x-switchboard/decisions': (params, { deps }) => decisionsOf(deps.storage, params),
  async 'x-switchboard/ruleRemove'({ id }, { deps }) {
    if (deps.clients.withdraw(id)) {
      await deps.resources.grantsChanged();
      return null;
    }
    if (!readRules(deps.storage).some((it) => it.id === id)) throw new Fault('not_found', 'rule not found');
    deps.store.writeRows(() => void deps.storage.small.removeRule(id));
    await deps.store.settled();
    return null;
  },
};

/** Files are changed back by those who see what changed (`host.client.operate-subscribed`). */
function seesChangeset(channels: ReadonlySet<string>, changeset: string): boolean {
  const parsed = parseChangesView(changeset) ?? parseChangesetUri(changeset);
  return channels.has(changeset) || (parsed !== undefined && channels.has(sessionUri(parsed.sessionUuid)));
}

/** Chats are taken back by those who see what goes. */
function requireLooking({ deps, client }: Connection, chat: string): void {
  const session = deps.store.metadata(chat)?.session;
  if (client.baselines.has(chat) || (session !== undefined && client.baselines.has(session))) return;
  throw new Fault('invalid_params', 'channel: subscribe to the chat or its session before you change it');
}

/** Newest first, from rows alone: as cheap with 10,000 sessions as with ten. */
function listSessions({ limit, cursor }: Params<'listSessions'>, connection: Connection): Result<'listSessions'> {
  const { storage, newId } = connection.deps;
  const after = cursor === undefined ? undefined : connection.cursors.get(cursor);
  if (cursor !== undefined && !after) throw new Fault('invalid_params', 'cursor: unknown or expired');
  const size = Math.min(limit ?? DEFAULT_PAGE, MAX_PAGE);
  const rows = storage.sessions.page(size + 1, after);
  const items = rows.slice(0, size).map((it) => JSON.parse(it.summary) as SessionSummary);
  const last = rows[size - 1];
  if (rows.length <= size || !last) return { items };
  const nextCursor = newId();
  connection.cursors.set(nextCursor, { modifiedAt: last.modifiedAt, uri: last.uri });
  return { items, nextCursor };
}
