import type { AnswerModel, QuestionModel } from '../../../src/webviews/contract/chatModel.ts';
import { plural, t } from '../../shared/l10n.ts';
import { isEmptyAnswer } from './answers.ts';

const formats: Readonly<Record<string, { readonly pattern: RegExp; readonly message: () => string }>> = {
  email: {
    pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
    message: () => t('Enter an email address, such as ada@example.com.'),
  },
  uri: { pattern: /^[a-z][a-z0-9+.-]*:\S+$/i, message: () => t('Enter an address, such as https://example.com.') },
  date: { pattern: /^\d{4}-\d{2}-\d{2}$/, message: () => t('Enter a date as YYYY-MM-DD.') },
  'date-time': {
    pattern: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/,
    message: () => t('Enter a date and time, such as 2026-11-21 09:30.'),
  },
};

/** @returns what is wrong, in words for the person, or `undefined` */
export function checkAnswer(question: QuestionModel, answer: AnswerModel): string | undefined {
  if (isEmptyAnswer(answer)) return question.required ? t('Answer this question.') : undefined;
  if (question.kind === 'text') return checkText(question, String(answer.value ?? ''));
  if (question.kind === 'number' || question.kind === 'integer') return checkNumber(question, answer.value);
  if (question.kind === 'multi-select') return checkCount(question, answer);
  return undefined;
}

function checkText({ min, max, format }: QuestionModel, text: string): string | undefined {
  if (min !== undefined && text.length < min)
    return plural(min, 'Enter at least {0} character.', 'Enter at least {0} characters.');
  if (max !== undefined && text.length > max)
    return plural(max, 'Enter no more than {0} character.', 'Enter no more than {0} characters.');
  const known = format === undefined ? undefined : formats[format];
  if (!known) return undefined;
  const isDate = format === 'date' || format === 'date-time';
  return known.pattern.test(text) && !(isDate && Number.isNaN(Date.parse(text))) ? undefined : known.message();
}

function checkNumber({ kind, min, max }: QuestionModel, value: AnswerModel['value']): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return t('Enter a number.');
  if (kind === 'integer' && !Number.isInteger(value)) return t('Enter a whole number.');
  if (min !== undefined && value < min) return t('Must be at least {0}.', min);
  if (max !== undefined && value > max) return t('Must be no more than {0}.', max);
  return undefined;
}

function checkCount({ min, max }: QuestionModel, answer: AnswerModel): string | undefined {
  const count = (Array.isArray(answer.value) ? answer.value.length : 0) + (answer.freeform?.trim() ? 1 : 0);
  if (min !== undefined && count < min) return t('Choose at least {0}.', min);
  if (max !== undefined && count > max) return t('Choose at most {0}.', max);
  return undefined;
}
