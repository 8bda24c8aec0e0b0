import { Fault } from '../../platform/faults.ts';
import type { Timers } from '../../platform/timers.ts';
import { EventQueue } from '../eventQueue.ts';
import type { SessionContext, TurnEvent, TurnHost, TurnRequest } from '../provider.ts';
import type { Conversation } from './conversation/conversation.ts';
import { Loop, type LoopDeps } from './loop.ts';
import { ContextOverflow } from './models/askModel.ts';
import type { ChosenModel } from './models/connectModel.ts';
import type { LanguageModel } from './models/languageModel.ts';
import type { Mode } from './modes.ts';
import { systemPrompt } from './systemPrompt.ts';
import { delegateWith } from './tools/delegate.ts';
import { edit, patch, write } from './tools/edits.ts';
import { fetchWith } from './tools/fetchPage.ts';
import { list } from './tools/list.ts';
import { presentPlanWith } from './tools/presentPlan.ts';
import { read } from './tools/read.ts';
import type { RipgrepDeps } from './tools/ripgrep.ts';
import { runWith } from './tools/run.ts';
import { searchWith } from './tools/search.ts';
import { ask, todo } from './tools/talk.ts';
import type { CoderTool } from './tools/tool.ts';
import { toUserEntry } from './toUserEntry.ts';
import { TurnUsage } from './usage.ts';

export const COMPACT = '/compact';
const MOST_STEPS = 200;
const MOST_STEPS_OF_SUB_AGENT = 60;

export interface TurnDeps {
  readonly context: SessionContext;
  readonly timers: Timers;
  readonly search: Omit<RipgrepDeps, 'timers'>;
  readonly conversation: Conversation;
  readonly chosen: ChosenModel;
  readonly model: LanguageModel;
  readonly mode: () => Mode;
  /** Called when the user starts the plan. */
  readonly leavePlan: () => void;
  readonly request: TurnRequest;
  readonly host: TurnHost;
  readonly signal: AbortSignal;
}

/** One turn of the agent: a message, the calls to the model, and the tool calls. */
export class CoderTurn {
  readonly #deps: TurnDeps;
  readonly #queue = new EventQueue();
  readonly #usage = new TurnUsage();
  readonly #steered: string[] = [];
  #calls = 0;
  #isOver = false;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
  }

  async *events(): AsyncGenerator<TurnEvent, void> {
    const playing = this.#play().then(
      () => this.#finish(undefined),
      (thrown: unknown) => this.#finish(thrown),
    );
    try {
      yield* this.#queue.pull();
    } finally {
      await playing;
    }
  }

  /** @returns false if the turn ends without another call to the model */
  steer(text: string): boolean {
    if (this.#isOver || this.#isCompacting) return false;
    this.#steered.push(text);
    return true;
  }

  async #play(): Promise<void> {
    const { conversation, context, request } = this.#deps;
    const loop = new Loop(this.#loopDeps());
    if (this.#isCompacting) return loop.compact(true);
    const message = await toUserEntry(request, context);
    await conversation.add(message);
    try {
      await loop.run();
    } catch (thrown) {
      // Otherwise, the message would also be part of every later call, which would not fit either.
      if (thrown instanceof ContextOverflow && conversation.entries.at(-1) === message)
        await conversation.replace(conversation.entries.slice(0, -1));
      throw thrown;
    }
  }

  get #isCompacting(): boolean {
    return this.#deps.request.text.trim() === COMPACT;
  }

  #finish(thrown: unknown): void {
    this.#isOver = true;
    if (thrown === undefined || this.#deps.signal.aborted) this.#queue.end();
    else if (thrown instanceof ContextOverflow)
      this.#queue.fail(
        new Fault(
          'unavailable',
          'The conversation does not fit into the context of the model. Shorten the message, or choose a model with a larger context.',
        ),
      );
    else this.#queue.fail(thrown);
  }

  #loopDeps(): LoopDeps {
    const { context, host, timers, signal, request, model, chosen, conversation, mode } = this.#deps;
    const { turnId, customAgent, isDelegated = false } = request;
    return {
      context,
      host,
      timers,
      signal,
      conversation,
      chosen,
      model,
      queue: this.#queue,
      usage: this.#usage,
      turnId,
      isDelegated,
      tools: () => this.#toolsOf(mode()),
      offersTools: () => mode() === 'build',
      system: () => systemPrompt({ context, mode: mode(), customAgent, isDelegated }),
      takeSteered: () => this.#steered.splice(0),
      newCallId: () => `${turnId}-call-${(this.#calls += 1)}`,
      mostSteps: isDelegated ? MOST_STEPS_OF_SUB_AGENT : MOST_STEPS,
    };
  }

  #toolsOf(mode: Mode): readonly CoderTool[] {
    if (mode === 'chat') return [];
    const { timers, leavePlan, request, chosen } = this.#deps;
    const plan = mode === 'plan' ? [presentPlanWith(leavePlan)] : [];
    // A sub-agent reports to the agent that delegated. It starts no other sub-agents.
    const own = request.isDelegated ? [] : [delegateWith(chosen.name), ...plan];
    return [...this.#folderTools(mode), fetchWith(timers), ask, todo, ...own];
  }

  /** Tools that require a folder. */
  #folderTools(mode: Mode): readonly CoderTool[] {
    const { context, timers, search } = this.#deps;
    if (context.folders.length === 0) return [];
    const all = [read, list, searchWith({ ...search, timers }), edit, write, patch, runWith(timers)];
    return mode === 'plan' ? all.filter((it) => it.isReading) : all;
  }
}
