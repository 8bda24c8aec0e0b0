import type { ChatAction, ChatActionOf } from '../../protocol/channels/chat/actions.ts';
import { chatChannel } from '../../protocol/channels/chat/channel.ts';
import type { ChatState, Turn } from '../../protocol/channels/chat/schema.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import type { Envelope, Loaded, Persistence, Step } from './persistence.ts';

/** Finished turns of a chat that stay in memory: the cost of a turn is the same at 20 and at 2,000. */
export const TURNS_IN_MEMORY = 30;

/**
 * A chat as rows. While a turn runs, the head stays as it was before it and every action is one `op`; when it ended,
 * the ops go and turn and head are written, in one transaction.
 */
export const chatPersistence: Persistence<ChatState> = {
  load(storage, uri) {
    const head = storage.chats.head(uri);
    if (!head) return undefined;
    const rows = storage.chats.turnsBefore(uri, Number.MAX_SAFE_INTEGER, TURNS_IN_MEMORY);
    const turns = rows.map((it) => JSON.parse(it.body) as Turn); // rows are ours: judged before they were written
    const state = replay({ ...(JSON.parse(head.body) as ChatState), turns }, storage.chats.ops(uri));
    return { state, metadata: { session: head.session, firstTurn: rows[0]?.n ?? 0 } };
  },

  write(storage, uri, base, now, steps) {
    const before = base?.state;
    const after = now.state;
    writeTurns(storage, uri, base, now);
    const started = after.activeTurn ? steps.findLastIndex((it) => startsTurn(it)) : -1;
    if (!after.activeTurn) {
      if (before?.activeTurn) storage.chats.clearOps(uri);
      storage.chats.putHead(uri, now.metadata.session ?? '', headOf(after));
    } else if (started >= 0) {
      if (before?.activeTurn) storage.chats.clearOps(uri);
      storage.chats.putHead(uri, now.metadata.session ?? '', headOf(steps[started]!.before));
      appendOps(storage, uri, steps.slice(started));
    } else appendOps(storage, uri, steps);
    if (after.activeTurn && before && before.title !== after.title) retitle(storage, uri, after.title);
  },

  remove: (storage, uri) => storage.chats.remove(uri),

  /** Cutting the history off needs the turns around the cut. */
  prepare(storage, uri, loaded, action) {
    if (action.type !== 'chat/truncated') return undefined;
    const { turnId } = action as ChatActionOf<'chat/truncated'>;
    const state = loaded.state;
    if (turnId === undefined) return { state: { ...state, turns: [] }, metadata: { ...loaded.metadata, firstTurn: 0 } };
    const n = state.turns.some((it) => it.id === turnId) ? undefined : storage.chats.numberOfTurn(uri, turnId);
    if (n === undefined) return undefined;
    const rows = storage.chats.turnsBefore(uri, n + 1, TURNS_IN_MEMORY);
    const turns = rows.map((it) => JSON.parse(it.body) as Turn);
    return { state: { ...state, turns }, metadata: { ...loaded.metadata, firstTurn: rows[0]?.n ?? 0 } };
  },

  trim(now) {
    const state = now.state;
    const over = state.turns.length - TURNS_IN_MEMORY;
    if (over <= 0) return now;
    return {
      state: { ...state, turns: state.turns.slice(over) },
      metadata: { ...now.metadata, firstTurn: (now.metadata.firstTurn ?? 0) + over },
    };
  },
};

/** A chat without what is kept in rows of its own. */
function headOf(state: ChatState): string {
  const { turns: _turns, activeTurn: _activeTurn, turnsNextCursor: _cursor, ...head } = state;
  return JSON.stringify(head);
}

/** No action carries the title: it changes in the head, also while that is otherwise as it was before the turn. */
function retitle(storage: HostStorage, uri: string, title: string): void {
  const head = storage.chats.head(uri);
  if (head)
    storage.chats.putHead(uri, head.session, JSON.stringify({ ...(JSON.parse(head.body) as ChatState), title }));
}

function startsTurn(step: Step<ChatState>): boolean {
  const before = step.before.activeTurn?.id;
  const after = step.after.activeTurn?.id;
  return after !== undefined && after !== before;
}

function appendOps(storage: HostStorage, uri: string, steps: readonly Step[]): void {
  for (const { envelope, text } of steps) storage.chats.appendOp(uri, envelope.serverSeq, text);
}

/** Turns that both have are the same objects: only what differs after them is written. */
function writeTurns(
  storage: HostStorage,
  uri: string,
  base: Loaded<ChatState> | undefined,
  now: Loaded<ChatState>,
): void {
  const before = base ? base.state.turns : [];
  const after = now.state.turns;
  const first = now.metadata.firstTurn ?? 0;
  const shift = first - (base?.metadata.firstTurn ?? first);
  let same = 0;
  while (same < after.length && after[same] === before[same + shift]) same += 1;
  if (before.length - shift > same) storage.chats.deleteTurnsFrom(uri, first + same);
  for (let at = same; at < after.length; at += 1) {
    const turn = after[at]!;
    storage.chats.insertTurn(uri, first + at, turn.id, JSON.stringify(turn));
  }
}

function replay(state: ChatState, ops: readonly string[]): ChatState {
  return ops.reduce((it, text) => {
    const envelope = JSON.parse(text) as Envelope;
    return chatChannel.reduce(it, envelope.action as ChatAction, { now: envelope._meta.at });
  }, state);
}
