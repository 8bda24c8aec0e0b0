import type { AnswerModel, QuestionModel } from '../../../src/webviews/contract/chatModel.ts';
import { fromHost, t } from '../../shared/l10n.ts';

/** What a field holds before anyone touched it. */
export function startAnswer(question: QuestionModel): AnswerModel {
  if (question.defaultValue !== undefined) return { value: question.defaultValue };
  if (question.kind === 'boolean') return { value: false };
  if (question.kind === 'single-select') {
    const recommended = question.options.find((it) => it.recommended);
    return recommended ? { value: recommended.id } : {};
  }
  if (question.kind === 'multi-select')
    return { value: question.options.filter((it) => it.recommended).map((it) => it.id) };
  return {};
}

/** True when the person gave nothing, so the question counts as skipped. */
export function isEmptyAnswer(answer: AnswerModel): boolean {
  const { value } = answer;
  const hasValue = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '';
  return !hasValue && !answer.freeform?.trim();
}

/** An answer in words, for the record that stays in the transcript. */
export function answerWords(question: QuestionModel, answer: AnswerModel | undefined): string {
  if (!answer || answer.isSkipped || isEmptyAnswer(answer)) return t('Skipped');
  const { value } = answer;
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  const labelOf = (id: string) => fromHost(question.options.find((it) => it.id === id)?.label ?? id);
  const words: string[] = [];
  if (Array.isArray(value)) words.push(...value.map(labelOf));
  else if (value !== undefined && value !== '')
    words.push(question.kind === 'single-select' ? labelOf(String(value)) : String(value));
  if (answer.freeform?.trim()) words.push(answer.freeform.trim());
  return words.join(', ');
}
