import { Fault } from '../../platform/faults.ts';
import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import { channelOf } from '../../protocol/channels/index.ts';
import type { Snapshot } from '../../protocol/envelope.ts';
import type { Params, Result } from '../../protocol/methods.ts';
import { parseLogsUri } from '../../protocol/telemetry.ts';
import { readSnapshot, readTurnPage } from '../state/chatViews.ts';
import type { Connection } from './connection.ts';

export interface SubscribeOptions {
  readonly turns?: number | undefined;
  readonly maxLatencyMs?: number | undefined;
}

/**
 * State and subscription in one step, so that nothing falls between (host-completion P14). Again and again is fine.
 * `undefined` when there is no such channel, or when it has no state (the log).
 */
export function subscribe(
  connection: Connection,
  channel: string,
  options: SubscribeOptions = {},
): Snapshot | undefined {
  const { store, storage, hub, telemetry } = connection.services;
  if (parseLogsUri(channel) !== undefined) {
    takeBaseline(connection, channel);
    telemetry.subscribe(connection, channel);
    return undefined;
  }
  const aside = store.aside(channel);
  // One that was taken away in this tick is still on disk, and gone all the same.
  if (!aside || (aside.client !== undefined && aside.client !== connection.clientId)) return undefined;
  const snapshot = channelOf(channel) && readSnapshot(store, storage, channel, options.turns);
  if (!snapshot) return undefined;
  takeBaseline(connection, channel);
  hub.subscribe(connection, channel, options.maxLatencyMs);
  connection.services.looked(connection.client, channel);
  connection.olderTurns.set(channel, (snapshot.state as Partial<ChatState>).turnsNextCursor);
  return snapshot;
}

function takeBaseline({ client, limits }: Connection, channel: string): void {
  if (!client.baselines.has(channel) && client.baselines.size >= limits.subscriptions)
    throw new Fault('invalid_params', `channel: at most ${limits.subscriptions} subscriptions`);
  client.baselines.add(channel);
}

/** Waits for a session that the same connection is creating. @throws {Fault} `session_not_found` */
export async function subscribeRequest(
  params: Params<'subscribe'>,
  connection: Connection,
): Promise<Result<'subscribe'>> {
  const { channel, view, delivery } = params;
  await connection.creating.get(channel)?.catch(() => undefined); // then it is not there, which is said below
  await connection.services.effects.offer(channel);
  if (connection.services.store.has(channel) && connection.services.store.written(channel) === undefined) {
    await connection.services.store.settled();
  }
  const snapshot = subscribe(connection, channel, { turns: view?.turns, maxLatencyMs: delivery?.maxLatencyMs });
  if (snapshot) return { snapshot };
  if (parseLogsUri(channel) !== undefined) return {};
  throw new Fault('session_not_found', 'there is no such channel');
}

/** Older turns come as a numbered action to the asking connection alone, before the answer (host-completion 2.8). */
export async function fetchTurns(params: Params<'fetchTurns'>, connection: Connection): Promise<Record<string, never>> {
  const { store, storage } = connection.services;
  const { channel } = params;
  if (channelOf(channel)?.kind !== 'chat' || !store.has(channel))
    throw new Fault('session_not_found', 'there is no such chat');
  const cursor = params.cursor ?? connection.olderTurns.get(channel);
  if (cursor === undefined) return {};
  const { turns, nextCursor } = readTurnPage(store, storage, channel, cursor);
  connection.olderTurns.set(channel, nextCursor);
  const action = { type: 'chat/turnsLoaded', turns, ...(nextCursor !== undefined && { turnsNextCursor: nextCursor }) };
  store.sendTo(connection, channel, action);
  await store.settled();
  return {};
}
