import type {
  ChatInputAnswer,
  ChatInputAnswers,
  ChatInputQuestion,
  ChatInputRequest,
} from '../../sidecar/protocol/channels/chat/inputRequests.ts';
import type { Localizer } from '../platform/localizer.ts';

/** Whether there are questions, and each can be asked with the editor's own pick and input boxes. */
export function isAskable({ questions }: ChatInputRequest): boolean {
  return questions !== undefined && questions.length > 0 && questions.every((it) => askable.has(it.kind));
}
const askable: ReadonlySet<string> = new Set(['text', 'number', 'integer', 'boolean', 'single-select', 'multi-select']);

/** Why this text is no answer, for a person; `undefined` when it is one. Empty text skips what is not required. */
export function problemOf(l10n: Localizer, question: ChatInputQuestion, typed: string): string | undefined {
  if (typed === '') return question.required ? l10n.t('Enter an answer.') : undefined;
  switch (question.kind) {
    case 'text':
      return lengthProblem(l10n, typed.length, question);
    case 'number':
    case 'integer': {
      const value = Number(typed);
      if (typed.trim() === '' || !Number.isFinite(value)) return l10n.t('Enter a number.');
      if (question.kind === 'integer' && !Number.isInteger(value)) return l10n.t('Enter a whole number.');
      if (question.min !== undefined && value < question.min) return l10n.t('Must be at least {0}.', question.min);
      if (question.max !== undefined && value > question.max) return l10n.t('Must be no more than {0}.', question.max);
      return undefined;
    }
    default:
      return undefined;
  }
}

function lengthProblem(
  l10n: Localizer,
  length: number,
  { min, max }: { min?: number; max?: number },
): string | undefined {
  if (min !== undefined && length < min)
    return min === 1 ? l10n.t('Enter at least {0} character.', min) : l10n.t('Enter at least {0} characters.', min);
  if (max !== undefined && length > max)
    return max === 1
      ? l10n.t('Enter no more than {0} character.', max)
      : l10n.t('Enter no more than {0} characters.', max);
  return undefined;
}

/** Why these picks are no answer; `undefined` when they are one. Nothing picked skips what is not required. */
export function picksProblem(l10n: Localizer, question: ChatInputQuestion, count: number): string | undefined {
  if (question.kind !== 'multi-select') return undefined;
  if (count === 0) return question.required || (question.min ?? 0) > 0 ? l10n.t('Select at least one.') : undefined;
  if (question.min !== undefined && count < question.min) return l10n.t('Select at least {0}.', question.min);
  if (question.max !== undefined && count > question.max) return l10n.t('Select at most {0}.', question.max);
  return undefined;
}

/** What a person gave for one question: typed text, a yes or no, or picked option ids with free text. */
export type Given =
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'yesNo'; readonly value: boolean }
  | { readonly kind: 'picked'; readonly ids: readonly string[]; readonly freeform?: string };

/** @param given must have passed {@link problemOf} or {@link picksProblem} */
export function toAnswer(question: ChatInputQuestion, given: Given): ChatInputAnswer {
  switch (given.kind) {
    case 'yesNo':
      return { state: 'submitted', value: { kind: 'boolean', value: given.value } };
    case 'typed':
      if (given.text === '') return { state: 'skipped' };
      return question.kind === 'number' || question.kind === 'integer'
        ? { state: 'submitted', value: { kind: 'number', value: Number(given.text) } }
        : { state: 'submitted', value: { kind: 'text', value: given.text } };
    case 'picked': {
      const free = given.freeform ? { freeformValues: [given.freeform] } : {};
      if (given.ids.length === 0 && !given.freeform) return { state: 'skipped' };
      return question.kind === 'multi-select'
        ? { state: 'submitted', value: { kind: 'selected-many', value: [...given.ids], ...free } }
        : { state: 'submitted', value: { kind: 'selected', value: given.ids[0] ?? '', ...free } };
    }
  }
}

/** The action that ends a request. It goes to the request's chat. */
export function completed(requestId: string, response: 'accept' | 'decline' | 'cancel', answers?: ChatInputAnswers) {
  return { type: 'chat/inputCompleted', requestId, response, ...(answers === undefined ? {} : { answers }) } as const;
}
