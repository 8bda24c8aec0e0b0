import type { Children } from '../../platform/children/children.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { SessionContext, TurnEvent, TurnHost } from '../provider.ts';
import type { Runbook } from './parse.ts';
import type { Answers } from './placeholders.ts';
import type { RunbookSource } from './source.ts';

/** How far a runbook came; it outlives the turn, so that `continue` and `retry` know where they are. */
export interface Progress {
  readonly runbook: Runbook;
  readonly source: RunbookSource;
  /** The step that comes next, or that failed. */
  next: number;
  /** How many steps from `next` on were begun and did not end well; 0 when the last one did. */
  failedSteps: number;
  answers: Answers;
}

export interface RunDeps extends Pick<Runtime, 'timers'> {
  readonly children: Children;
  readonly context: SessionContext;
  readonly host: TurnHost;
  readonly turnId: string;
  readonly signal: AbortSignal;
}

/** How a step ended: continue, stop because a person chose to, or stop because it failed; both with a sentence. */
export type StepEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };
export const done: StepEnd = { kind: 'done' };

/** Reports the decision of the person. After a skip, or a reason that asks to continue, the runbook continues. */
export async function* denied(
  id: string,
  decision: { readonly skipped?: boolean; readonly reason?: string },
  progress: Progress,
  deps: RunDeps,
): AsyncGenerator<TurnEvent, StepEnd> {
  const pastTenseMessage = decision.skipped ? 'Skipped' : 'Denied';
  yield { kind: 'toolEnded', toolCallId: id, success: false, pastTenseMessage, content: [], error: 'denied' };
  const reasonText = decision.reason ? ` You said: ${decision.reason}` : '';
  if (decision.skipped || asksToContinue(decision.reason ?? '')) {
    yield textEvent(deps, progress, `I skipped this step.${reasonText}\n\n`);
    return done;
  }
  return { kind: 'stopped', why: `You denied this step, so I stopped.${reasonText}` };
}

/** Where the words could also mean the opposite the runbook stops: a person can still send `continue`. */
function asksToContinue(reason: string): boolean {
  return /\b(?:continue|go on|skip)\b/i.test(reason) && !/\b(?:not|never|no|stop|cannot)\b|n['’]t\b/i.test(reason);
}

export function toolCallId(progress: Progress, deps: RunDeps): string {
  return `${deps.turnId}-${progress.next}`;
}

export function textEvent(deps: RunDeps, progress: Progress, text: string): TurnEvent {
  return { kind: 'text', partId: `${deps.turnId}-${progress.next}-end`, text };
}
