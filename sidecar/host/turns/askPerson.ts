import type { Question, QuestionAnswers, QuestionSet } from '../../agents/provider.ts';
import type { ChatActionOf } from '../../protocol/channels/chat/actions.ts';
import type {
  ChatInputAnswer,
  ChatInputAnswers,
  ChatInputQuestion,
} from '../../protocol/channels/chat/inputRequests.ts';
import type { PendingAnswers } from '../context/pendingAnswers.ts';
import type { TurnWriter } from '../tools/turnWriter.ts';

export interface Completion {
  readonly response: ChatActionOf<'chat/inputCompleted'>['response'];
  /** Those given while it was open, under those given at the end. */
  readonly answers: ChatInputAnswers;
}

/** Puts questions into the chat and waits for the answer. Rejects when the turn is cancelled. */
export async function askPerson(
  answers: PendingAnswers<Completion>,
  writer: TurnWriter,
  chat: string,
  set: QuestionSet,
  signal: AbortSignal,
): Promise<QuestionAnswers> {
  const waiting = answers.wait(`${chat} ${set.id}`, signal);
  const questions = set.questions.map((it) => toInputQuestion(it));
  writer.commit({
    type: 'chat/inputRequested',
    request: {
      id: set.id,
      ...(set.message !== undefined && { message: set.message }),
      ...(set.url !== undefined && { url: set.url }),
      questions,
    },
  });
  const { response, answers: given } = await writer.whileAsking('Waiting for your answer.', waiting);
  const values: Record<string, string | number | boolean | readonly string[]> = {};
  for (const [id, answer] of Object.entries(given)) {
    const value = plainValue(answer);
    if (value !== undefined) values[id] = value;
  }
  return { response, values };
}

function toInputQuestion(question: Question): ChatInputQuestion {
  if (question.kind !== 'single-select' && question.kind !== 'multi-select') return question;
  // Said also where it is false: there are clients that take its absence for a yes.
  const { allowFreeformInput = false } = question;
  return { ...question, allowFreeformInput, options: question.options.map((it) => ({ ...it })) };
}

function plainValue(answer: ChatInputAnswer): string | number | boolean | readonly string[] | undefined {
  if (answer.state === 'skipped') return answer.freeformValues?.[0];
  const { value } = answer;
  switch (value.kind) {
    case 'selected':
      return value.freeformValues?.[0] ?? value.value;
    case 'selected-many':
      return [...value.value, ...(value.freeformValues ?? [])];
    default:
      return value.value;
  }
}
