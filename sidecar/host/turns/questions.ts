import type { DelegatedReport, DelegatedTask } from '../../agents/delegation.ts';
import type {
  OfferedTools,
  QuestionAnswers,
  QuestionSet,
  ReadLimits,
  ToolDecision,
  ToolFacts,
  TurnEvent,
  TurnHost,
} from '../../agents/provider.ts';
import { Fault } from '../../platform/faults.ts';
import type { ToolResultContent } from '../../protocol/channels/chat/toolCalls.ts';
import { dialOf } from '../../protocol/channels/session/permissionDial.ts';
import type { FileEdit, Message } from '../../protocol/shared.ts';
import type { AgentRuntime } from '../agents/agentRuntimes.ts';
import { decidingNow } from '../agents/modes/askingModes.ts';
import type { TurnChanges } from '../changes/changes.ts';
import type { HeldFiles } from '../changes/fileHolders.ts';
import { activeTurn, toolCallOf } from '../context/chatAccess.ts';
import type { Delegate, SubAgentContent } from '../context/delegating.ts';
import { type EffectDeps, plainWindow, type Requester } from '../context/effectDeps.ts';
import { toRealPath } from '../context/paths.ts';
import { PendingAnswers } from '../context/pendingAnswers.ts';
import { type KeepBytes, textOf, toEndedContent } from '../context/toolContent.ts';
import type { HookedCall } from '../hooks/toolWords.ts';
import type { TurnHooks } from '../hooks/turnHooks.ts';
import { targetOf } from '../permissions/facts.ts';
import { noteHolders } from '../tools/heldFiles.ts';
import { offeredCalls } from '../tools/offeredCalls.ts';
import type { TurnWriter } from '../tools/turnWriter.ts';
import { AgentCommands } from './agentCommands.ts';
import { AgentWrites } from './agentWrites.ts';
import { askPerson, type Completion } from './askPerson.ts';
import type { Confirmation } from './confirmTool.ts';
import type { Customizations } from './customizations.ts';
import { type Decided, recordDecision, timesAllowed } from './decisions.ts';
import type { AsksAboutConnections, SessionNotes } from './sandbox/connections.ts';

type ToolEnded = Extract<TurnEvent, { kind: 'toolEnded' }>;

/** Files that are judged without giving others a turn. */
const JUDGED_AT_ONCE = 1_000;

/** What is waited for, of all chats: whoever answers commits an action, and its effect answers here. */
export class TurnAnswers {
  readonly confirmations = new PendingAnswers<Confirmation>();
  readonly completions = new PendingAnswers<Completion>();
  /** Calls that a client or a server runs, woken whenever one took a step. */
  readonly steps = new PendingAnswers<void>();
}

/** While a person or a hook is waited for the agent is not called silent. */
export class Waits {
  #count = 0;

  get isAny(): boolean {
    return this.#count > 0;
  }
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
    }
  }
}

export interface QuestionsDeps {
  readonly effects: EffectDeps;
  readonly answers: TurnAnswers;
  readonly waits: Waits;
  readonly runtime: AgentRuntime;
  readonly turnId: string;
  readonly writer: TurnWriter;
  readonly changes: TurnChanges;
  readonly hooks: TurnHooks | undefined;
  readonly customizations: Pick<Customizations, 'servers'>;
  /** Whoever asks now: another client may take over while the turn runs. */
  readonly requester: () => Requester | undefined;
  /** The client that started the turn. */
  readonly starter: string | undefined;
  readonly delegate: Delegate;
  /** The custom agent that was chosen for the message. */
  readonly customAgent: Message['agent'];
  /** Names of the tools that the chosen custom agent may use. Absent: all. */
  readonly allowed: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

interface HowToConfirm {
  /** A tool that the session offers, and not one of the agent's own. */
  readonly own?: { readonly name: string; readonly introduce: (isDenied: boolean) => void };
  /** It was allowed a moment ago. */
  readonly isKnown?: boolean;
  readonly agentDecides?: () => boolean;
}

/** What an agent asks during one turn: of rules, hooks and people, and of the tools that the session offers. */
export class TurnQuestions implements TurnHost, AsksAboutConnections {
  readonly tools: OfferedTools;
  readonly #deps: QuestionsDeps;
  /** By the tool call that started each. */
  readonly #subAgents = new Map<string, SubAgentContent>();
  /** Real paths that a call was said to touch. */
  readonly #touched = new Map<string, readonly string[]>();
  /** Calls that were said to run before anybody was asked about them. */
  readonly #unasked = new Map<string, ToolFacts>();
  /** By address: what was decided about connections in this turn. */
  readonly #connections = new Map<string, Promise<ToolDecision>>();
  readonly #writes: AgentWrites;
  readonly #files: HeldFiles;
  /** Runs commands for the agent, once they are allowed. */
  readonly commands: AgentCommands;

  constructor(deps: QuestionsDeps) {
    this.#deps = deps;
    const { effects, runtime } = deps;
    this.#files = effects.fileHolders.of(runtime.session, runtime.chat);
    const ended = (facts: ToolFacts, error: string | undefined) => this.#endWriting(facts, error);
    const writes = { effects, session: runtime.session, confirm: (it: ToolFacts) => this.#confirm(it), ended };
    this.#writes = new AgentWrites(writes, this.#unasked);
    this.commands = new AgentCommands({
      effects,
      session: runtime.session,
      turnId: deps.turnId,
      folders: runtime.folders,
      env: () => (deps.requester()?.window ?? plainWindow).env,
      confirm: (it, isKnown) => this.#confirm(it, { isKnown, agentDecides: () => this.#agentDecides() }),
      signal: deps.signal,
    });
    const offered = this.#offered();
    this.tools = { list: offered.list, call: (name, input) => deps.waits.during(() => offered.call(name, input)) };
  }

  confirm(facts: ToolFacts): Promise<ToolDecision> {
    return this.#confirm(facts);
  }

  async readLimits(paths: readonly string[]): Promise<ReadLimits> {
    const { effects, signal } = this.#deps;
    const { limitsOnReading } = await import('./confirmTool.ts');
    const [denied, asking] = [new Set<string>(), new Set<string>()];
    for (let at = 0; at < paths.length; at += JUDGED_AT_ONCE) {
      signal.throwIfAborted();
      const found = limitsOnReading(this.#judging(), paths.slice(at, at + JUDGED_AT_ONCE));
      for (const it of found.denied) denied.add(it);
      for (const it of found.asking) asking.add(it);
      await new Promise<void>((resolve) => void effects.timers.soon(resolve));
    }
    return { denied, asking };
  }

  /** A program of the session connects to a host. */
  async connect(host: string, address: string, notes: SessionNotes): Promise<ToolDecision> {
    const { connectInTurn } = await import('./sandbox/inSandbox.ts');
    const deps = {
      turn: this.#deps,
      judging: this.#judging(),
      confirm: (facts: ToolFacts, own: NonNullable<HowToConfirm['own']>) => this.#confirm(facts, { own }),
      decided: this.#connections,
    };
    return connectInTurn(deps, host, address, notes);
  }

  /** Writes a file for the agent, once that is allowed. */
  readonly write: AgentWrites['write'] = (change) => this.#writes.write(change);

  ask(set: QuestionSet): Promise<QuestionAnswers> {
    const { answers, runtime, writer, waits, signal } = this.#deps;
    return waits.during(() => askPerson(answers.completions, writer, runtime.chat, set, signal));
  }

  token(resource: string, refused?: string): Promise<string> {
    const { effects, runtime, writer, waits, requester, signal } = this.#deps;
    const { session, provider } = runtime;
    const deps = { effects, writer, session, displayName: provider.displayName, requester };
    return waits.during(async () => (await import('./askToken.ts')).askToken(deps, resource, refused, signal));
  }

  delegate(task: DelegatedTask): Promise<DelegatedReport> {
    const { runtime, turnId, writer, waits, delegate, customAgent, signal } = this.#deps;
    const { toolCallId } = task;
    const shows = (content: SubAgentContent) => {
      this.#subAgents.set(toolCallId, content);
      writer.commit({ type: 'chat/toolCallContentChanged', turnId, toolCallId, content: [content] });
    };
    const { session, chat } = runtime;
    return waits.during(() => delegate({ session, chat, task, customAgent, signal, shows }));
  }

  /** Keeps the bytes of what a tool that runs by itself may change, before it does. */
  async capture(facts: ToolFacts, hasFailed: boolean): Promise<void> {
    const paths = await realPaths(facts.paths);
    if (!hasFailed) this.#unasked.set(facts.toolCallId, { ...facts, paths });
    this.#touched.set(facts.toolCallId, paths);
    if (targetOf[facts.kind] === 'edit' && !hasFailed) this.#holdUnasked(paths);
    await this.#deps.changes.beginTool(facts.toolCallId, paths);
  }

  /** What a call that is over did without a question, if it did: some agents ask after they said that it runs. */
  takeUnasked(toolCallId: string): ToolFacts | undefined {
    const facts = this.#unasked.get(toolCallId);
    this.#unasked.delete(toolCallId);
    return facts;
  }

  /** Whether the agent should have asked before it ran the tool. */
  async shouldHaveAsked(facts: ToolFacts): Promise<boolean> {
    if (this.#agentDecides()) return false;
    const { needsQuestion } = await import('./confirmTool.ts');
    return needsQuestion(this.#judging(), facts);
  }

  /** What a tool call that ended put out, the sub-agent that it started, and what it changed on disk. */
  async outputOf({ toolCallId, content, paths }: ToolEnded): Promise<ToolResultContent[]> {
    const edits = await this.settle(toolCallId, paths ?? []);
    const output = await toEndedContent(this.#deps.effects.secrets.within(content), this.keep);
    const files = edits.map((it) => ({ type: 'fileEdit', ...it }) as const);
    const subAgent = this.#subAgents.get(toolCallId);
    return [...(subAgent ? [subAgent] : []), ...output, ...files];
  }

  /** What the disk says now about the files of a tool call, and about `paths`. */
  async settle(toolCallId: string, paths: readonly string[]): Promise<readonly FileEdit[]> {
    this.#writes.over(toolCallId);
    this.commands.over(toolCallId);
    const all = [...(this.#touched.get(toolCallId) ?? []), ...(await realPaths(paths))];
    return this.#deps.changes.settleTool(toolCallId, all);
  }

  /** Keeps large output for as long as the session lives. */
  readonly keep: KeepBytes = (fileName, bytes) =>
    this.#deps.effects.changes.keepContent(this.#deps.runtime.session, fileName, bytes);

  async #confirm(given: ToolFacts, { own, isKnown, agentDecides }: HowToConfirm = {}): Promise<ToolDecision> {
    const { effects, answers, runtime, turnId, writer, changes, hooks, waits, signal } = this.#deps;
    const { session, chat } = runtime;
    const facts = {
      ...given,
      paths: await realPaths(given.paths),
      ...(given.cwd !== undefined && { cwd: await toRealPath(given.cwd) }),
    };
    this.#unasked.delete(facts.toolCallId);
    this.#touched.set(facts.toolCallId, facts.paths);
    const confirmDeps = {
      ...this.#judging(own?.name),
      answers: answers.confirmations,
      writer,
      chat,
      beforeTool: async (call: HookedCall) => hooks?.beforeTool(call),
      files: this.#files,
      capture: (paths: readonly string[]) => changes.beginTool(facts.toolCallId, paths),
      timesAllowed: (rule: string) => timesAllowed(effects, session, rule),
      record: (it: ToolFacts, decided: Decided) => recordDecision(effects, { session, chat, turnId }, it, decided),
      ...(facts.startsSubAgent && { refusal: () => this.#limitSubAgents(facts) }),
      ...(own && { introduce: own.introduce }),
      ...(agentDecides && { agentDecides }),
    };
    const { confirmAgain, confirmTool } = await import('./confirmTool.ts');
    if (isKnown) return confirmAgain(confirmDeps, facts);
    const decision = await waits.during(() => confirmTool(confirmDeps, facts, signal));
    if (!decision.allow && facts.startsSubAgent) effects.subAgents.denied(session, chat, facts.toolCallId);
    if (decision.allow && !own) {
      this.#writes.allowed(facts);
      this.commands.allowed(facts, decision.editedInput);
    }
    return decision;
  }

  /** What rules are applied to. @param ownName of a tool that the session offers */
  #judging(ownName?: string) {
    const { effects, runtime, turnId, requester } = this.#deps;
    const { session, chat, folders } = runtime;
    return {
      effects,
      session,
      folders,
      settings: () => requester()?.window ?? plainWindow,
      dial: () => dialOf(effects.store.state('session', session)?.config?.values),
      toolName: (id: string) => ownName ?? toolCallOf(activeTurn(effects.store, chat, turnId), id)?.toolName,
    };
  }

  /** The agent changes these without asking. */
  #holdUnasked(paths: readonly string[]): void {
    const { effects, writer } = this.#deps;
    noteHolders(effects, writer, this.#files.others(this.#files.hold(paths)));
  }

  /** @returns why the agent may not start another sub-agent */
  async #limitSubAgents({ toolCallId: id }: ToolFacts): Promise<string | undefined> {
    const { effects, runtime, signal } = this.#deps;
    const { session, chat } = runtime;
    try {
      await effects.subAgents.admit({ session, chat, by: 'toolCall', id, signal });
      return undefined;
    } catch (thrown) {
      if (thrown instanceof Fault) return thrown.message;
      throw thrown;
    }
  }

  #agentDecides(): boolean {
    const { config } = this.#deps.effects.store.state('session', this.#deps.runtime.session) ?? {};
    return config !== undefined && decidingNow(config).length > 0;
  }

  /** A call that the host made for a file that the agent wrote. */
  async #endWriting({ toolCallId, invocationMessage, paths }: ToolFacts, error: string | undefined): Promise<void> {
    const edits = await this.settle(toolCallId, paths);
    const success = error === undefined;
    const ended = { kind: 'toolEnded', toolCallId, success, pastTenseMessage: invocationMessage } as const;
    const output = edits.map((it) => ({ type: 'fileEdit', ...it }) as const);
    this.#deps.writer.toolEnded({ ...ended, ...(!success && { error }) }, output);
    await this.#deps.waits.during(async () => this.#deps.hooks?.afterTool(toolCallId, success, ''));
  }

  #offered(): OfferedTools {
    const { effects, answers, runtime, turnId, writer, hooks, customizations, starter, allowed, signal } = this.#deps;
    return offeredCalls(
      {
        effects,
        session: runtime.session,
        chat: runtime.chat,
        turnId,
        starter,
        allowed,
        writer,
        confirm: (facts, name, introduce) => this.#confirm(facts, { own: { name, introduce } }),
        over: async (id, { success, content }) => hooks?.afterTool(id, success, textOf(content)),
        steps: answers.steps,
        keep: (content) => toEndedContent(effects.secrets.within(content), this.keep),
        servers: () => customizations.servers(),
      },
      signal,
    );
  }
}

const realPaths = (paths: readonly string[]): Promise<string[]> => Promise.all(paths.map((it) => toRealPath(it)));
