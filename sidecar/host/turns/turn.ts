import type { Attachment, CustomAgent, QuestionSet, ToolFacts, TurnEvent, TurnRequest } from '../../agents/provider.ts';
import { UsageLimitReached } from '../../agents/usageLimits.ts';
import { Fault, toFault } from '../../platform/faults.ts';
import type { ChatAction } from '../../protocol/channels/chat/actions.ts';
import type { PlanMeta } from '../../protocol/channels/chat/planMeta.ts';
import type { Message } from '../../protocol/shared.ts';
import type { AgentRuntime, AgentRuntimes } from '../agents/agentRuntimes.ts';
import type { TurnChanges } from '../changes/changes.ts';
import { withContents } from '../context/attachedContents.ts';
import { activeTurn, commitSession } from '../context/chatAccess.ts';
import type { Delegate } from '../context/delegating.ts';
import { type EffectDeps, plainWindow } from '../context/effectDeps.ts';
import { problemFrom } from '../context/problems.ts';
import { textOf } from '../context/toolContent.ts';
import { turnFiles } from '../context/turnFiles.ts';
import type { TurnHooks } from '../hooks/turnHooks.ts';
import { toolMeta } from '../tools/toolQuestion.ts';
import { TurnWriter } from '../tools/turnWriter.ts';
import type { AgentCommands } from './agentCommands.ts';
import { followAnnotations, withAnnotations } from './annotations.ts';
import { askPerson } from './askPerson.ts';
import { countTurn, type TurnCount } from './countedUsage.ts';
import type { Customizations } from './customizations.ts';
import { recordDecision } from './decisions.ts';
import { toErrorInfo } from './errorInfo.ts';
import { resumeIdKeeper } from './keepResumeId.ts';
import { budgetedTurn, startingTurn } from './limits/limitedTurn.ts';
import { openTurnHooks } from './openTurnHooks.ts';
import { priorTranscript } from './priorTranscript.ts';
import { type TurnAnswers, TurnQuestions, Waits } from './questions.ts';
import type { Connections } from './sandbox/connections.ts';
import { SilenceWatch } from './silence.ts';
import { beginning, whenAborted } from './turnMoments.ts';
import { asCustomAgent, toTurnRequest } from './turnRequest.ts';
import { countUnasked, noteUnasked, unaskedAnyway } from './unasked.ts';

/** How long an agent may take to end after it was asked to. */
const SETTLE_LIMIT_MS = 5_000;
/** Events in a row without giving others a turn. */
const EVENTS_PER_BREATH = 64;
const MODELS = {
  gateway: "The agent uses the gateway's models. Each chat of this session has its own key.",
  editor: "The agent uses a model of VS Code, which reports no usage. What the agent's messages cost is unknown.",
  own: 'The agent uses its own sign-in or keys for models.',
} as const;
const FORGOTTEN = 'The agent no longer remembers the earlier turns in this chat.';

/** What all turns of a host have in common. */
export interface TurnDeps {
  readonly effects: EffectDeps;
  readonly runtimes: AgentRuntimes;
  readonly answers: TurnAnswers;
  readonly customizations: Pick<Customizations, 'agent' | 'ready' | 'servers'>;
  /** Throws when whoever asks did not push what the session's agent cannot be used without. */
  readonly requireTokens: (session: string) => void;
  readonly delegate: Delegate;
  /** Whether the agent of a chat was made to begin anew, until the next turn says so. */
  readonly takeCut: (chat: string) => boolean;
  /** Programs in the sandbox of a session ask about hosts in its turn. */
  readonly connections: Connections;
}
export interface Begun {
  readonly turnId: string;
  /** With the chats that it attaches as text. */
  readonly message: Message;
  /** The client that started it; absent for a message that waited in the queue. */
  readonly starter: string | undefined;
}

/** What there is once the agent is open and the turn can be played. */
interface Prepared {
  readonly runtime: AgentRuntime;
  readonly customAgent: CustomAgent | undefined;
  readonly hooks: TurnHooks | undefined;
  readonly questions: TurnQuestions;
  /** What the agent has to know of before, in front of what the person attached. */
  readonly earlier: readonly Attachment[];
  readonly isForgotten: boolean;
}

/**
 * One turn of a chat, from its prompt to its end. It gets exactly one closing action, and that is the last: one of the two
 * of {@link #close}, or the `chat/turnCancelled` whose commit aborted the signal. A chat never shows a turn that nobody is
 * running.
 */
export class Turn {
  readonly #deps: TurnDeps;
  readonly #chat: string;
  readonly #begun: Begun;
  readonly #signal: AbortSignal;
  readonly #writer: TurnWriter;
  readonly #waits = new Waits();
  readonly #keepResumeId: ReturnType<typeof resumeIdKeeper>;
  #runtime: AgentRuntime | undefined;
  #changes: TurnChanges | undefined;
  #commands: AgentCommands | undefined;
  #counted: TurnCount | undefined;
  #leave: (() => void) | undefined;
  #connectionsOver: (() => void) | undefined;

  constructor(deps: TurnDeps, chat: string, begun: Begun, signal: AbortSignal) {
    this.#deps = deps;
    this.#chat = chat;
    this.#begun = begun;
    this.#signal = signal;
    this.#keepResumeId = resumeIdKeeper(deps.effects);
    this.#writer = new TurnWriter(deps.effects, chat, begun.turnId);
  }

  async play(): Promise<void> {
    const { effects, runtimes } = this.#deps;
    const { turnId, message } = this.#begun;
    if (!activeTurn(effects.store, this.#chat, turnId)) return;
    const model = runtimes.get(this.#chat)?.agent.options.model;
    const request = async () =>
      toTurnRequest(turnId, await withContents(effects, withAnnotations(effects.store, message)), model);
    const startedMs = effects.clock.nowMs();
    try {
      const failure = await this.#playOut(request);
      this.#close(startedMs, failure);
    } finally {
      this.#letGo();
      await Promise.resolve(this.#commands?.end()).finally(this.#leave);
    }
  }

  /** @returns why it failed; a failure after the turn was stopped is reported to nobody */
  async #playOut(request: () => Promise<TurnRequest>): Promise<Fault | undefined> {
    const { effects } = this.#deps;
    try {
      const starting = startingTurn(this.#asked);
      const setUpNotice = await effects.setUps.over(starting);
      if (setUpNotice !== undefined) this.#writer.notice(setUpNotice);
      this.#leave = await effects.places.enter(starting);
      this.#signal.throwIfAborted(); // a turn that was stopped in the meantime starts nothing
      const prepared = await this.#prepare();
      this.#signal.throwIfAborted();
      await this.#run(prepared, await request());
      this.#writer.flush();
      await this.#endChanges();
      return undefined;
    } catch (thrown) {
      await this.#endChanges().catch((failed: unknown) => effects.report(effects.newId(), failed));
      return this.#signal.aborted ? undefined : this.#fail(thrown);
    }
  }

  /** Opens the agent, and what the turn needs besides. */
  async #prepare(): Promise<Prepared> {
    const { effects, runtimes, answers, customizations, requireTokens, takeCut } = this.#deps;
    const { turnId, message } = this.#begun;
    const [chat, signal, writer, waits] = [this.#chat, this.#signal, this.#writer, this.#waits];
    const own = effects.store.metadata(chat)?.session ?? '';
    requireTokens(own);
    const { env } = runtimes.requester(own)?.window ?? plainWindow;
    const ask = (set: QuestionSet) => waits.during(() => askPerson(answers.completions, writer, chat, set, signal));
    if (effects.sandboxes.isOn(own))
      await (await import('./sandbox/inSandbox.ts')).startSandbox({ effects, session: own, env, ask });
    const runtime = await runtimes.use(chat);
    this.#runtime = runtime;
    const { session, folders, agent } = runtime;
    this.#markReady(session);
    this.#keepResumeId(runtime);
    const requester = () => runtimes.requester(session);
    const starter = this.#begun.starter ?? requester()?.clientId;
    const chosen = message.agent?.uri;
    const customAgent =
      chosen === undefined ? undefined : await customizations.agent(session, chosen, requester(), signal);
    await customizations.ready(session, signal);
    const hooks = await openTurnHooks(effects, runtime, writer, () => requester()?.window ?? plainWindow, signal);
    const hookWords = await waits.during(async () => hooks?.begin(message.text, beginning(runtime)));
    // What changes on this machine in the meantime is not the agent's work.
    const watched = runtime.provider.isRemote ? [] : folders;
    const changes = await effects.changes.beginTurn({ session, turnId, folders: watched });
    this.#changes = changes;
    const questions = new TurnQuestions({
      effects,
      answers,
      waits,
      runtime,
      turnId,
      writer,
      changes,
      hooks,
      customizations,
      requester,
      starter,
      delegate: this.#deps.delegate,
      customAgent: message.agent,
      allowed: customAgent?.tools,
      signal,
    });
    this.#connectionsOver = this.#deps.connections.began(session, questions);
    runtime.tools = questions.tools;
    runtime.terminals = questions.commands;
    this.#commands = questions.commands;
    runtime.files = turnFiles(folders, (paths) => changes.capture(paths), questions.write);
    const transcript = await priorTranscript(effects, runtime);
    const isCut = takeCut(chat);
    const isForgotten = !transcript && (isCut || (agent.forgotEarlierTurns === true && !runtime.isForgottenReported));
    runtime.isForgottenReported ||= isForgotten;
    const earlier = [...(transcript ? [transcript] : []), ...(hookWords ?? [])];
    return { runtime, customAgent, hooks, questions, earlier, isForgotten };
  }

  async #run(prepared: Prepared, request: TurnRequest): Promise<void> {
    const { runtime, customAgent, hooks, earlier, isForgotten } = prepared;
    this.#writer.problem(isForgotten ? { kind: 'forgotEarlierTurns' } : undefined);
    if (isForgotten) this.#writer.notice(FORGOTTEN, { offer: 'attachTranscript' });
    const models = this.#deps.runtimes.newModels(runtime, request.model);
    if (models) this.#writer.notice(MODELS[models]);
    this.#counted = countTurn(this.#deps.effects, runtime, request.model, this.#writer);
    const attachments = [...earlier, ...request.attachments];
    let next: TurnRequest | undefined = asCustomAgent({ ...request, attachments }, runtime.agent, customAgent);
    const budgetOver = this.#deps.effects.budgets.turnBegan(budgetedTurn(this.#asked, runtime, prepared.questions));
    try {
      while (next) {
        await this.#pull(prepared, next);
        this.#signal.throwIfAborted();
        const text: string | undefined = await hooks?.turnEnds(); // the agent is not waited for any more
        next = text === undefined ? undefined : { ...next, text, attachments: [] };
      }
    } finally {
      budgetOver();
    }
  }

  /** What limits ask through. */
  get #asked() {
    return { deps: this.#deps, chat: this.#chat, writer: this.#writer, waits: this.#waits, signal: this.#signal };
  }

  async #pull(prepared: Prepared, request: TurnRequest): Promise<void> {
    const { timers, store } = this.#deps.effects;
    const { agent, provider } = prepared.runtime;
    const iterator = agent.run(request, prepared.questions, this.#signal)[Symbol.asyncIterator]();
    const aborted = whenAborted(this.#signal);
    const silence = new SilenceWatch({
      timers,
      writer: this.#writer,
      displayName: provider.displayName,
      silentAfterMs: provider.silentAfterMs,
      isAsking: () => this.#waits.isAny,
      lastWords: () => agent.lastWords?.(),
    });
    try {
      for (let count = 1; ; count += 1) {
        const next = iterator.next();
        next.catch(() => undefined); // an answer that comes after the abort is nobody's any more
        const result = await Promise.race([next, aborted]);
        if (result === 'aborted') return await this.#settle(iterator);
        silence.received();
        if (result.done) return;
        await this.#apply(prepared, result.value);
        this.#keepResumeId(prepared.runtime);
        if (store.isStalled) await Promise.race([store.whenWritable(), aborted]);
        if (count % EVENTS_PER_BREATH === 0) await new Promise<void>((resolve) => void timers.soon(resolve));
      }
    } finally {
      silence.stop();
      this.#writer.flush();
    }
  }

  async #apply(prepared: Prepared, event: TurnEvent): Promise<void> {
    const writer = this.#writer;
    switch (event.kind) {
      case 'text':
      case 'reasoning':
        return writer.text(event.kind, event.partId, event.text);
      case 'notice':
        return writer.notice(event.markdown, event.plan && ({ plan: [...event.plan] } satisfies PlanMeta));
      case 'stepStopped':
        return writer.notice(event.markdown, { ...event.step });
      case 'toolStarted':
        return writer.toolStarted(event);
      case 'toolInput':
        return writer.toolInput(event);
      case 'toolRunning':
        await prepared.questions.capture(event.facts, event.hasFailed === true);
        writer.toolRuns(event.facts, 'not-needed', { ...toolMeta(event.facts), agentDecided: true });
        return this.#forbidRunning(prepared, event.facts);
      case 'toolContent':
        return writer.toolContent(event.toolCallId, event.content);
      case 'toolEnded':
        writer.toolEnded(event, await prepared.questions.outputOf(event));
        await this.#waits.during(async () =>
          prepared.hooks?.afterTool(event.toolCallId, event.success, textOf(event.content)),
        );
        return this.#forbidUnasked(prepared, event.toolCallId);
      case 'usage':
        return this.#counted ? this.#counted.said(event) : writer.usage(event);
    }
  }

  /** The agent runs this tool without asking. Where a hook denies, nothing else helps: the agent is ended. */
  async #forbidRunning({ hooks, runtime }: Prepared, facts: ToolFacts): Promise<void> {
    const toolName = this.#writer.toolName(facts.toolCallId) ?? facts.kind;
    const hookVerdict = await this.#waits.during(async () => hooks?.beforeTool({ facts, toolName }));
    if (hookVerdict?.verdict !== 'deny') return;
    const { displayName } = runtime.provider;
    await this.#stopFor(`${hookVerdict.reason} ${displayName} ran the tool without asking, so it was stopped.`);
  }

  /** A call is over about which nobody was asked. */
  async #forbidUnasked({ questions, runtime }: Prepared, toolCallId: string): Promise<void> {
    const facts = questions.takeUnasked(toolCallId);
    const { session, chat, provider, agent } = runtime;
    if (facts && (await questions.shouldHaveAsked(facts)))
      countUnasked(this.#deps.effects, session, facts, provider.id, agent.version);
    if (facts && !unaskedAnyway.has(facts.kind)) {
      const call = { session, chat, turnId: this.#begun.turnId };
      recordDecision(this.#deps.effects, call, facts, { allowed: true, by: 'agent' });
    }
    const reason = facts && noteUnasked(this.#deps.effects, session, facts, provider.displayName);
    if (reason !== undefined) await this.#stopFor(reason);
  }

  async #stopFor(reason: string): Promise<never> {
    await this.#abandon();
    throw new Fault('forbidden', reason);
  }

  /** Gives the agent its time to end; one that does not is closed. */
  async #settle(iterator: AsyncIterator<TurnEvent>): Promise<void> {
    let stop: () => void = () => undefined;
    const limit = new Promise<'late'>((resolve) => {
      stop = this.#deps.effects.timers.after(SETTLE_LIMIT_MS, () => resolve('late'));
    });
    const ended = Promise.resolve(iterator.return?.()).then(
      () => 'ended' as const,
      () => 'ended' as const, // throwing is ending too
    );
    const outcome = await Promise.race([ended, limit]);
    stop();
    if (outcome === 'late') await this.#abandon();
  }

  /** The agent did not end in time. */
  #abandon(): Promise<void> {
    return this.#deps.runtimes.close(this.#chat);
  }

  /** The last look at the disk. */
  async #endChanges(): Promise<void> {
    const changes = this.#changes;
    if (!changes) return;
    await changes.end();
    for (const it of changes.notices) this.#writer.notice(it);
    const { effects } = this.#deps;
    const session = effects.store.metadata(this.#chat)?.session;
    if (session === undefined) return;
    await followAnnotations(effects, session, this.#begun.turnId).catch((thrown: unknown) =>
      effects.report(effects.newId(), thrown),
    );
  }

  /** Why the turn failed, before it is closed. */
  #fail(thrown: unknown): Fault {
    const { effects, runtimes } = this.#deps;
    const fault = toFault(thrown, effects.report);
    runtimes.refused(effects.store.metadata(this.#chat)?.session ?? '', fault);
    this.#writer.problem(problemFrom(fault));
    return fault;
  }

  #close(startedMs: number, failure: Fault | undefined): void {
    const { effects } = this.#deps;
    const { turnId } = this.#begun;
    this.#writer.flush();
    if (!effects.store.has(this.#chat) || !this.#writer.isOpen) return;
    this.#writer.activity(undefined);
    const duration = Math.max(0, Math.round(effects.clock.nowMs() - startedMs));
    if (failure instanceof UsageLimitReached) effects.parking.park(this.#chat, turnId, failure.reset);
    const closing: ChatAction = failure
      ? { type: 'chat/error', turnId, duration, error: toErrorInfo(failure) }
      : { type: 'chat/turnComplete', turnId, duration };
    this.#writer.commit(closing);
  }

  /** The agent can use the session's files, terminals, and tools only during a turn. */
  #letGo(): void {
    this.#connectionsOver?.();
    const runtime = this.#runtime;
    if (!runtime) return;
    runtime.files = undefined;
    runtime.terminals = undefined;
    runtime.tools = undefined;
    this.#counted?.stop();
    this.#keepResumeId(runtime);
  }

  /** An agent that could not be opened when the session was made, and can now. */
  #markReady(session: string): void {
    const { store } = this.#deps.effects;
    const state = store.state('session', session);
    if (state && state.lifecycle !== 'ready') commitSession(store, session, { type: 'session/ready' });
  }
}
