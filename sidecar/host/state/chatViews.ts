import { Fault } from '../../platform/faults.ts';
import type { Turn } from '../../protocol/channels/chat/schema.ts';
import type { Snapshot } from '../../protocol/envelope.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import type { Store } from './store.ts';
import { isOfKind } from './typedChannels.ts';

/** How many turns one page of `fetchTurns` holds. */
export const TURNS_PER_PAGE = 50;

export interface TurnPage {
  readonly turns: readonly Turn[];
  /** Absent: the beginning is reached. */
  readonly nextCursor?: string;
}

/**
 * The state of a channel as it is on disk.
 * @param turns of a chat: about how many of its last turns; absent: all of them
 */
export function readSnapshot(
  store: Store,
  storage: HostStorage,
  channel: string,
  turns?: number,
): Snapshot | undefined {
  const written = store.written(channel);
  if (!written) return undefined;
  const { fromSeq } = written;
  if (!isOfKind('chat', channel, written)) return { resource: channel, state: written.state, fromSeq };
  const { state, metadata } = written;
  const first = metadata.firstTurn ?? 0;
  const wanted = turns ?? Number.MAX_SAFE_INTEGER;
  const missing = Math.min(first, wanted - state.turns.length);
  const older = missing > 0 ? readTurns(storage, channel, first, missing) : [];
  const shown = wanted === 0 ? [] : [...older, ...state.turns].slice(-wanted);
  const firstShown = first + state.turns.length - shown.length;
  const cursor = firstShown > 0 ? { turnsNextCursor: toCursor(firstShown) } : {};
  return { resource: channel, state: { ...state, turns: shown, ...cursor }, fromSeq };
}

/**
 * The page before `cursor`, oldest first.
 * @throws {Fault} `invalid_params` for a cursor that we did not make
 */
export function readTurnPage(store: Store, storage: HostStorage, chat: string, cursor: string): TurnPage {
  const written = store.written(chat);
  const before = /^t([1-9]\d{0,14})$/.exec(cursor)?.[1];
  const last = isOfKind('chat', chat, written) ? (written.metadata.firstTurn ?? 0) + written.state.turns.length : 0;
  if (before === undefined || Number(before) > last) throw new Fault('invalid_params', 'cursor: unknown or expired');
  const rows = storage.chats.turnsBefore(chat, Number(before), TURNS_PER_PAGE);
  const first = rows[0]?.n ?? 0;
  return { turns: rows.map((it) => JSON.parse(it.body) as Turn), ...(first > 0 && { nextCursor: toCursor(first) }) };
}

function readTurns(storage: HostStorage, chat: string, before: number, limit: number): Turn[] {
  return storage.chats.turnsBefore(chat, before, limit).map((it) => JSON.parse(it.body) as Turn);
}
function toCursor(n: number): string {
  return `t${n}`;
}
