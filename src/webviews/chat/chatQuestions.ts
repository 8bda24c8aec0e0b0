import type {
  ChatInputAnswer,
  ChatInputAnswers,
  ChatInputQuestion,
} from '../../../sidecar/protocol/channels/chat/inputRequests.ts';
import type { InputRequestPart } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { AnswerModel, QuestionModel, QuestionRow } from '../contract/chatModel.ts';

export function toQuestionRow(id: string, turnId: string, part: InputRequestPart, isRunning: boolean): QuestionRow {
  const { request, response } = part;
  const answers = Object.entries(request.answers ?? {}).map(([key, it]) => [key, toAnswerModel(it)] as const);
  return {
    kind: 'question',
    id,
    turnId,
    requestId: request.id,
    state: response ?? (isRunning ? 'open' : 'unanswered'),
    questions: (request.questions ?? []).flatMap(toQuestionModel),
    answers: Object.fromEntries(answers),
    ...(request.message !== undefined && { message: request.message }),
    ...(request.url !== undefined && { url: request.url }),
  };
}

/**
 * What the page's form holds, as the protocol's answer.
 * @returns `undefined` for a value of the wrong kind: the page is untrusted
 */
export function toAnswer(
  question: QuestionModel,
  answer: AnswerModel,
  state: 'draft' | 'submitted',
): ChatInputAnswer | undefined {
  const { value } = answer;
  const free = answer.freeform?.trim() ? { freeformValues: [answer.freeform.trim()] } : {};
  const isNothing = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  if (answer.isSkipped || (isNothing && !free.freeformValues))
    return state === 'draft' ? undefined : { state: 'skipped' };
  switch (question.kind) {
    case 'text':
      return typeof value === 'string' ? { state, value: { kind: 'text', value } } : undefined;
    case 'number':
    case 'integer':
      return typeof value === 'number' ? { state, value: { kind: 'number', value } } : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? { state, value: { kind: 'boolean', value } } : undefined;
    case 'single-select':
      if (Array.isArray(value) || typeof value === 'number' || typeof value === 'boolean') return undefined;
      return { state, value: { kind: 'selected', value: value ?? '', ...free } };
    case 'multi-select':
      if (value !== undefined && !Array.isArray(value)) return undefined;
      return { state, value: { kind: 'selected-many', value: value ?? [], ...free } };
  }
}

/** All answers of a form. What was left empty is skipped. */
export function toAnswers(row: QuestionRow, answers: Readonly<Record<string, AnswerModel>>): ChatInputAnswers {
  const given: ChatInputAnswers = {};
  for (const question of row.questions) {
    const answer = toAnswer(question, answers[question.id] ?? {}, 'submitted');
    if (answer) given[question.id] = answer;
  }
  return given;
}

/** What the page sent, without members that are there and hold nothing. */
export function toGivenAnswer(given: {
  readonly value?: AnswerModel['value'] | undefined;
  readonly freeform?: string | undefined;
  readonly isSkipped?: boolean | undefined;
}): AnswerModel {
  return {
    ...(given.value !== undefined && { value: given.value }),
    ...(given.freeform !== undefined && { freeform: given.freeform }),
    ...(given.isSkipped !== undefined && { isSkipped: given.isSkipped }),
  };
}

function toQuestionModel(question: ChatInputQuestion): QuestionModel[] {
  if (!known.has(question.kind)) return [];
  return [
    {
      id: question.id,
      kind: question.kind,
      message: question.message,
      required: question.required ?? false,
      options: 'options' in question ? question.options.map((it) => ({ ...it })) : [],
      allowsFreeform: 'allowFreeformInput' in question && question.allowFreeformInput === true,
      ...(question.title !== undefined && { title: question.title }),
      ...('format' in question && question.format !== undefined && { format: question.format }),
      ...('min' in question && question.min !== undefined && { min: question.min }),
      ...('max' in question && question.max !== undefined && { max: question.max }),
      ...('defaultValue' in question && question.defaultValue !== undefined && { defaultValue: question.defaultValue }),
    },
  ];
}
const known: ReadonlySet<string> = new Set(['text', 'number', 'integer', 'boolean', 'single-select', 'multi-select']);

function toAnswerModel(answer: ChatInputAnswer): AnswerModel {
  if (answer.state === 'skipped') return { isSkipped: true };
  const { value } = answer;
  const freeform = 'freeformValues' in value ? value.freeformValues?.[0] : undefined;
  return { value: value.value, ...(freeform !== undefined && { freeform }) };
}
