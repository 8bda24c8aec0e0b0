import type { ToolContent, ToolFacts, TurnEvent } from '../../agents/provider.ts';
import { toolNames } from '../../agents/toolNames.ts';
import type { ChatAction } from '../../protocol/channels/chat/actions.ts';
import { CallMeta, type TimedMeta } from '../../protocol/channels/chat/callMeta.ts';
import type { ToolCallContributor, ToolCallState, ToolResultContent } from '../../protocol/channels/chat/toolCalls.ts';
import type { SessionProblem } from '../../protocol/channels/session/problem.ts';
import type { CountedModel, UsageMeta } from '../../protocol/usageMeta.ts';
import { activeTurn, commitChat, toolCallOf } from '../context/chatAccess.ts';
import { DeltaBuffer } from '../context/deltaBuffer.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { setProblem } from '../context/problems.ts';
import { toRunningContent } from '../context/toolContent.ts';

/** Output of a running tool is shown at most this often, and its last part only: the result holds all of it. */
const CONTENT_LATENCY_MS = 200;

type ToolEnded = Omit<Extract<TurnEvent, { kind: 'toolEnded' }>, 'content'>;

/** Writes what an agent does into its turn, as actions. After the turn's end it writes nothing more. */
export class TurnWriter {
  readonly #deps: EffectDeps;
  readonly #chat: string;
  readonly #turnId: string;
  readonly #buffer: DeltaBuffer;
  readonly #parts = new Set<string>();
  /** What the person is asked now, the last one last. */
  readonly #asking: string[] = [];
  /** The last characters of a part, while they may be the beginning of a secret. */
  #end: { kind: 'text' | 'reasoning'; partId: string; text: string } | undefined;
  readonly #inputs = new Map<string, { stop: () => void; latest: { input: string; title: string | undefined } }>();
  readonly #contents = new Map<string, { stop: () => void; content: readonly ToolContent[] }>();
  /** When a call began to run, by its id. */
  readonly #begun = new Map<string, number>();
  /** The last part of reasoning: when it began, and whether it was written to since it was said how long it took. */
  #reasoning: { readonly partId: string; readonly sinceMs: number; isOpen: boolean } | undefined;

  constructor(deps: EffectDeps, chat: string, turnId: string) {
    this.#deps = deps;
    this.#chat = chat;
    this.#turnId = turnId;
    this.#buffer = new DeltaBuffer(
      (kind, partId, text) => this.#append(kind, partId, text),
      () => deps.latencyMs(chat),
      deps.timers,
    );
  }

  /** True while the turn is the one that runs: nobody cancelled it. */
  get isOpen(): boolean {
    return activeTurn(this.#deps.store, this.#chat, this.#turnId) !== undefined;
  }

  text(kind: 'text' | 'reasoning', partId: string, text: string): void {
    if (text === '') return;
    const isSame = kind === 'reasoning' && this.#reasoning?.partId === partId;
    if (this.#reasoning?.isOpen && !isSame) this.#endText();
    if (kind === 'reasoning') {
      const sinceMs = isSame ? this.#reasoning!.sinceMs : this.#deps.clock.nowMs();
      this.#reasoning = { partId, sinceMs, isOpen: true };
    }
    this.#buffer.add(kind, partId, text);
  }

  notice(markdown: string, meta?: Record<string, unknown>): void {
    const part = { kind: 'systemNotification', content: { markdown }, ...(meta && { _meta: meta }) } as const;
    this.commit({ type: 'chat/responsePart', turnId: this.#turnId, part });
  }

  /** @param contributor who runs it, when that is not the agent */
  toolStarted(event: Extract<TurnEvent, { kind: 'toolStarted' }>, contributor?: ToolCallContributor): void {
    if (this.#status(event.toolCallId) !== undefined) return;
    const { toolCallId, toolName, displayName, intention, parentToolCallId } = event;
    this.commit({
      type: 'chat/toolCallStart',
      turnId: this.#turnId,
      toolCallId,
      toolName,
      displayName,
      ...(intention !== undefined && { intention }),
      ...(contributor && { contributor }),
      ...(parentToolCallId !== undefined && { _meta: { parentToolCallId } satisfies CallMeta }),
    });
  }

  /** The card of a call fills while its input comes. What does not continue the text before it is left to `toolRuns`. */
  toolInput({ toolCallId, input, title }: Extract<TurnEvent, { kind: 'toolInput' }>): void {
    const waiting = this.#inputs.get(toolCallId);
    const latest = { input, title };
    if (waiting) {
      waiting.latest = latest;
      return;
    }
    const stop = this.#deps.timers.after(CONTENT_LATENCY_MS, () => this.#showInput(toolCallId));
    this.#inputs.set(toolCallId, { stop, latest });
  }

  /** The tool runs now. `toolInput` is repeated: an action without it would lose it. */
  toolRuns(facts: ToolFacts, confirmed: 'not-needed' | 'setting', meta: Record<string, unknown>): void {
    if (this.#status(facts.toolCallId) === undefined) this.#introduce(facts);
    this.toolBegins(facts.toolCallId);
    this.commit({
      type: 'chat/toolCallReady',
      turnId: this.#turnId,
      toolCallId: facts.toolCallId,
      invocationMessage: facts.invocationMessage,
      ...(facts.toolInput !== undefined && { toolInput: facts.toolInput }),
      confirmed,
      _meta: this.#withParent(facts.toolCallId, meta),
    });
  }

  /** From now on its time counts: what a person takes to answer is not the tool's. */
  toolBegins(toolCallId: string): void {
    if (!this.#begun.has(toolCallId)) this.#begun.set(toolCallId, this.#deps.clock.nowMs());
  }

  /** The tool waits for a person. `pending` holds what the person is shown. */
  toolAsks(facts: ToolFacts, pending: object, meta: Record<string, unknown>): void {
    if (this.#status(facts.toolCallId) === undefined) this.#introduce(facts);
    this.commit({
      type: 'chat/toolCallReady',
      turnId: this.#turnId,
      toolCallId: facts.toolCallId,
      invocationMessage: facts.invocationMessage,
      ...(facts.toolInput !== undefined && { toolInput: facts.toolInput }),
      ...pending,
      _meta: this.#withParent(facts.toolCallId, meta),
    });
  }

  toolContent(toolCallId: string, content: readonly ToolContent[]): void {
    if (this.#status(toolCallId) !== 'running') return;
    const waiting = this.#contents.get(toolCallId);
    if (waiting) {
      waiting.content = content;
      return;
    }
    const stop = this.#deps.timers.after(CONTENT_LATENCY_MS, () => this.#showContent(toolCallId));
    this.#contents.set(toolCallId, { stop, content });
  }

  /** @param output of the tool; with what the disk says about the files it touched */
  toolEnded(
    event: ToolEnded,
    output: readonly ToolResultContent[],
    structuredContent?: Readonly<Record<string, unknown>>,
  ): void {
    const { toolCallId, success, pastTenseMessage, error } = event;
    this.#contents.get(toolCallId)?.stop();
    this.#contents.delete(toolCallId);
    const status = this.#status(toolCallId);
    if (status === 'streaming') {
      const ready = {
        type: 'chat/toolCallReady',
        turnId: this.#turnId,
        toolCallId,
        invocationMessage: pastTenseMessage,
      } as const;
      this.commit({ ...ready, confirmed: 'not-needed' });
    } else if (status !== 'running' && status !== 'auth-required') return; // denied or skipped: the call ended before
    const content = [...output];
    const result = {
      success,
      pastTenseMessage,
      content,
      ...(structuredContent && { structuredContent: { ...structuredContent } }),
      ...(error !== undefined && { error: { message: error } }),
    };
    const meta = this.#metaOfEnded(toolCallId);
    this.commit({
      type: 'chat/toolCallComplete',
      turnId: this.#turnId,
      toolCallId,
      result,
      ...(meta && { _meta: meta }),
    });
  }

  /** @param counted the gateway's records, if the calls went through the gateway */
  usage(event: Extract<TurnEvent, { kind: 'usage' }>, counted?: readonly CountedModel[]): void {
    const { kind: _kind, context, cost, ...counts } = event;
    const meta: UsageMeta = {
      ...(context && { context }),
      ...(cost && { cost }),
      ...(counted && { counted: [...counted] }),
    };
    const usage = { ...counts, ...((context ?? cost ?? counted) && { _meta: meta }) };
    this.commit({ type: 'chat/usage', turnId: this.#turnId, usage });
  }

  problem(problem: SessionProblem | undefined): void {
    setProblem(this.#deps.store, this.#deps.store.metadata(this.#chat)?.session, this.#deps.secrets.within(problem));
  }

  /** Says that a person is asked, until all who are asked at the same time have answered. */
  async whileAsking<T>(words: string, answer: Promise<T>): Promise<T> {
    this.#asking.push(words);
    this.activity(words);
    try {
      return await answer;
    } finally {
      this.#asking.splice(this.#asking.indexOf(words), 1);
      this.activity(this.#asking.at(-1));
    }
  }

  activity(activity: string | undefined): void {
    if (this.#deps.store.state('chat', this.#chat)?.activity === activity) return;
    if (activity !== undefined) this.commit({ type: 'chat/activityChanged', activity });
    // What the agent does is over with its turn, however that ended.
    else commitChat(this.#deps.store, this.#chat, { type: 'chat/activityChanged' });
  }

  /** Everything but text goes through here: text that was gathered goes first. */
  commit(action: ChatAction): void {
    this.#endText();
    if (this.isOpen) commitChat(this.#deps.store, this.#chat, this.#deps.secrets.within(action));
  }

  /** Writes what is gathered; before the closing action. */
  flush(): void {
    this.#endText();
    for (const { stop } of [...this.#contents.values(), ...this.#inputs.values()]) stop();
    this.#contents.clear();
    this.#inputs.clear();
  }

  #append(kind: 'text' | 'reasoning', partId: string, text: string): void {
    if (this.#end && (this.#end.kind !== kind || this.#end.partId !== partId)) this.#releaseEnd();
    const clean = this.#deps.secrets.text((this.#end?.text ?? '') + text);
    const kept = clean.length - this.#deps.secrets.openEnd(clean);
    this.#end = kept === clean.length ? undefined : { kind, partId, text: clean.slice(kept) };
    if (kept > 0) this.#write(kind, partId, clean.slice(0, kept));
  }

  /** Writes the text that was gathered: something else comes. Reasoning is over then, and says how long it took. */
  #endText(): void {
    this.#buffer.flush();
    this.#releaseEnd();
    const reasoning = this.#reasoning;
    if (reasoning?.isOpen !== true || !this.isOpen) return;
    reasoning.isOpen = false;
    const { partId, sinceMs } = reasoning;
    const durationMs = Math.max(0, Math.round(this.#deps.clock.nowMs() - sinceMs));
    const ended = { type: 'chat/reasoning', turnId: this.#turnId, partId, content: '' } as const;
    commitChat(this.#deps.store, this.#chat, { ...ended, _meta: { durationMs } satisfies TimedMeta });
  }

  /** No rest is coming: it was no secret. */
  #releaseEnd(): void {
    const end = this.#end;
    this.#end = undefined;
    if (end) this.#write(end.kind, end.partId, end.text);
  }

  #write(kind: 'text' | 'reasoning', partId: string, content: string): void {
    if (!this.isOpen) return;
    const part = { kind: kind === 'text' ? 'markdown' : 'reasoning', id: partId, content: '' } as const;
    const key = `${kind} ${partId}`;
    // A part is introduced before anything is appended to it.
    if (!this.#parts.has(key))
      commitChat(this.#deps.store, this.#chat, { type: 'chat/responsePart', turnId: this.#turnId, part });
    this.#parts.add(key);
    const type = kind === 'text' ? 'chat/delta' : 'chat/reasoning';
    commitChat(this.#deps.store, this.#chat, { type, turnId: this.#turnId, partId, content });
  }

  /** The `_meta` of an action takes the place of the call's: whose call it is stays. */
  #withParent(toolCallId: string, meta: Record<string, unknown>): Record<string, unknown> {
    const { parentToolCallId } = CallMeta.safeParse(this.#call(toolCallId)?._meta).data ?? {};
    return { ...meta, ...(parentToolCallId !== undefined && { parentToolCallId }) };
  }

  /** What is known of the call already, and how long it ran. */
  #metaOfEnded(toolCallId: string): Record<string, unknown> | undefined {
    const sinceMs = this.#begun.get(toolCallId);
    this.#begun.delete(toolCallId);
    if (sinceMs === undefined) return undefined;
    const durationMs = Math.max(0, Math.round(this.#deps.clock.nowMs() - sinceMs));
    const known = this.#call(toolCallId)?._meta;
    return { ...known, durationMs } satisfies CallMeta;
  }

  #introduce(facts: ToolFacts): void {
    const { toolCallId, kind } = facts;
    this.toolStarted({ kind: 'toolStarted', toolCallId, toolName: kind, displayName: toolNames[kind] });
  }

  #showContent(toolCallId: string): void {
    const waiting = this.#contents.get(toolCallId);
    this.#contents.delete(toolCallId);
    if (!waiting || this.#status(toolCallId) !== 'running') return;
    const content = toRunningContent(waiting.content);
    this.commit({ type: 'chat/toolCallContentChanged', turnId: this.#turnId, toolCallId, content });
  }

  #showInput(toolCallId: string): void {
    const { input, title } = this.#inputs.get(toolCallId)?.latest ?? { input: '' };
    this.#inputs.delete(toolCallId);
    const call = this.#call(toolCallId);
    if (call?.status !== 'streaming') return;
    const { secrets } = this.#deps;
    const clean = secrets.text(input);
    const known = clean.slice(0, clean.length - secrets.openEnd(clean)); // its end may be the beginning of a secret
    const before = call.partialInput ?? '';
    if (!known.startsWith(before) || known === before) return;
    const content = known.slice(before.length);
    const message = title === undefined ? {} : { invocationMessage: title };
    this.commit({ type: 'chat/toolCallDelta', turnId: this.#turnId, toolCallId, content, ...message });
  }

  /** The agent's own name of a tool that it uses. */
  toolName(toolCallId: string): string | undefined {
    return this.#call(toolCallId)?.toolName;
  }

  #status(toolCallId: string): string | undefined {
    return this.#call(toolCallId)?.status;
  }

  #call(toolCallId: string): ToolCallState | undefined {
    return toolCallOf(activeTurn(this.#deps.store, this.#chat, this.#turnId), toolCallId);
  }
}
