import { Fault } from '../../platform/faults.ts';
import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import { channelOf } from '../../protocol/channels/index.ts';
import type { Snapshot } from '../../protocol/envelope.ts';
import type { Params, Result } from '../../protocol/methods.ts';
import { parseLogsUri } from '../../protocol/telemetry.ts';
import { parseChangesView } from '../../protocol/uris.ts';
import { readSnapshot, readTurnPage } from '../state/chatViews.ts';
import type { Store } from '../state/store.ts';
import type { Connection } from './connection.ts';

export interface SubscribeOptions {
  readonly turns?: number | undefined;
  readonly maxLatencyMs?: number | undefined;
}

/**
 * State and subscription in one step, so that no action falls between them. May be repeated.
 * `undefined` when there is no such channel, or when it has no state (the log).
 */
export function subscribe(
  connection: Connection,
  channel: string,
  options: SubscribeOptions = {},
): Snapshot | undefined {
  const { store, storage, hub, telemetry } = connection.deps;
  if (connection.peer.isClosed) {
    // It left while a view was made for it. Others who wait for the same one look first.
    if (parseChangesView(channel))
      void store.settled().then(() => connection.deps.effects.onSubscribed(connection.client, channel));
    return undefined;
  }
  if (parseLogsUri(channel) !== undefined) {
    takeBaseline(connection, channel);
    telemetry.subscribe(connection, channel);
    return undefined;
  }
  const metadata = store.metadata(channel);
  // One that was taken away in this tick is still on disk, and gone all the same.
  if (!metadata || (metadata.client !== undefined && metadata.client !== connection.clientId)) return undefined;
  const snapshot = channelOf(channel) && readSnapshot(store, storage, channel, options.turns);
  if (!snapshot) return undefined;
  takeBaseline(connection, channel);
  hub.subscribe(connection, channel, options.maxLatencyMs);
  connection.deps.effects.onSubscribed(connection.client, channel);
  connection.olderTurns.set(channel, (snapshot.state as Partial<ChatState>).turnsNextCursor);
  return snapshot;
}

function takeBaseline({ client, limits }: Connection, channel: string): void {
  if (!client.baselines.has(channel) && client.baselines.size >= limits.subscriptions)
    throw new Fault('invalid_params', `channel: too many subscriptions (limit: ${limits.subscriptions})`);
  client.baselines.add(channel);
}

/**
 * For handshakes: views of changes among `channels` that are not there are made first, as `subscribe` makes them.
 * @param answer called with those that were made; at once, in this tick, where there are none
 */
export function withViews<T>(
  connection: Connection,
  channels: readonly string[],
  answer: (made: readonly string[]) => T,
): T | Promise<T> {
  const { store, log, newId } = connection.deps;
  const absent = channels.filter((it) => parseChangesView(it) !== undefined && !isWritten(store, it));
  if (absent.length === 0) return answer([]);
  // A subscription that cannot be made yields no snapshot, and the handshake succeeds.
  const made = absent.map((it) =>
    ensureChannel(connection, it).catch((thrown: unknown) => log.report(newId(), thrown)),
  );
  return connection.answerFirst(Promise.all(made).then(() => answer(absent.filter((it) => store.has(it)))));
}

/** Makes a channel that is made when somebody asks for it, and waits until it is on disk. */
async function ensureChannel({ deps: { effects, store } }: Connection, channel: string): Promise<void> {
  await effects.ensureChannel(channel);
  if (store.has(channel) && !isWritten(store, channel)) await store.settled();
}

/** False also for a channel that was made, or taken away, in this tick. */
function isWritten(store: Store, channel: string): boolean {
  return store.has(channel) && store.written(channel) !== undefined;
}

/**
 * What is on disk is answered in this tick: an action that the client sends right after it must not come back before the
 * state that it changes. Waits for a session that the same connection is creating, and for what is made when asked for.
 * @throws {Fault} `session_not_found`
 */
export function subscribeRequest(
  params: Params<'subscribe'>,
  connection: Connection,
): Result<'subscribe'> | Promise<Result<'subscribe'>> {
  const { channel } = params;
  const { deps, underWay } = connection;
  if (!underWay.whenFree(channel) && isWritten(deps.store, channel)) return answerSubscribe(params, connection);
  return underWay.run(channel, async () => {
    await ensureChannel(connection, channel);
    return answerSubscribe(params, connection);
  });
}

function answerSubscribe(params: Params<'subscribe'>, connection: Connection): Result<'subscribe'> {
  const { channel, view, delivery } = params;
  const snapshot = subscribe(connection, channel, { turns: view?.turns, maxLatencyMs: delivery?.maxLatencyMs });
  if (snapshot) return { snapshot };
  if (parseLogsUri(channel) !== undefined) return {};
  throw new Fault('session_not_found', 'channel not found');
}

/** Older turns come as a numbered action to the asking connection alone, before the answer. */
export async function fetchTurns(params: Params<'fetchTurns'>, connection: Connection): Promise<Record<string, never>> {
  const { store, storage } = connection.deps;
  const { channel } = params;
  if (channelOf(channel)?.kind !== 'chat' || !store.has(channel))
    throw new Fault('session_not_found', 'chat not found');
  const cursor = params.cursor ?? connection.olderTurns.get(channel);
  if (cursor === undefined) return {};
  const { turns, nextCursor } = readTurnPage(store, storage, channel, cursor);
  connection.olderTurns.set(channel, nextCursor);
  const action = { type: 'chat/turnsLoaded', turns, ...(nextCursor !== undefined && { turnsNextCursor: nextCursor }) };
  store.sendTo(connection, channel, action);
  await store.settled();
  return {};
}
