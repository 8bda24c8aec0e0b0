import type { Attachment } from '../../agents/provider.ts';
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import type { HookAnswer } from './hookAnswer.ts';
import type { Hook, ParsedHooks } from './hookFile.ts';
import { type Happening, payloadFor } from './hookPayload.ts';
import { type RunHookDeps, runHook } from './runHook.ts';
import { type HookedCall, isMeant } from './toolWords.ts';

export interface TurnHookDeps extends RunHookDeps {
  readonly found: ParsedHooks;
  /** Read before each hook: a window may take its trust back. */
  readonly isTrusted: () => boolean;
  /** Another agent wrote the message. Hooks for messages and for ends of turns run only for what a person writes. */
  readonly isDelegated?: boolean;
  readonly clock: Pick<Clock, 'now'>;
  /** Shows the person a notice in the chat. */
  readonly notify: (sentence: string, kind: 'hookFailed' | 'hookSays') => void;
  /** What was reported in this conversation already: a broken file is one message, not one a turn. */
  readonly notified: Set<string>;
  readonly signal: AbortSignal;
}
/** The verdict of the hooks on a call. `undefined`: none, and the person's rules decide. */
export type HookVerdict =
  | { readonly verdict: 'deny'; readonly reason: string }
  /** The person was shown the reason. */
  | { readonly verdict: 'ask' };

/** A hook that sends the agent on again and again is not obeyed for ever. */
const MAX_ROUNDS = 3;

/** The hooks of one turn. They run one after the other, in the order of their files. */
export class TurnHooks {
  readonly #deps: TurnHookDeps;
  readonly #calls = new Map<string, HookedCall>();
  #rounds = 0;

  constructor(deps: TurnHookDeps) {
    this.#deps = deps;
    for (const { file, why } of deps.found.problems)
      this.#tell(`Hooks in ${asCode(file)} have errors and did not run. ${asCode(why)}`);
  }

  /**
   * Before the agent is asked anything.
   * @param source how its conversation begins; absent for one that goes on
   * @returns what the hooks want it to know
   * @throws {Fault} `forbidden` when a hook refuses the message
   */
  async begin(prompt: string, source: 'startup' | 'resume' | undefined): Promise<Attachment[]> {
    if (this.#deps.isDelegated) return [];
    const starting = source ? await this.#run({ event: 'sessionStart', source }) : [];
    const submitted = await this.#run({ event: 'promptSubmitted', prompt });
    const refused = [...starting, ...submitted].find((it) => it.answer.verdict === 'deny');
    if (refused) throw new Fault('forbidden', `The hook ${refused.hook.label} rejected this message: ${why(refused)}`);
    return [...starting, ...submitted].flatMap(({ hook, answer }): Attachment[] =>
      answer.context === undefined ? [] : [{ kind: 'text', label: hook.label, text: answer.context }],
    );
  }

  /** Before a tool runs. A hook that fails has a person decide. */
  async beforeTool(call: HookedCall): Promise<HookVerdict | undefined> {
    this.#calls.set(call.facts.toolCallId, call);
    const results = await this.#run({ event: 'beforeTool', call }, (it) => it.answer.verdict === 'deny');
    const denied = results.find((it) => it.answer.verdict === 'deny');
    if (denied) {
      this.#calls.delete(call.facts.toolCallId);
      return { verdict: 'deny', reason: `The hook ${denied.hook.label} denied this tool call: ${why(denied)}` };
    }
    const asked = results.filter((it) => it.answer.verdict === 'ask');
    for (const { hook, answer } of asked) if (answer.reason !== undefined) this.#notify(hook, answer.reason);
    return asked.length > 0 ? { verdict: 'ask' } : undefined;
  }

  /** After a tool that was not denied. What a hook answers then is shown to the person. */
  async afterTool(toolCallId: string, success: boolean, output: string): Promise<void> {
    const call = this.#calls.get(toolCallId);
    this.#calls.delete(toolCallId);
    if (!call) return;
    for (const result of await this.#run({ event: 'afterTool', call, success, output })) {
      const { reason, context, verdict } = result.answer;
      for (const it of [verdict === 'deny' ? reason : undefined, context])
        if (it !== undefined) this.#notify(result.hook, it);
    }
  }

  /** The agent is done. @returns what it is to go on with, when a hook does not let it end */
  async turnEnds(): Promise<string | undefined> {
    if (this.#deps.isDelegated) return undefined;
    const results = await this.#run({ event: 'turnEnd', isAgain: this.#rounds > 0 });
    const held = results.find((it) => it.answer.verdict === 'deny');
    if (!held) return undefined;
    this.#rounds += 1;
    if (this.#rounds <= MAX_ROUNDS) return why(held);
    this.#failed(
      `${held.hook.label}: it continued the turn ${MAX_ROUNDS} times, which is the limit. Last reason: ${why(held)}`,
    );
    return undefined;
  }

  async #run(happening: Happening, isLast: (it: HookResult) => boolean = () => false): Promise<HookResult[]> {
    const results: HookResult[] = [];
    for (const hook of this.#deps.found.hooks) {
      if (!this.#deps.isTrusted() || !this.#isFor(hook, happening)) continue;
      const { session, clock, signal } = this.#deps;
      signal.throwIfAborted();
      const answer = await runHook(hook, payloadFor(hook, happening, session, clock.now()), this.#deps, signal);
      if ('failure' in answer) {
        this.#failed(`${hook.label}: ${answer.failure}`, true);
        results.push({ hook, answer: { verdict: 'ask' } });
        continue;
      }
      if (answer.message !== undefined) this.#notify(hook, answer.message);
      results.push({ hook, answer });
      if (isLast({ hook, answer })) break;
    }
    return results;
  }

  #isFor(hook: Hook, happening: Happening): boolean {
    if (hook.event !== happening.event) return false;
    if (happening.event !== 'beforeTool' && happening.event !== 'afterTool') return true;
    if (happening.event === 'afterTool' && hook.outcome && (hook.outcome === 'success') !== happening.success)
      return false;
    try {
      return isMeant(hook, happening.call);
    } catch {
      this.#failed(`${hook.label}: its matcher is not a valid regular expression, so the hook applies to every tool`);
      return true;
    }
  }

  /** @param isRun of a process, which is reported each time */
  #failed(sentence: string, isRun = false): void {
    this.#tell(`A hook failed. ${asCode(sentence)}`, isRun);
  }
  #tell(sentence: string, isRun = false): void {
    if (!isRun && this.#deps.notified.has(sentence)) return;
    this.#deps.notified.add(sentence);
    this.#deps.notify(sentence, 'hookFailed');
  }
  #notify(hook: Hook, text: string): void {
    this.#deps.notify(`Message from the hook ${asCode(hook.label)}: ${asCode(text)}`, 'hookSays');
  }
}

interface HookResult {
  readonly hook: Hook;
  readonly answer: HookAnswer;
}
const why = ({ answer }: HookResult): string => cut(answer.reason ?? 'No reason was given.');

const MAX_TOLD = 2_000;
function cut(text: string): string {
  return text.length > MAX_TOLD ? `${text.slice(0, MAX_TOLD)}…` : text;
}
/** Words of a program, as Markdown that shows them as they are. */
function asCode(text: string): string {
  const shown = cut(text).replaceAll('`', "'");
  return shown.includes('\n') ? `\n\n\`\`\`text\n${shown}\n\`\`\`` : `\`${shown}\``;
}
