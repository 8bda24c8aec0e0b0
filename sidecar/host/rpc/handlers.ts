import { Fault } from '../../platform/faults.ts';
import type { SessionSummary } from '../../protocol/channels/session/schema.ts';
import type { Params, Result } from '../../protocol/methods.ts';
import { parseChangesetUri, parseChangesView, sessionUri } from '../../protocol/uris.ts';
import { refuseAttachments } from '../effects/checkLimits.ts';
import { grantRules } from '../resources/grants.ts';
import { approvalsOf } from '../turns/approvalSources.ts';
import { readRules } from '../turns/grantedRules.ts';
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

  async createSession(params, { services, client, underWay }) {
    // It begins at once: what the client sends right behind it is for this session.
    await underWay.hold(params.channel, services.effects.sessions.create(params, client));
    return null;
  },
  async disposeSession({ channel }, { services }) {
    await services.effects.sessions.dispose(channel, () => services.terminals.sessionGone(channel));
    return null;
  },
  async createChat(params, connection) {
    const tooMany = refuseAttachments('initialMessage', params.initialMessage, connection.limits);
    if (tooMany !== undefined) throw new Fault('invalid_params', tooMany);
    await connection.services.effects.sessions.createChat(params, connection.client);
    return null;
  },
  async disposeChat({ channel }, { services }) {
    await services.effects.sessions.disposeChat(channel);
    return null;
  },

  completions: async (params, connection) => ({
    items: await connection.services.resources.complete(params, connection.client),
  }),
  resolveSessionConfig: (params, connection) =>
    connection.services.effects.sessions.resolveConfig(params, connection.client),
  sessionConfigCompletions: async (params, connection) => ({
    items: [...(await connection.services.effects.sessions.completeConfig(params, connection.client))],
  }),

  async authenticate(params, { services, client }) {
    await services.tokens.accept(client, params);
    for (const channel of client.baselines) services.effects.resumeQueue(client, channel);
    return {};
  },
  'x-switchboard/refreshLease': async ({ resource }, connection) => {
    const { tokens, leases } = connection.services;
    if (!tokens.find(resource)) throw new Fault('invalid_params', 'resource: nothing here asks for it');
    return { lease: await leases.acquire(resource, connection) };
  },
  'x-switchboard/refreshLeaseEnd': ({ lease }, { services }) => {
    services.leases.release(lease);
    return null;
  },
  'x-switchboard/forgetToken': ({ resource }, { services, client }) => {
    services.tokens.drop(client, resource);
    return null;
  },
  resourceRead: (params, { services, client }) => services.resources.read(params, client),
  resourceWrite: async (params, { services, client }) => (await services.resources.files()).write(params, client),
  resourceList: async (params, { services, client }) => (await services.resources.files()).list(params, client),
  resourceCopy: async (params, { services, client }) => (await services.resources.files()).copy(params, client),
  resourceMove: async (params, { services, client }) => (await services.resources.files()).move(params, client),
  resourceDelete: async (params, { services, client }) => (await services.resources.files()).delete(params, client),
  resourceResolve: async (params, { services, client }) => (await services.resources.files()).resolve(params, client),
  resourceMkdir: async (params, { services, client }) => (await services.resources.files()).mkdir(params, client),
  resourceRequest: async (params, { services, client }, signal) =>
    (await services.resources.files()).request(params, client, signal),
  createResourceWatch: async (params, { services, client }) => ({
    channel: await (await services.resources.files()).watches.create(params, client),
  }),
  'x-switchboard/accessAnswer': ({ id, allow }, { services, answersForPerson }) => {
    if (!answersForPerson) throw new Fault('forbidden', 'only windows answer for a person', { data: {} });
    services.resources.answer(id, allow);
    return null;
  },
  async createTerminal(params, { services, client }) {
    await services.terminals.create(params, client);
    return null;
  },
  async disposeTerminal({ channel }, { services, client }) {
    await services.terminals.dispose(channel, client);
    return null;
  },
  invokeChangesetOperation: (params, { services, client }) => {
    if (services.store.has(params.channel) && !seesChangeset(client.baselines, params.channel))
      throw new Fault('invalid_params', 'channel: subscribe to the changeset or its session before you change it');
    return services.resources.invoke(params, client);
  },

  'x-switchboard/processes': (_params, { services }) => ({ items: [...services.processes()], build: services.build }),
  'x-switchboard/customAgents': async ({ workingDirectory }, { services, client }) => ({
    items: [...(await services.effects.customizations.agentsIn(workingDirectory, client))],
  }),
  'x-switchboard/stopHost'({ restart, force }, { services }) {
    if (services.isBusy() && force !== true) throw new Fault('turn_in_progress', 'an agent is working');
    services.timers.soon(() => services.stopRequested(restart));
    return null;
  },
  'x-switchboard/gatewayStart': ({ secret, adminKey, allowedCommands }, { services, client }) => {
    for (const it of [secret, adminKey]) if (it !== undefined) services.hide(it);
    if (!services.gateway) throw new Fault('unavailable', 'this host has no gateway');
    const isTrusted = client.window?.trusted === true;
    const request = { adminKey, isTrusted, ...(secret !== undefined && { secret }) };
    return services.gateway.start({ ...request, ...(allowedCommands && { allowedCommands }) });
  },
  'x-switchboard/rules': (_params, { services, client }) =>
    approvalsOf(
      services,
      client.window,
      services.clients.known().flatMap((it) => grantRules(it.grants)),
    ),
  async 'x-switchboard/ruleRemove'({ id }, { services }) {
    if (services.clients.withdraw(id)) {
      await services.resources.grantsChanged();
      return null;
    }
    if (!readRules(services.storage).some((it) => it.id === id)) throw new Fault('not_found', 'there is no such rule');
    services.store.writeRows(() => void services.storage.small.removeRule(id));
    await services.store.settled();
    return null;
  },
};

/** Files are changed back by those who see what changed (`host.client.operate-subscribed`). */
function seesChangeset(channels: ReadonlySet<string>, changeset: string): boolean {
  const parsed = parseChangesView(changeset) ?? parseChangesetUri(changeset);
  return channels.has(changeset) || (parsed !== undefined && channels.has(sessionUri(parsed.sessionUuid)));
}

/** Newest first, from rows alone: as cheap with 10,000 sessions as with ten. */
function listSessions({ limit, cursor }: Params<'listSessions'>, connection: Connection): Result<'listSessions'> {
  const { storage, newId } = connection.services;
  const after = cursor === undefined ? undefined : connection.cursors.get(cursor);
  if (cursor !== undefined && !after) throw new Fault('invalid_params', 'cursor: unknown');
  const size = Math.min(limit ?? DEFAULT_PAGE, MAX_PAGE);
  const rows = storage.sessions.page(size + 1, after);
  const items = rows.slice(0, size).map((it) => JSON.parse(it.summary) as SessionSummary);
  const last = rows[size - 1];
  if (rows.length <= size || !last) return { items };
  const nextCursor = newId();
  connection.cursors.set(nextCursor, { modifiedAt: last.modifiedAt, uri: last.uri });
  return { items, nextCursor };
}
