import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { AnswerModel, QuestionModel } from '../../../src/webviews/contract/chatModel.ts';
import { fromHost, t } from '../../shared/l10n.ts';

export interface QuestionFieldProps {
  readonly question: QuestionModel;
  readonly answer: AnswerModel;
  /** What is wrong with the answer, shown under the field and read with it. */
  readonly problem: string | undefined;
  /** Unique in the page. */
  readonly name: string;
  readonly onChange: (answer: AnswerModel) => void;
}

export function questionField(props: QuestionFieldProps): TemplateResult {
  const { question, problem, name } = props;
  const isGroup = question.kind === 'single-select' || question.kind === 'multi-select';
  const words = html`${question.title ? html`<strong>${question.title}</strong> ` : nothing}${fromHost(question.message)}${
    question.required ? html`<span class="required" title=${t('Required')}>*</span>` : nothing
  }`;
  const problemLine = problem ? html`<p class="problem" id="${name}/problem">${problem}</p>` : nothing;
  if (isGroup) {
    return html`<fieldset class="question" aria-describedby=${problem ? `${name}/problem` : nothing}>
      <legend>${words}</legend>
      ${choices(props)} ${problemLine}
    </fieldset>`;
  }
  if (question.kind === 'boolean') {
    return html`<div class="question"><label class="choice">
      <input type="checkbox" .checked=${live(props.answer.value === true)}
        @change=${(event: Event) => props.onChange({ value: (event.target as HTMLInputElement).checked })} />
      <span>${words}</span></label>${problemLine}</div>`;
  }
  return html`<div class="question"><label for=${name}>${words}</label>${input(props)}${problemLine}</div>`;
}

const inputTypes: Readonly<Record<string, string>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
};

function input({ question, answer, problem, name, onChange }: QuestionFieldProps): TemplateResult {
  const isNumber = question.kind === 'number' || question.kind === 'integer';
  const change = (event: Event) => {
    const field = event.target as HTMLInputElement;
    if (!isNumber) return onChange({ value: field.value });
    onChange(field.value === '' && !field.validity.badInput ? {} : { value: field.valueAsNumber });
  };
  return html`<input
    class="field"
    id=${name}
    type=${isNumber ? 'number' : (inputTypes[question.format ?? ''] ?? 'text')}
    step=${question.kind === 'integer' ? '1' : isNumber ? 'any' : nothing}
    min=${isNumber ? (question.min ?? nothing) : nothing}
    max=${isNumber ? (question.max ?? nothing) : nothing}
    .value=${live(answer.value === undefined || Number.isNaN(answer.value) ? '' : String(answer.value))}
    aria-required=${question.required ? 'true' : nothing}
    aria-invalid=${problem ? 'true' : nothing}
    aria-describedby=${problem ? `${name}/problem` : nothing}
    @input=${change}
  />`;
}

function choices({ question, answer, problem, name, onChange }: QuestionFieldProps): TemplateResult {
  const isMany = question.kind === 'multi-select';
  const chosen = Array.isArray(answer.value) ? answer.value.map(String) : [String(answer.value ?? '')];
  const pick = (id: string, isOn: boolean) => {
    if (!isMany) return onChange({ value: id });
    const value = question.options.map((it) => it.id).filter((it) => (it === id ? isOn : chosen.includes(it)));
    onChange({ ...answer, value });
  };
  const typed = (event: Event) => {
    const freeform = (event.target as HTMLInputElement).value;
    onChange(isMany ? { ...answer, freeform } : freeform ? { freeform } : {});
  };
  return html`${question.options.map(
    (option, index) => html`<label class="choice">
      <input type=${isMany ? 'checkbox' : 'radio'} name=${name} .checked=${live(chosen.includes(option.id))}
        aria-invalid=${problem && index === 0 ? 'true' : nothing}
        @change=${(event: Event) => pick(option.id, (event.target as HTMLInputElement).checked)} />
      <span>${fromHost(option.label)}${option.recommended ? html` <span class="muted">${t('recommended')}</span>` : nothing}
        ${option.description ? html`<span class="choice-description">${fromHost(option.description)}</span>` : nothing}</span>
    </label>`,
  )}
  ${
    question.allowsFreeform
      ? html`<input class="field" type="text" aria-label=${t('Something else')} placeholder=${t('Something else…')}
          .value=${live(answer.freeform ?? '')} @input=${typed} />`
      : nothing
  }`;
}
