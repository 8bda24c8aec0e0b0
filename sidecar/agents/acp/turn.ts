import type { Timers } from '../../platform/timers.ts';
import { EventQueue } from '../eventQueue.ts';
import type { PlanStep, SessionFiles, TurnEvent, TurnHost, TurnRequest } from '../provider.ts';
import type { AgentTerminal } from '../terminals.ts';
import { Compactions } from './compactions.ts';
import type { AgentConnection } from './connection.ts';
import { type Elicitation, type Elicited, toElicited, toQuestionSet } from './elicitation.ts';
import { isAuthRequired, signInNeeded, toAgentFault } from './faults.ts';
import { chooseOption } from './permissions.ts';
import { introduce, type PromptAbilities, type PromptBlock, toPrompt } from './prompt.ts';
import { ToolCalls } from './toolCalls.ts';
import { TurnUsage } from './usage.ts';
import { type RateLimit, usageLimitIn } from './usageLimits.ts';
import type { AcpAgent } from './wellKnown.ts';
import { type AuthMethod, type PermissionRequest, PromptResult, type SessionUpdate } from './wire.ts';

export interface TurnDeps {
  readonly agent: AcpAgent;
  readonly connection: AgentConnection;
  readonly sessionId: string;
  readonly cwd: string;
  readonly files: SessionFiles;
  readonly abilities: PromptAbilities;
  readonly authMethods: readonly AuthMethod[];
  readonly canSteer: boolean;
  readonly timers: Pick<Timers, 'after' | 'soon'>;
  readonly cancelMs: number;
  readonly request: TurnRequest;
  readonly host: TurnHost;
  readonly signal: AbortSignal;
}

/** One turn: a prompt, what the agent writes and asks meanwhile, and follow-up prompts for reasons it could not take. */
export class LiveTurn {
  readonly #deps: TurnDeps;
  readonly #queue = new EventQueue();
  readonly #tools: ToolCalls;
  readonly #usage: TurnUsage;
  readonly #compactions = new Compactions();
  /** Reasons of denials that the agent has not received; a permission's answer has no field for them. */
  readonly #undelivered: string[] = [];
  #deliveries: Promise<void>[] = [];
  /** Those that the agent has not released. */
  readonly #terminals = new Set<AgentTerminal>();
  #part = 0;
  #partKind: 'text' | 'reasoning' | undefined;
  #plan = '';
  /** How many forms the agent showed. */
  #forms = 0;
  #rateLimit: RateLimit | undefined;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
    this.#tools = new ToolCalls(deps.cwd);
    this.#usage = new TurnUsage(deps.request.model);
  }

  async *events(): AsyncGenerator<TurnEvent, void> {
    void this.#play().then(
      () => this.#finish(undefined),
      (thrown: unknown) => this.#finish(thrown),
    );
    yield* this.#queue.pull();
  }

  update(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#pushText('text', update.content.text);
        return;
      case 'agent_thought_chunk':
        this.#pushText('reasoning', update.content.text);
        return;
      case 'tool_call':
      case 'tool_call_update':
        this.#partKind = undefined;
        this.#queue.push(...this.#tools.update(update));
        return;
      case 'plan': {
        const plan = update.entries.map((it) => ({ text: it.content, state: planStates[it.status] ?? 'open' }));
        const said = JSON.stringify(plan);
        if (plan.length === 0 || said === this.#plan) return;
        this.#plan = said;
        this.#partKind = undefined;
        const markdown = plan.map((it) => `- [${it.state === 'done' ? 'x' : ' '}] ${it.text}`).join('\n');
        this.#queue.push({ kind: 'notice', markdown, plan });
        return;
      }
      case 'usage_update':
        this.#rateLimit = update._meta?.['_claude/rateLimit'] ?? this.#rateLimit;
        this.#queue.push(...this.#usage.updated(update));
        return;
      case 'notice': {
        const { title, description } = update;
        this.#partKind = undefined;
        this.#queue.push({ kind: 'notice', markdown: description ? `${title}\n\n${description}` : title });
        return;
      }
      case 'compaction_update':
      case 'compaction_summary_chunk': {
        const markdown = this.#compactions.updated(update);
        if (markdown === undefined) return;
        this.#partKind = undefined;
        this.#queue.push({ kind: 'notice', markdown });
        return;
      }
      // What the agent offers belongs to the session, which reads these itself.
      case 'session_info_update':
      case 'available_commands_update':
      case 'config_option_update':
      case 'current_mode_update':
        return;
    }
  }

  /** Settles when the host dealt with everything that came before. */
  reached(): Promise<void> {
    return this.#queue.reached();
  }

  callFor(command: string): string | undefined {
    return this.#tools.callFor(command);
  }

  opened(terminal: AgentTerminal): void {
    this.#terminals.add(terminal);
    this.#partKind = undefined;
    this.#queue.push(...this.#tools.opened(terminal));
    void terminal.ended.then(() => this.#queue.push(...this.#tools.terminalEnded(terminal)));
  }

  released(terminal: AgentTerminal): void {
    this.#terminals.delete(terminal);
    this.#queue.push(...this.#tools.released(terminal));
  }

  async permission(request: PermissionRequest): Promise<unknown> {
    const { host, signal } = this.#deps;
    const { events, facts } = this.#tools.ask(request.toolCall);
    this.#partKind = undefined;
    this.#queue.push(...events);
    await this.#queue.reached();
    const cancelled = { outcome: { outcome: 'cancelled' } };
    if (signal.aborted) return cancelled;
    const decision = await host.confirm(facts).catch((thrown: unknown) => {
      if (signal.aborted) return undefined;
      this.#queue.fail(thrown);
      return undefined;
    });
    if (!decision) return cancelled;
    if (decision.allow) this.#tools.allowed(facts.toolCallId);
    else if (decision.reason) this.#deliverReason(`I denied "${facts.invocationMessage}": ${decision.reason}`);
    const optionId = chooseOption(request.options, decision.allow);
    return optionId === undefined ? cancelled : { outcome: { outcome: 'selected', optionId } };
  }

  /** Asks the person with a form of the agent's, or to open a page. */
  async elicit(request: Elicitation): Promise<Elicited> {
    const { host, signal, request: turn } = this.#deps;
    this.#partKind = undefined;
    await this.#queue.reached();
    if (signal.aborted) return { action: 'cancel' };
    this.#forms += 1;
    const set = toQuestionSet(`${turn.turnId}-form-${this.#forms}`, request);
    try {
      return toElicited(request, await host.ask(set));
    } catch (thrown) {
      if (!signal.aborted) this.#queue.fail(thrown);
      return { action: 'cancel' };
    }
  }

  async steer(text: string): Promise<boolean> {
    const { connection, sessionId } = this.#deps;
    const prompt: PromptBlock[] = [{ type: 'text', text }];
    const params = { sessionId, prompt, _meta: { steering: { idleBehavior: 'promptRequired' } } };
    try {
      const answer = await connection.request('_session/steering', params, this.#deps.cancelMs);
      return typeof answer === 'object' && answer !== null && 'outcome' in answer && answer.outcome === 'injected';
    } catch {
      return false; // it cannot take it now: the message goes as the next prompt
    }
  }

  /** Into the running turn where the agent can take it, behind the answer it belongs to; else with the next prompt. */
  #deliverReason(reason: string): void {
    if (!this.#deps.canSteer) {
      this.#undelivered.push(reason);
      return;
    }
    const delivery = new Promise<void>((resolve) => void this.#deps.timers.soon(resolve)).then(async () => {
      if (!(await this.steer(reason))) this.#undelivered.push(reason);
    });
    this.#deliveries.push(delivery);
  }

  async #drive(): Promise<void> {
    const { request, abilities, files, signal } = this.#deps;
    const blocks = await toPrompt(request.text, request.attachments, abilities, files);
    let prompt = request.customAgent ? [introduce(request.customAgent), ...blocks] : blocks;
    for (;;) {
      const result = await this.#prompt(prompt);
      if (!result || signal.aborted) return;
      this.#report(result);
      await Promise.all(this.#deliveries.splice(0));
      const reasons = this.#undelivered.splice(0);
      if (reasons.length === 0) return;
      this.#queue.push(...this.#tools.endAll());
      prompt = [{ type: 'text', text: reasons.join('\n') }];
    }
  }

  /** Terminals that were not released end with the turn, and their calls report how. */
  async #play(): Promise<void> {
    try {
      await this.#drive();
    } finally {
      await Promise.all([...this.#terminals].map((it) => it.release()));
    }
  }

  /** @returns `undefined` when it had to be ended after a cancel */
  async #prompt(prompt: readonly PromptBlock[]): Promise<PromptResult | undefined> {
    const { connection, sessionId, signal, timers, cancelMs, request } = this.#deps;
    const own = request.modelConfig && { _meta: { switchboard: { modelConfig: request.modelConfig } } };
    let stopTimer: (() => void) | undefined;
    let onAbort = () => {};
    const timedOut = new Promise<undefined>((resolve) => {
      onAbort = () => {
        void connection.notify('session/cancel', { sessionId }).catch(() => undefined); // gone: the prompt fails by itself
        stopTimer = timers.after(cancelMs, () => void connection.close().then(() => resolve(undefined)));
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      const answer = await Promise.race([
        connection.request('session/prompt', { sessionId, prompt, ...own }),
        timedOut,
      ]);
      return answer === undefined ? undefined : PromptResult.parse(answer);
    } finally {
      stopTimer?.();
      signal.removeEventListener('abort', onAbort);
    }
  }

  #report({ stopReason, usage }: PromptResult): void {
    this.#queue.push(...this.#usage.answered(usage));
    const name = this.#deps.agent.displayName;
    const notice = {
      max_tokens: `${name} stopped because the response reached the maximum length.`,
      max_turn_requests: `${name} stopped because it reached the maximum number of requests for one turn.`,
      refusal: `${name} declined to answer this message.`,
    }[stopReason];
    if (notice) this.#queue.push({ kind: 'notice', markdown: notice });
  }

  #finish(thrown: unknown): void {
    const { agent, authMethods, connection, signal } = this.#deps;
    this.#queue.push(...this.#tools.endAll());
    if (thrown === undefined || signal.aborted) {
      this.#queue.end();
      return;
    }
    this.#queue.fail(
      isAuthRequired(thrown)
        ? signInNeeded(agent, authMethods, thrown)
        : (usageLimitIn(agent, thrown, this.#rateLimit, connection.clean) ??
            toAgentFault(agent, thrown, connection.clean)),
    );
  }

  #pushText(kind: 'text' | 'reasoning', text: string | null | undefined): void {
    if (!text) return;
    if (this.#partKind !== kind) this.#part += 1;
    this.#partKind = kind;
    this.#queue.push({ kind, partId: `${this.#deps.request.turnId}-${this.#part}`, text });
  }
}

/** What an agent does not say to be done or begun is open. */
const planStates: Readonly<Record<string, PlanStep['state']>> = { in_progress: 'doing', completed: 'done' };
