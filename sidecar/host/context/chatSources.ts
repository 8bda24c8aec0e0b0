import { Fault } from '../../platform/faults.ts';
import type { ChatState, Turn } from '../../protocol/channels/chat/schema.ts';
import type { SessionState } from '../../protocol/channels/session/schema.ts';
import type { ChatSource } from '../../protocol/commands.ts';
import { transcriptOf } from '../../protocol/transcript.ts';
import type { EffectDeps } from './effectDeps.ts';

type Deps = Pick<EffectDeps, 'store' | 'storage'>;

/** What a new chat has of another. */
export interface Beginning {
  readonly state: Partial<ChatState>;
  /** For the agent: what was said elsewhere, as it was when the chat was asked for. */
  readonly context?: string;
}

/** All finished turns of a chat, oldest first, those that are on disk only included. */
export function finishedTurns({ store, storage }: Deps, chat: string): Turn[] {
  const first = store.metadata(chat)?.firstTurn ?? 0;
  const older = storage.chats.turnsBefore(chat, first, Number.MAX_SAFE_INTEGER);
  return [...older.map((it) => JSON.parse(it.body) as Turn), ...(store.state('chat', chat)?.turns ?? [])];
}

/** The agent's own ID of the conversation that a fork begins with, if neither chat has gone on since. */
export function forkedConversation({ store, storage }: Deps, chat: string): string | undefined {
  const { origin, turns } = store.state('chat', chat) ?? {};
  if (origin?.kind !== 'fork' || turns?.at(-1)?.id !== origin.turnId) return undefined;
  const source = store.state('chat', origin.chat);
  if (!source || source.activeTurn || source.turns.at(-1)?.id !== origin.turnId) return undefined;
  return storage.small.resumeId(origin.chat);
}

/** The turns up to and with `turnId`, or `undefined` when it is not among the finished ones. */
export function turnsThrough(deps: Deps, chat: string, turnId: string): Turn[] | undefined {
  const turns = finishedTurns(deps, chat);
  const at = turns.findIndex((it) => it.id === turnId);
  return at < 0 ? undefined : turns.slice(0, at + 1);
}

/**
 * What a chat begins with: a fork with the turns and the folders of its source (host.rule.fork); a side chat with no
 * turns, while its agent gets what was said until then, the text of a running turn included (host.rule.side-chat).
 * @throws {Fault} `invalid_params`, naming the member
 */
export function beginFrom(deps: Deps, session: SessionState, source: ChatSource): Beginning {
  const state = deps.store.state('chat', source.chat);
  if (!state || !session.chats.some((it) => it.resource === source.chat))
    throw new Fault('invalid_params', 'source.chat: chat not found in this session');
  return source.kind === 'fork' ? fork(deps, state, source) : sideChat(deps, state, source);
}

function fork(deps: Deps, state: ChatState, source: Extract<ChatSource, { kind: 'fork' }>): Beginning {
  const { turnId } = source;
  if (state.activeTurn?.id === turnId) throw new Fault('invalid_params', 'source.turnId: the turn is still running');
  const turns = turnsThrough(deps, source.chat, turnId);
  if (!turns) throw noTurn();
  return { state: { ...inherited(state), turns, origin: source } };
}

/** What a fork keeps of its source: the title and the folders. */
export function inherited({ title, workingDirectories, primaryWorkingDirectory }: ChatState): Partial<ChatState> {
  return {
    title,
    ...(workingDirectories && { workingDirectories }),
    ...(primaryWorkingDirectory !== undefined && { primaryWorkingDirectory }),
  };
}

function sideChat(deps: Deps, state: ChatState, source: Extract<ChatSource, { kind: 'sideChat' }>): Beginning {
  const { activeTurn } = state;
  const isActive = activeTurn?.id === source.turnId;
  const turns = isActive
    ? [...finishedTurns(deps, source.chat), activeTurn]
    : turnsThrough(deps, source.chat, source.turnId);
  if (!turns) throw noTurn();
  const selected = source.selection ? `\n\n## Selected text\n\n${source.selection.text}` : '';
  return { state: { origin: source }, context: `${transcriptOf(turns)}${selected}` };
}

const noTurn = () => new Fault('invalid_params', 'source.turnId: turn not found');
