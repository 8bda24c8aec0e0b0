import { Fault } from '../../platform/faults.ts';
import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import type { AgentCapabilities } from '../../protocol/channels/root/schema.ts';
import { dialOf, toUsualDial } from '../../protocol/channels/session/permissionDial.ts';
import type { SessionState } from '../../protocol/channels/session/schema.ts';
import type { Params } from '../../protocol/methods.ts';
import type { Message } from '../../protocol/shared.ts';
import { status } from '../../protocol/status.ts';
import { parseChatUri } from '../../protocol/uris.ts';
import type { AgentRuntimes } from '../agents/agentRuntimes.ts';
import { capabilitiesOf, primaryOf, requireMoreChats } from '../agents/capabilities.ts';
import type { KnownAgents } from '../agents/knownAgents.ts';
import { keepChats, readChats, refuseChats } from '../context/attachedChats.ts';
import { commitChat, commitSession } from '../context/chatAccess.ts';
import { type Beginning, beginFrom } from '../context/chatSources.ts';
import type { EffectDeps, Requester } from '../context/effectDeps.ts';
import type { Store } from '../state/store.ts';
import { titleOf, toChatSummary } from './aggregate.ts';

/** Chats besides the first one of a session, and how each begins. */
export class NewChats {
  readonly #deps: EffectDeps;
  readonly #runtimes: AgentRuntimes;
  readonly #agents: KnownAgents;
  readonly #isLeaving: (channel: string) => boolean;

  /** @param isLeaving whether a session or a chat is being disposed of */
  constructor(deps: EffectDeps, runtimes: AgentRuntimes, agents: KnownAgents, isLeaving: (channel: string) => boolean) {
    this.#isLeaving = isLeaving;
    this.#deps = deps;
    this.#runtimes = runtimes;
    this.#agents = agents;
  }

  /**
   * `session/chatAdded` is out before this settles. Asking for a chat that the session has changes nothing.
   * @throws {Fault} `session_not_found`, `already_exists`, `invalid_params`, `auth_required`, `not_trusted`, `unavailable`
   */
  async create(params: Params<'createChat'>, requester: Requester): Promise<void> {
    const { store } = this.#deps;
    const { channel: session, chat, initialMessage, source } = params;
    if (source?.chat === chat)
      throw new Fault('invalid_params', 'source.chat: must not be the chat that is being created');
    const state = this.#find(session);
    if (state._meta?.['imported'] !== undefined)
      throw new Fault(
        'invalid_params',
        'channel: the session was imported and is read-only; continue it in a new session',
      );
    if (this.#isLeaving(chat)) throw new Fault('already_exists', 'the chat is still being disposed of');
    if (isThere(state, chat)) return;
    if (parseChatUri(chat) === undefined) throw new Fault('invalid_params', 'chat: not a chat URI');
    if (store.has(chat)) throw new Fault('already_exists', 'the chat belongs to another session');
    const can = capabilitiesOf(this.#deps, state.provider);
    requireMoreChats(can, source);
    this.#agents.requireTokens(state.provider, requester);
    if (initialMessage) requireSender(initialMessage, requester);
    const noChat = initialMessage && refuseChats(this.#deps, initialMessage, 'initialMessage');
    if (noChat !== undefined) throw new Fault('invalid_params', noChat);
    const attached = initialMessage && readChats(this.#deps, initialMessage); // now: others may be cut off meanwhile
    const beginning = source ? beginFrom(this.#deps, state, source) : { state: {} };
    const folders = source?.kind === 'fork' ? {} : chooseFromSession(can, state, params);
    const context = await this.#keep(session, beginning);
    if (isThere(this.#find(session), chat)) return; // somebody made it meanwhile
    const title = initialMessage ? titleOf(initialMessage.text) : '';
    const given = params.title?.trim();
    const named = given ? { title: given } : {};
    this.add(session, chat, {
      title,
      ...folders,
      ...beginning.state,
      ...named,
      ...(context && { _meta: { context } }),
    });
    this.#runtimes.setRequester(session, requester);
    if (initialMessage && attached) {
      const { newId, clock } = this.#deps;
      const turn = { turnId: newId(), startedAt: clock.now(), message: initialMessage };
      keepChats(this.#deps, chat, turn.turnId, attached);
      commitChat(store, chat, { type: 'chat/turnStarted', ...turn });
    }
    if (!(await store.settled())) throw notSaved(store);
  }

  /** Puts a chat into its session. */
  add(session: string, chat: string, more: Partial<ChatState>): void {
    const state: ChatState = {
      resource: chat,
      title: '',
      status: status.Idle | status.IsRead,
      modifiedAt: this.#deps.clock.now(),
      origin: { kind: 'user' },
      turns: [],
      ...more,
    };
    this.#deps.store.create('chat', chat, state, { session, firstTurn: 0 });
    // Not held, as the chat is not: a session names no chat that could not be made.
    commitSession(this.#deps.store, session, { type: 'session/chatAdded', summary: toChatSummary(state) }, false);
    if (state.origin?.kind === 'tool') return; // a sub-agent works for a chat that was there
    // A chat that joins a session asks: what a person chose was chosen for the chats that were there.
    const values = this.#deps.store.state('session', session)?.config?.values;
    if (dialOf(values) === 'acceptEdits') commitSession(this.#deps.store, session, toUsualDial);
  }

  #find(session: string): SessionState {
    const state = this.#deps.store.state('session', session);
    if (!state || this.#isLeaving(session)) throw new Fault('session_not_found', 'session not found');
    return state;
  }

  /** Large and seldom read: it stands beside the session, where clients can read it too. */
  async #keep(session: string, { context }: Beginning) {
    if (context === undefined) return undefined;
    const ref = await this.#deps.changes.keepContent(session, 'earlier.md', Buffer.from(context));
    return { ...ref, contentType: 'text/markdown' };
  }
}

export function notSaved({ failureReason }: Store): Fault {
  return new Fault('unavailable', failureReason);
}

function isThere(state: SessionState, chat: string): boolean {
  return state.chats.some((it) => it.resource === chat);
}

/** What a dispatched `chat/turnStarted` is held to as well. */
function requireSender(message: Message, requester: Requester): void {
  if (message.origin.kind !== 'user')
    throw new Fault('invalid_params', "initialMessage.origin.kind: must be 'user' in messages from clients");
  if (requester.window?.trusted === false) throw new Fault('not_trusted', 'Trust this folder to run agents.');
}

/** Some of the session's folders; without a list all of them, whatever comes to be among them. */
function chooseFromSession(
  can: AgentCapabilities,
  { workingDirectories: all = [] }: SessionState,
  { workingDirectories, primaryWorkingDirectory }: Params<'createChat'>,
): Partial<ChatState> {
  if (workingDirectories?.some((it) => !all.includes(it)))
    throw new Fault('invalid_params', "workingDirectories: must be among the session's folders");
  if (primaryWorkingDirectory !== undefined && !(workingDirectories ?? all).includes(primaryWorkingDirectory))
    throw new Fault('invalid_params', "primaryWorkingDirectory: must be one of the chat's folders");
  return {
    ...(workingDirectories && { workingDirectories: [...new Set(workingDirectories)] }),
    ...primaryOf(can, workingDirectories ?? all, primaryWorkingDirectory),
  };
}
