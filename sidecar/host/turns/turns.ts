import type { ToolFacts } from '../../agents/provider.ts';
import type { Fault } from '../../platform/faults.ts';
import type { Message } from '../../protocol/shared.ts';
import type { AgentRuntime, AgentRuntimes } from '../agents/agentRuntimes.ts';
import { activeTurn, commitChat, commitSession, toolCallOf } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { plainWindow } from '../context/effectDeps.ts';
import { toRealPath } from '../context/paths.ts';
import { PendingAnswers } from '../context/pendingAnswers.ts';
import { type KeepBytes, textOf, toEndedContent } from '../context/toolContent.ts';
import { turnFiles } from '../context/turnFiles.ts';
import type { HookedCall } from '../hooks/toolWords.ts';
import { offeredCalls } from '../tools/offeredCalls.ts';
import { TurnWriter } from '../tools/turnWriter.ts';
import { withRemarks } from './annotations.ts';
import { askPerson, type Completion } from './askPerson.ts';
import { askToken } from './askToken.ts';
import { type Confirmation, confirmTool } from './confirmTool.ts';
import type { Customizations } from './customizations.ts';
import { openTurnHooks } from './openTurnHooks.ts';
import { priorTranscript } from './priorTranscript.ts';
import { type PreparedTurn, runTurn, toTurnRequest } from './runTurn.ts';

const FORGOTTEN = 'The agent does not remember the earlier turns of this chat any more.';

interface Begun {
  readonly turnId: string;
  readonly message: Message;
  /** The client that started it. */
  readonly starter: string | undefined;
}

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
  readonly #confirmations = new PendingAnswers<Confirmation>();
  readonly #completions = new PendingAnswers<Completion>();
  readonly #steps = new PendingAnswers<void>();
  /** Chats whose agent was made to begin anew, until the next turn says so. */
  readonly #cut = new Set<string>();
  readonly #idleListeners = new Set<() => void>();

  readonly #customizations: Pick<Customizations, 'agent' | 'ready' | 'servers'>;
  readonly #requireTokens: (session: string) => void;

  /** @param requireTokens throws when whoever asks did not push what the session's agent cannot be used without */
  constructor(
    deps: EffectDeps,
    runtimes: AgentRuntimes,
    customizations: Pick<Customizations, 'agent' | 'ready' | 'servers'>,
    requireTokens: (session: string) => void,
  ) {
    this.#deps = deps;
    this.#customizations = customizations;
    this.#requireTokens = requireTokens;
    this.#runtimes = runtimes;
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
    const ended = isFree.then(() => this.#play(chat, { turnId, message, starter }, abort.signal));
    const running = { turnId, abort, ended };
    this.#running.set(chat, running);
    void ended
      .catch((thrown: unknown) => this.#deps.report(this.#deps.newId(), thrown))
      .then(() => {
        if (this.#running.get(chat) !== running) return;
        this.#running.delete(chat);
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
    this.#confirmations.answer(`${chat} ${action.toolCallId}`, action);
  }
  /** A call that a client or a server runs is over, or its result is decided. */
  stepped(chat: string, { turnId, toolCallId }: { turnId: string; toolCallId: string }): void {
    const key = `${chat} ${toolCallId}`;
    const call = toolCallOf(activeTurn(this.#deps.store, chat, turnId), toolCallId);
    const why = call?.status === 'completed' ? call.error?.message : undefined;
    // It may have ended before anybody allowed it: then that question is void.
    const no = { approved: false, reason: 'skipped', reasonMessage: why ?? 'This call is over.' } as const;
    this.#confirmations.answer(key, { type: 'chat/toolCallConfirmed', turnId, toolCallId, ...no });
    this.#steps.answer(key);
  }
  completed(chat: string, requestId: string, completion: Completion): void {
    this.#completions.answer(`${chat} ${requestId}`, completion);
  }

  /** The history of a chat was cut off: its agent, which knows more than that, begins anew. */
  async cutOff(chat: string): Promise<void> {
    const { storage, store } = this.#deps;
    if (storage.small.resumeId(chat) === undefined) return; // it remembers nothing between turns
    store.writeRows(() => storage.small.removeResumeId(chat));
    if ((store.state('chat', chat)?.turns.length ?? 0) > 0) this.#cut.add(chat);
    await this.#runtimes.close(chat);
  }

  /** Hands a steering message to the agent, where it can take one now; otherwise it becomes the next turn. */
  async steer(chat: string, id: string, text: string): Promise<void> {
    const runtime = this.#runtimes.get(chat);
    const isTaken = this.#running.has(chat) && (await runtime?.agent.steer?.(text)) === true;
    if (isTaken && this.#deps.store.state('chat', chat)?.steeringMessage?.id === id) {
      commitChat(this.#deps.store, chat, { type: 'chat/pendingMessageRemoved', kind: 'steering', id });
    }
  }

  async #play(chat: string, begun: Begun, signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    const { turnId, message } = begun;
    if (!activeTurn(store, chat, turnId)) return;
    const writer = new TurnWriter(this.#deps, chat, turnId);
    const open: { runtime?: AgentRuntime; asking: number } = { asking: 0 };
    const deps = {
      effects: this.#deps,
      writer,
      chat,
      isAsking: () => open.asking > 0,
      failed: (fault: Fault) => this.#runtimes.refused(store.metadata(chat)?.session ?? '', fault),
      prepare: async () => {
        this.#requireTokens(store.metadata(chat)?.session ?? '');
        open.runtime = await this.#runtimes.use(chat);
        this.#markReady(open.runtime.session);
        return this.#prepare(open.runtime, writer, begun, signal, open);
      },
    };
    try {
      const model = this.#runtimes.get(chat)?.agent.options.model;
      await runTurn(deps, toTurnRequest(turnId, withRemarks(store, message), model), signal);
    } finally {
      if (open.runtime) {
        open.runtime.files = undefined;
        open.runtime.tools = undefined;
        this.#keepResumeId(open.runtime);
      }
    }
  }

  async #prepare(
    runtime: AgentRuntime,
    writer: TurnWriter,
    { turnId, message, starter = this.#runtimes.requester(runtime.session)?.clientId }: Begun,
    signal: AbortSignal,
    open: { asking: number },
  ): Promise<PreparedTurn> {
    const { chat, session, folders, agent, provider } = runtime;
    this.#keepResumeId(runtime);
    const chosen = message.agent?.uri;
    const requester = this.#runtimes.requester(session);
    const customAgent =
      chosen === undefined ? undefined : await this.#customizations.agent(session, chosen, requester, signal);
    await this.#customizations.ready(session, signal);
    const window = () => this.#runtimes.requester(session)?.window ?? plainWindow;
    const hooks = await openTurnHooks(this.#deps, runtime, writer, window, signal);
    const hookWords = await asking(open, async () => hooks?.begin(message.text, beginning(runtime)));
    const changes = await this.#deps.changes.beginTurn({ session, turnId, folders });
    const touched = new Map<string, readonly string[]>();
    runtime.files = turnFiles(folders, (paths) => changes.capture(paths));
    const confirm = async (given: ToolFacts, own?: { name: string; introduce: (isDenied: boolean) => void }) => {
      const facts = {
        ...given,
        paths: await Promise.all(given.paths.map((it) => toRealPath(it))),
        ...(given.cwd !== undefined && { cwd: await toRealPath(given.cwd) }),
      };
      touched.set(facts.toolCallId, facts.paths);
      const toolName = (id: string) =>
        own?.name ?? toolCallOf(activeTurn(this.#deps.store, chat, turnId), id)?.toolName;
      const confirmDeps = {
        effects: this.#deps,
        answers: this.#confirmations,
        writer,
        session,
        chat,
        folders,
        settings: window,
        toolName,
        beforeTool: async (call: HookedCall) => hooks?.beforeTool(call),
        capture: (paths: readonly string[]) => changes.beginTool(facts.toolCallId, paths),
        ...(own && { introduce: own.introduce }),
      };
      return asking(open, () => confirmTool(confirmDeps, facts, signal));
    };
    const keep: KeepBytes = (fileName, bytes) => this.#deps.changes.keepContent(session, fileName, bytes);
    const offered = offeredCalls(
      {
        effects: this.#deps,
        session,
        chat,
        turnId,
        starter,
        allowed: customAgent?.tools,
        writer,
        confirm: (facts, name, introduce) => confirm(facts, { name, introduce }),
        over: async (id, { success, content }) => hooks?.afterTool(id, success, textOf(content)),
        steps: this.#steps,
        keep: (content) => toEndedContent(this.#deps.secrets.within(content), keep),
        servers: () => this.#customizations.servers(),
      },
      signal,
    );
    const tokenDeps = {
      effects: this.#deps,
      writer,
      session,
      displayName: provider.displayName,
      requester: () => this.#runtimes.requester(session),
    };
    runtime.tools = { list: offered.list, call: (name, input) => asking(open, () => offered.call(name, input)) };
    const earlier = await priorTranscript(this.#deps, runtime);
    const isCut = this.#cut.delete(chat);
    const isForgotten = !earlier && (isCut || (agent.forgotEarlierTurns === true && !runtime.saidForgotten));
    runtime.saidForgotten ||= isForgotten;
    return {
      agent,
      displayName: provider.displayName,
      ...(provider.silentAfterMs !== undefined && { silentAfterMs: provider.silentAfterMs }),
      ...(customAgent && { customAgent }),
      host: {
        confirm: (facts) => confirm(facts),
        ask: (set) => asking(open, () => askPerson(this.#completions, writer, chat, set, signal)),
        token: (resource, refused) => asking(open, () => askToken(tokenDeps, resource, refused, signal)),
        tools: runtime.tools,
      },
      earlier: [...(earlier ? [earlier] : []), ...(hookWords ?? [])],
      ...(hooks && {
        hooks: {
          beforeTool: (call) => asking(open, () => hooks.beforeTool(call)),
          afterTool: (...ended) => asking(open, () => hooks.afterTool(...ended)),
          turnEnds: () => hooks.turnEnds(), // the agent is not waited for any more
        },
      }),
      ...(isForgotten && { notice: { markdown: FORGOTTEN, meta: { offer: 'attachTranscript' } } }),
      capture: async (facts) => {
        const paths = await Promise.all(facts.paths.map((it) => toRealPath(it)));
        touched.set(facts.toolCallId, paths);
        await changes.beginTool(facts.toolCallId, paths);
      },
      settle: async (toolCallId, paths) => {
        const all = [...(touched.get(toolCallId) ?? []), ...(await Promise.all(paths.map((it) => toRealPath(it))))];
        return changes.settleTool(toolCallId, all);
      },
      keep,
      end: async () => {
        await changes.end();
        for (const it of changes.notices) writer.notice(it);
      },
      abandon: () => this.#runtimes.close(chat),
    };
  }

  /** An agent that could not be opened when the session was made, and can now. */
  #markReady(session: string): void {
    const state = this.#deps.store.state('session', session);
    if (state && state.lifecycle !== 'ready') commitSession(this.#deps.store, session, { type: 'session/ready' });
  }

  #keepResumeId({ chat, agent }: AgentRuntime): void {
    const { resumeId } = agent;
    const { storage, store } = this.#deps;
    if (resumeId === undefined || storage.small.resumeId(chat) === resumeId) return;
    store.writeRows(() => storage.small.putResumeId(chat, resumeId));
  }
}

/** How the agent's conversation begins, the first time that it is asked. */
function beginning(runtime: AgentRuntime): 'startup' | 'resume' | undefined {
  if (runtime.saidBegun) return undefined;
  runtime.saidBegun = true;
  return runtime.isNew ? 'startup' : 'resume';
}

/** While a person or a hook is waited for the agent is not called silent. */
async function asking<T>(open: { asking: number }, work: () => Promise<T>): Promise<T> {
  open.asking += 1;
  try {
    return await work();
  } finally {
    open.asking -= 1;
  }
}
