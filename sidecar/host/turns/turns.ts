import type { Message } from '../../protocol/shared.ts';
import type { AgentRuntimes } from '../agents/agentRuntimes.ts';
import { activeTurn, commitChat, toolCallOf } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { Completion } from './askPerson.ts';
import type { Confirmation } from './confirmTool.ts';
import type { Customizations } from './customizations.ts';
import { TurnAnswers } from './questions.ts';
import { Connections } from './sandbox/connections.ts';
import { Turn, type TurnDeps } from './turn.ts';

interface Running {
  readonly turnId: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** The log of the database is emptied once the last words of the turns are in it: at once it would meet their writing. */
const TIDY_AFTER_MS = 100;

/** The turns that run: started, answered and stopped by what is committed to their chats. */
export class Turns {
  readonly #deps: EffectDeps;
  readonly #runtimes: AgentRuntimes;
  readonly #running = new Map<string, Running>();
  readonly #answers = new TurnAnswers();
  /** Chats whose agent was made to begin anew, until the next turn says so. */
  readonly #cut = new Set<string>();
  readonly #idleListeners = new Set<() => void>();
  readonly #turnDeps: TurnDeps;
  /** Of programs in sandboxes. */
  readonly connections = new Connections();

  constructor(
    deps: EffectDeps,
    runtimes: AgentRuntimes,
    customizations: Pick<Customizations, 'agent' | 'ready' | 'servers'>,
    sessions: Pick<TurnDeps, 'requireTokens' | 'delegate'>,
  ) {
    this.#deps = deps;
    this.#runtimes = runtimes;
    this.#turnDeps = {
      effects: deps,
      runtimes,
      answers: this.#answers,
      customizations,
      ...sessions,
      takeCut: (chat) => this.#cut.delete(chat),
      connections: this.connections,
    };
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }
  get running(): string[] {
    return [...this.#running.keys()];
  }
  isRunning(chat: string): boolean {
    return this.#running.has(chat);
  }
  onIdle(listener: () => void): () => void {
    this.#idleListeners.add(listener);
    return () => this.#idleListeners.delete(listener);
  }

  /**
   * `chat/turnStarted` is on disk: play it, after the one before it has let go of the agent.
   * @param message with the chats that it attaches as text
   * @param starter the client that sent it; absent for a message that waited in the queue
   */
  start(chat: string, turnId: string, message: Message, starter?: string): void {
    const before = this.#running.get(chat);
    before?.abort.abort(); // a chat has one turn: whoever plays another one plays it for nobody
    const abort = new AbortController();
    const isFree = before?.ended.catch(() => undefined) ?? Promise.resolve(); // how it failed is reported where it was started
    const ended = isFree.then(() => new Turn(this.#turnDeps, chat, { turnId, message, starter }, abort.signal).play());
    const running = { turnId, abort, ended };
    this.#running.set(chat, running);
    void ended
      .catch((thrown: unknown) => this.#deps.report(this.#deps.newId(), thrown))
      .then(() => {
        if (this.#running.get(chat) !== running) return;
        this.#running.delete(chat);
        this.#deps.fileHolders.ended(chat);
        if (!this.isBusy) {
          this.#deps.timers.after(TIDY_AFTER_MS, () => this.isBusy || this.#deps.storage.tidy());
          for (const listener of this.#idleListeners) listener();
        }
      });
  }

  /** The chat's turn ended, or the chat is gone: whoever still plays it stops. */
  stop(chat: string, turnId?: string): void {
    const running = this.#running.get(chat);
    if (running && (turnId === undefined || running.turnId === turnId)) running.abort.abort();
  }
  /** Settles when the chat's agent has ended, at most a little after the limit. */
  async stopped(chat: string): Promise<void> {
    this.stop(chat);
    await this.#running.get(chat)?.ended.catch(() => undefined); // reported where it was started
  }

  confirmed(chat: string, action: Confirmation): void {
    this.#answers.confirmations.answer(`${chat} ${action.toolCallId}`, action);
  }
  /** A call that a client or a server runs is over, or its result is decided. */
  stepped(chat: string, { turnId, toolCallId }: { turnId: string; toolCallId: string }): void {
    const key = `${chat} ${toolCallId}`;
    const call = toolCallOf(activeTurn(this.#deps.store, chat, turnId), toolCallId);
    const why = call?.status === 'completed' ? call.error?.message : undefined;
    // It may have ended before anybody allowed it: then that question is void.
    const no = { approved: false, reason: 'skipped', reasonMessage: why ?? 'This call has ended.' } as const;
    this.#answers.confirmations.answer(key, { type: 'chat/toolCallConfirmed', turnId, toolCallId, ...no });
    this.#answers.steps.answer(key);
  }
  completed(chat: string, requestId: string, completion: Completion): void {
    this.#answers.completions.answer(`${chat} ${requestId}`, completion);
  }

  /** The history of a chat was cut off: its agent, which knows more than that, begins anew. */
  async cutOff(chat: string): Promise<void> {
    const { storage, store } = this.#deps;
    if (storage.small.resumeId(chat) === undefined) return; // it remembers nothing between turns
    store.writeRows(() => storage.small.removeResumeId(chat));
    if ((store.state('chat', chat)?.turns.length ?? 0) > 0) this.#cut.add(chat);
    await this.#runtimes.close(chat);
  }

  /** What was cut off is back: the agent goes on with the conversation that it had. */
  resumeAs(chat: string, resumeId: string): void {
    const { storage, store } = this.#deps;
    this.#cut.delete(chat);
    store.writeRows(() => void (store.has(chat) && storage.small.putResumeId(chat, resumeId)));
  }

  /**
   * Hands a steering message to the agent, where it can take one now; otherwise it becomes the next turn, as does one with
   * attachments, which would be lost.
   */
  async steer(chat: string, id: string, { text, attachments = [] }: Message): Promise<void> {
    if (attachments.length > 0) return;
    const runtime = this.#runtimes.get(chat);
    const isTaken = this.#running.has(chat) && (await runtime?.agent.steer?.(text)) === true;
    if (isTaken && this.#deps.store.state('chat', chat)?.steeringMessage?.id === id) {
      commitChat(this.#deps.store, chat, { type: 'chat/pendingMessageRemoved', kind: 'steering', id });
    }
  }
}
