import { Fault } from '../../platform/faults.ts';
import type { Timers } from '../../platform/timers.ts';
import type { EventQueue } from '../eventQueue.ts';
import type { SessionContext, TurnHost } from '../provider.ts';
import { contextParts, type Fixed, sizeOfFixed } from './contextParts.ts';
import { estimate, isFull, SUMMARIZE, shortened, split, tokensOf } from './conversation/compaction.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { CallPart, ResultEntry } from './conversation/entries.ts';
import { toPrompt } from './conversation/toPrompt.ts';
import type { Answer } from './models/answer.ts';
import { askModel, ContextOverflow } from './models/askModel.ts';
import type { ChosenModel } from './models/connectModel.ts';
import type { CallOptions, FunctionTool, LanguageModel } from './models/languageModel.ts';
import type { SystemPrompt } from './systemPrompt.ts';
import { toJsonSchema } from './tools/jsonSchema.ts';
import { nameOffers } from './tools/offered.ts';
import { runCall } from './tools/runCall.ts';
import type { CoderTool } from './tools/tool.ts';
import type { TurnUsage } from './usage.ts';

export interface LoopDeps {
  readonly context: SessionContext;
  readonly host: TurnHost;
  readonly timers: Pick<Timers, 'wait'>;
  readonly queue: EventQueue;
  readonly signal: AbortSignal;
  readonly turnId: string;
  readonly chosen: ChosenModel;
  readonly model: LanguageModel;
  readonly conversation: Conversation;
  readonly usage: TurnUsage;
  /** The agent's own tools in the current mode, which can change during a turn. */
  readonly tools: () => readonly CoderTool[];
  /** Whether the session's tools can be used in the current mode. */
  readonly offersTools: () => boolean;
  readonly system: () => Promise<SystemPrompt>;
  /** Messages that the user sent during the turn, each returned once. */
  readonly takeSteered: () => readonly string[];
  readonly newCallId: () => string;
  /** Another conversation delegated the task. */
  readonly isDelegated: boolean;
  readonly mostSteps: number;
}

/** Older Anthropic models reject a higher value. The AI SDK lowers it for models that allow less. */
const MOST_OUTPUT_TOKENS = 16_000;
/** By these headers, the gateway recognizes the calls of sub-agents and tells sub-agents apart. */
const PARENT_SESSION = 'x-parent-session-id';
const SUB_AGENT = 'x-session-affinity';

const NO_SUMMARY =
  'The model did not return a summary of the conversation. Send the message again, or choose another model.';

/** Calls the model and runs the tools that it calls, until it calls none. */
export class Loop {
  readonly #deps: LoopDeps;
  #parts = 0;
  /** What the last call contained besides the conversation. */
  #fixed: Fixed = { system: 0, instructions: 0, tools: 0 };
  /** The tokens of the last call, and the number of entries that they cover. */
  #counted: { readonly used: number; readonly entries: number } | undefined;

  constructor(deps: LoopDeps) {
    this.#deps = deps;
  }

  /** @returns the last text. @throws {Fault} if the model or the disk fails; {@link ContextOverflow}; the reason of the signal */
  async run(): Promise<string> {
    const { conversation, mostSteps, takeSteered, signal } = this.#deps;
    for (let step = 0; step < mostSteps; step += 1) {
      await this.#makeRoom();
      const answer = await this.#ask();
      signal.throwIfAborted();
      const calls = answer.parts.filter((it) => it.type === 'call');
      await this.#playAll(calls);
      const steered = takeSteered();
      for (const text of steered) await conversation.add({ role: 'user', parts: [{ type: 'text', text }] });
      if (calls.length > 0 || steered.length > 0) continue;
      if (answer.finish === 'length')
        this.#notice('The response reached the maximum length. To get the rest, send "continue".');
      if (answer.finish === 'content-filter')
        this.#notice(
          "The provider's content filter stopped the response. Rephrase the message, or choose another model.",
        );
      return textOf(answer);
    }
    this.#notice(`The agent stopped because a turn is limited to ${mostSteps} steps. To continue, send "continue".`);
    return `Stopped after ${mostSteps} steps.`;
  }

  /**
   * Replaces the older entries of the conversation with a summary.
   * @param isRequested whether the user asked for it
   * @throws {Fault} if the model or the disk fails; {@link ContextOverflow}; the reason of the signal
   */
  async compact(isRequested: boolean): Promise<void> {
    const { conversation, chosen, usage, signal } = this.#deps;
    const { old, kept } = split(conversation.entries, chosen.context);
    if (old.length === 0) {
      if (isRequested) this.#notice('The conversation is too short to be summarized.');
      return;
    }
    const request = { role: 'user' as const, parts: [{ type: 'text' as const, text: SUMMARIZE }] };
    const { system, tools } = await this.#fixedParts();
    const prompt = toPrompt(system, [...shortened(old), request], chosen.dialect);
    // Anthropic rejects a conversation with tool calls if the request defines no tools.
    const answer = await this.#call({ prompt, tools }, () => () => undefined);
    this.#reportUsage();
    signal.throwIfAborted();
    const text = textOf(answer);
    if (text === '') throw new Fault('unavailable', NO_SUMMARY);
    await conversation.replace([{ role: 'summary', text }, ...kept]);
    this.#counted = undefined;
    usage.estimated(estimate(conversation.entries));
    this.#notice(
      isRequested
        ? 'The earlier conversation was summarized.'
        : 'The context was almost full, so the earlier conversation was summarized.',
    );
    this.#reportUsage();
  }

  async #makeRoom(): Promise<void> {
    const { conversation, chosen } = this.#deps;
    const { used, entries } = this.#counted ?? { used: 0, entries: 0 };
    if (isFull(used + estimate(conversation.entries.slice(entries)), chosen.context)) await this.compact(false);
  }

  /** Adds the model's answer to the conversation. */
  async #ask(): Promise<Answer> {
    const { conversation } = this.#deps;
    for (let isSecond = false; ; isSecond = true) {
      try {
        return await this.#answer();
      } catch (thrown) {
        // The context of the model is smaller than its record says.
        if (!(thrown instanceof ContextOverflow)) throw thrown;
        const before = conversation.entries.length;
        if (!isSecond) await this.compact(false);
        if (isSecond || conversation.entries.length === before) throw thrown;
      }
    }
  }

  async #answer(): Promise<Answer> {
    const { conversation, chosen, queue, turnId } = this.#deps;
    const { system, tools } = await this.#fixedParts();
    const prompt = toPrompt(system, conversation.entries, chosen.dialect);
    const first = this.#parts;
    let begun: Answer | undefined;
    try {
      const answer = await this.#call(
        { prompt, tools },
        (attempt) => (kind, part, text) => {
          queue.push({ kind, partId: `${turnId}-text-${first}-${attempt}-${part}`, text });
        },
        (it) => (begun = it),
      );
      this.#parts += 1;
      await conversation.add({ role: 'assistant', dialect: chosen.dialect, parts: [...answer.parts] });
      const { inputTokens, outputTokens } = answer.usage ?? {};
      let used = inputTokens?.total;
      if (used !== undefined) used += outputTokens?.total ?? 0;
      else {
        used = tokensOf(sizeOfFixed(this.#fixed)) + estimate(conversation.entries);
        this.#deps.usage.estimated(used);
      }
      this.#counted = { used, entries: conversation.entries.length };
      this.#reportUsage();
      return answer;
    } catch (thrown) {
      const said = this.#deps.signal.aborted ? (begun?.said ?? []) : [];
      if (said.length > 0) await conversation.add({ role: 'assistant', dialect: chosen.dialect, parts: [...said] });
      throw thrown;
    }
  }

  async #call(
    { prompt, tools }: { readonly prompt: CallOptions['prompt']; readonly tools: readonly FunctionTool[] },
    onText: Parameters<typeof askModel>[0]['onText'],
    onAnswer: (answer: Answer) => void = () => undefined,
  ): Promise<Answer> {
    const { model, timers, signal, usage, chosen, context, isDelegated, turnId } = this.#deps;
    const answer = await askModel({
      model,
      timers,
      signal,
      onText,
      onAnswer,
      onRetry: (reason, hasBegun) =>
        this.#notice(
          hasBegun
            ? `The response was interrupted: ${reason} Trying again.`
            : `The model did not answer: ${reason} Trying again.`,
        ),
      options: {
        prompt,
        ...(tools.length > 0 && { tools: [...tools] }),
        ...(chosen.dialect === 'messages' && { maxOutputTokens: MOST_OUTPUT_TOKENS }),
        // The conversation is stored here, so the provider does not have to store it.
        ...(chosen.dialect === 'responses' && { providerOptions: { openai: { store: false } } }),
        ...(isDelegated && { headers: { [PARENT_SESSION]: context.sessionId, [SUB_AGENT]: turnId } }),
      },
    });
    usage.add(answer.usage);
    return answer;
  }

  #offer() {
    const { tools, host, offersTools } = this.#deps;
    const own = tools();
    const offers = nameOffers(offersTools() ? host.tools.list() : [], new Set(own.map((it) => it.name)));
    const functions = own.map(({ name, description, input }): FunctionTool => {
      return { type: 'function', name, description, inputSchema: toJsonSchema(input) };
    });
    return { own, offers, functions: [...functions, ...offers.tools] };
  }

  /** Consecutive calls that only read run in parallel. Every other call runs alone. */
  async #playAll(calls: readonly CallPart[]): Promise<void> {
    const { conversation, context, host, queue, signal, newCallId } = this.#deps;
    const { own: tools, offers } = this.#offer();
    const isReading = (call: CallPart) => tools.find((it) => it.name === call.name)?.isReading === true;
    const play = async (call: CallPart): Promise<void> => {
      const deps = { context, host, queue, signal, tools, offers, newCallId };
      const result: ResultEntry = await runCall(call, deps);
      await conversation.add(result);
    };
    for (let at = 0; at < calls.length; ) {
      const end = calls.findIndex((it, index) => index >= at && !isReading(it));
      const group = end === at ? calls.slice(at, at + 1) : calls.slice(at, end === -1 ? calls.length : end);
      const played = await Promise.allSettled(group.map(play));
      const lost = played.find((it) => it.status === 'rejected');
      if (lost) throw lost.reason;
      at += group.length;
    }
  }

  #notice(markdown: string): void {
    this.#deps.queue.push({ kind: 'notice', markdown });
  }

  #reportUsage(): void {
    const { usage, chosen, queue, conversation } = this.#deps;
    const parts = (used: number) => contextParts(used, this.#fixed, conversation.entries);
    queue.push(usage.event(chosen.name, chosen.context, parts));
  }

  /** What each call contains besides the conversation. */
  async #fixedParts(): Promise<{ readonly system: string; readonly tools: readonly FunctionTool[] }> {
    const { text, guided } = await this.#deps.system();
    const { functions: tools } = this.#offer();
    this.#fixed = { system: text.length - guided, instructions: guided, tools: JSON.stringify(tools).length };
    return { system: text, tools };
  }
}

const textOf = ({ parts }: Answer): string =>
  parts
    .map((it) => (it.type === 'text' ? it.text : ''))
    .join('')
    .trim();
