import { Fault } from '../../platform/faults.ts';
import type { StepMeta } from '../../protocol/channels/chat/stepMeta.ts';
import { editOfPatch, editOfWrite } from '../edits/edit.ts';
import type { Question, TurnEvent } from '../provider.ts';
import { runEdit } from './editStep.ts';
import type { Runbook, Step } from './parse.ts';
import { fillCommand, fillText } from './placeholders.ts';
import { done, type Progress, type RunDeps, type StepEnd, toolCallId } from './progress.ts';
import { runShell } from './shellStep.ts';
import { whereIs } from './source.ts';
import { fillInput, runTool } from './toolStep.ts';

/** Faults with a way out of their own: nothing is gained by sending `retry`. */
const endsTheTurn: ReadonlySet<Fault['code']> = new Set(['internal', 'folder_needed']);

/**
 * Performs the steps from `progress.next` on. Returns at the end, where a person stopped it, or when the turn is cancelled.
 *
 * @throws {Fault} for a step that failed, so that the turn failed too
 */
export async function* runRunbook(progress: Progress, deps: RunDeps): AsyncGenerator<TurnEvent, void> {
  const { steps } = progress.runbook;
  while (progress.next < steps.length) {
    const step = steps[progress.next]!;
    const together = questionsTogether(steps, progress.next);
    progress.failedSteps = Math.max(1, together.length);
    let end: StepEnd;
    try {
      end = together.length > 0 ? await ask(together, progress, deps) : yield* runStep(step, progress, deps);
    } catch (thrown) {
      if (deps.signal.aborted) return;
      if (!(thrown instanceof Fault) || endsTheTurn.has(thrown.code)) throw thrown;
      end = { kind: 'failed', why: thrown.message };
    }
    if (deps.signal.aborted) return;
    const where = whereIs(progress.source, step.line);
    if (end.kind === 'failed') throw failed(end.why, where);
    if (end.kind === 'stopped') return void (yield stopped(end.why, where));
    progress.failedSteps = 0;
    progress.next += Math.max(1, together.length);
  }
}

async function* runStep(step: Step, progress: Progress, deps: RunDeps): AsyncGenerator<TurnEvent, StepEnd> {
  const { answers } = progress;
  const names = namesOf(progress.runbook);
  switch (step.kind) {
    case 'prose':
      return yield* prose(fillText(step.text, answers, names), progress, deps);
    case 'shell':
      return yield* runShell(fillCommand(step.command, answers), progress, deps);
    case 'write': {
      const path = fillText(step.path, answers, names);
      return yield* runEdit(
        toolCallId(progress, deps),
        await editOfWrite(path, fillText(step.content, answers, names), deps.context.folders),
        progress,
        deps,
      );
    }
    case 'diff':
      return yield* runEdit(
        toolCallId(progress, deps),
        await editOfPatch(fillText(step.patch, answers, names), deps.context.folders),
        progress,
        deps,
      );
    case 'tool':
      return runTool(step.name, fillInput(step.input, answers, names), deps);
    case 'ask':
      return ask([step.question], progress, deps);
  }
}

async function* prose(text: string, progress: Progress, deps: RunDeps): AsyncGenerator<TurnEvent, StepEnd> {
  const partId = `${deps.turnId}-${progress.next}`;
  for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
    if (deps.signal.aborted) return done;
    yield { kind: 'text', partId, text: word };
    if (progress.runbook.paceMs > 0) await deps.timers.wait(progress.runbook.paceMs, deps.signal);
  }
  return done;
}

async function ask(questions: readonly Question[], progress: Progress, deps: RunDeps): Promise<StepEnd> {
  const answered = await deps.host.ask({ id: toolCallId(progress, deps), questions });
  if (answered.response !== 'accept') return { kind: 'stopped', why: 'You did not answer, so I stopped.' };
  const values: Record<string, string | number | boolean | readonly string[]> = { ...progress.answers };
  for (const question of questions) {
    const preset = 'defaultValue' in question ? question.defaultValue : undefined;
    const value = Object.hasOwn(answered.values, question.id) ? answered.values[question.id] : preset;
    if (value !== undefined) values[question.id] = value;
    else if (question.required) return { kind: 'stopped', why: `"${question.message}" requires an answer.` };
  }
  progress.answers = values;
  return done;
}

/** Questions that follow each other without a word between them are asked in one go. */
function questionsTogether(steps: readonly Step[], from: number): readonly Question[] {
  const questions: Question[] = [];
  for (const step of steps.slice(from)) {
    if (step.kind !== 'ask') break;
    questions.push(step.question);
  }
  return questions;
}

function namesOf(runbook: Runbook): ReadonlySet<string> {
  return new Set(runbook.steps.flatMap((it) => (it.kind === 'ask' ? [it.question.id] : [])));
}

/** With `retryWith`, a client repeats the step and not the whole runbook. With `skipWith`, it continues with the next step. */
const goOn: StepMeta = {
  retryWith: 'retry',
  skipWith: 'continue',
  hint: 'Send "retry" to run the step again, or "continue" to skip it.',
};

function failed(why: string, where: string): Fault {
  return new Fault('unavailable', words(why, where), { data: { ...goOn } });
}

/** A person said no: nothing failed. */
function stopped(why: string, where: string): TurnEvent {
  return { kind: 'stepStopped', markdown: words(why, where), step: goOn };
}

function words(why: string, where: string): string {
  return `${/[.!?]$/.test(why) ? why : `${why}.`} ${where} ${goOn.hint}`;
}
