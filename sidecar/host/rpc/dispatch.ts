import { channelOf } from '../../protocol/channels/index.ts';
import { judgeAction } from '../../protocol/channels/judgeAction.ts';
import { type AnyAction, type Origin, parseDispatch } from '../../protocol/envelope.ts';
import { SharedNotification } from '../../transport/wireText.ts';
import type { Store } from '../state/store.ts';
import type { Connection } from './connection.ts';

/**
 * A client's action: committed for all subscribers, or sent back to that client alone with a reason. For a channel that
 * does not exist nothing comes back. An action that was committed before, and is sent again because its echo was lost,
 * gets its echo again and nothing else.
 */
export function dispatch(connection: Connection, raw: unknown): void {
  const { store, log, effects } = connection.deps;
  if (!connection.hasClient) return;
  const parsed = parseDispatch(raw);
  if (!parsed.success) return log.warn({ issues: parsed.error.issues }, 'a client sent a malformed dispatchAction');
  const { channel, clientSeq, action } = raw as { channel: string; clientSeq: number; action: AnyAction };
  const definition = channelOf(channel);
  if (!definition || !store.has(channel))
    return log.info({ channel, type: action.type }, "the action's channel does not support actions");
  const origin: Origin = { clientId: connection.clientId, clientSeq };
  const known = store.dispatched(origin);
  if (known !== undefined) return echo(connection, channel, action, origin, known);
  const refused = refuse();
  if (refused !== undefined) return void store.reject(channel, action, origin, refused, connection);
  if (isStartedAlready(store, channel, action)) return echo(connection, channel, action, origin, 0);
  store.commit(channel, action, origin); // the judged value itself: a parsed copy would lose unknown members

  function refuse(): string | undefined {
    if (!definition?.clientMay.has(action.type))
      return `clients must not dispatch this action: ${action.type.slice(0, 100)}`;
    const verdict = judgeAction(definition, action);
    if (verdict.verdict !== 'ok') return verdict.verdict === 'malformed' ? verdict.reason : 'unknown action';
    if (isStartedAlready(store, channel, action)) return undefined;
    return effects.check(channel, action, connection);
  }
}

/** The same turn, sent again with another number: it runs, and nothing more happens. */
function isStartedAlready(store: Store, channel: string, action: AnyAction): boolean {
  if (action.type !== 'chat/turnStarted') return false;
  const running = store.state('chat', channel)?.activeTurn;
  return running !== undefined && 'turnId' in action && action.turnId === running.id;
}

/** A mirror drops what it has by its number, and takes the receipt. One that is not written yet comes by itself. */
function echo(connection: Connection, channel: string, action: AnyAction, origin: Origin, serverSeq: number): void {
  const { store, clock } = connection.deps;
  if (serverSeq > store.serverSeq) return;
  const envelope = { channel, action, serverSeq, origin, _meta: { at: clock.now() } };
  connection.send(new SharedNotification('action', envelope));
}
