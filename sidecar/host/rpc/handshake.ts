import { Fault } from '../../platform/faults.ts';
import type { Snapshot } from '../../protocol/envelope.ts';
import type { Params, Result } from '../../protocol/methods.ts';
import { LOGS_TEMPLATE, parseLogsUri } from '../../protocol/telemetry.ts';
import { negotiateVersion, unsupportedVersion } from '../../protocol/version.ts';
import type { Connection } from './connection.ts';
import { documentCapabilities } from './documents.ts';
import { subscribe, withViews } from './subscribe.ts';

/** @throws {Fault} `unsupported_version`; the connection closes after it. `invalid_params` for a second handshake */
export function initialize(
  params: Params<'initialize'>,
  connection: Connection,
): Result<'initialize'> | Promise<Result<'initialize'>> {
  const { deps } = connection;
  requireFirst(connection);
  const protocolVersion = negotiateVersion(params.protocolVersions);
  if (protocolVersion === undefined) {
    deps.timers.after(0, () => connection.peer.close('no supported protocol version'));
    throw new Fault('unsupported_version', 'this host supports version 0.7', { data: unsupportedVersion });
  }
  requireOwn(params.clientId, connection);
  deps.clients.bind(params.clientId, connection.credential);
  const client = deps.clients.add(params.clientId, protocolVersion, connection);
  deps.clients.setWindow(client, params.initializationOptions?.window);
  client.name = params.clientInfo?.title ?? params.clientInfo?.name;
  connection.knowsSchema = params.initializationOptions?.knowsSchema === true;
  connection.adopt(client);
  deps.effects.renewRequester(client);
  deps.windowsChanged();
  // The agents that came with this window are in its first state of the root: snapshots are of what is on disk.
  if (!deps.store.isStalled) deps.store.flush();
  const channels = [...new Set(params.initialSubscriptions ?? [])].slice(0, connection.limits.subscriptions);
  return withViews(connection, channels, () => {
    // A channel that does not exist yields no snapshot, and the handshake succeeds.
    const snapshots = channels.map((channel) => subscribe(connection, channel)).filter((it) => it !== undefined);
    deps.timers.after(0, () => greet(connection));
    return {
      protocolVersion,
      serverSeq: deps.store.serverSeq,
      serverInfo: { name: 'switchboard', version: deps.build.version },
      snapshots,
      completionTriggerCharacters: ['@', '/'],
      telemetry: { logs: LOGS_TEMPLATE },
      capabilities: deps.documents ? documentCapabilities : {},
      _meta: { build: deps.build, messageBytes: connection.limits.messageBytes },
    };
  });
}

/**
 * A client comes back on a new connection: with everything that it missed where that is known, with states otherwise.
 * @throws {Fault} `not_found` for a client that this process never met: it says `initialize` then
 */
export function reconnect(
  params: Params<'reconnect'>,
  connection: Connection,
): Result<'reconnect'> | Promise<Result<'reconnect'>> {
  const { deps } = connection;
  requireFirst(connection);
  const { clientId, lastSeenServerSeq } = params;
  requireOwn(clientId, connection);
  const client = deps.clients.get(clientId);
  if (!client) throw new Fault('not_found', 'unknown client; send initialize first');
  const before = client.connection as Connection | undefined;
  deps.clients.resume(client, connection);
  if (before && before !== connection) before.peer.close('the client reconnected on another connection');
  deps.clients.setWindow(client, params.initializationOptions?.window ?? client.window);
  connection.adopt(client);
  deps.windowsChanged();
  const listed = [...new Set(params.subscriptions)];
  const wanted = listed.slice(0, connection.limits.subscriptions);
  const kept = new Set(wanted);
  for (const channel of client.baselines) if (!kept.has(channel)) deps.effects.onUnsubscribed(client, channel);
  const had = new Set(client.baselines);
  client.baselines.clear();
  const tooMany = listed.slice(wanted.length);
  return withViews(connection, wanted, (made) => {
    deps.timers.after(0, () => greet(connection));
    // What was made anew is not what the client has: envelopes alone do not bring it up to date.
    const hadAll = made.length === 0 && wanted.every((it) => had.has(it) || !deps.store.has(it));
    const isThere = (channel: string) => deps.store.has(channel) || parseLogsUri(channel) !== undefined;
    const missing = [...wanted.filter((channel) => !isThere(channel)), ...tooMany];
    const actions = hadAll && deps.hub.replay(lastSeenServerSeq, deps.store.serverSeq, kept);
    const snapshots: Snapshot[] = [];
    for (const channel of wanted) {
      const snapshot = subscribe(connection, channel, actions ? { turns: 0 } : undefined);
      if (snapshot) snapshots.push(snapshot);
    }
    if (!actions) return { type: 'snapshot', snapshots };
    return {
      type: 'replay',
      actions: actions.map((it) => it as typeof it & { action: Record<string, unknown> & { type: string } }),
      missing,
    };
  });
}

/** What is said to everybody, and is not replayed. */
function greet(connection: Connection): void {
  const { notices, resources } = connection.deps;
  connection.sendNotices(notices());
  if (connection.answersForPerson && resources.questions.length > 0) connection.sendQuestions(resources.questions);
}

/**
 * A name belongs to whoever used it first (`host.client.id-bound`): nobody else gets what is known under it.
 * @throws {Fault} `forbidden`
 */
function requireOwn(clientId: string, { deps, credential }: Connection): void {
  if (!deps.clients.isFree(clientId, credential))
    throw new Fault('forbidden', 'clientId: belongs to another client; choose a different ID');
}

function requireFirst(connection: Connection): void {
  if (connection.hasClient) throw new Fault('invalid_params', 'the handshake was already completed');
}
