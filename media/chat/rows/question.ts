import { html, nothing, type TemplateResult } from 'lit';
import type { AnswerModel, QuestionModel, QuestionRow } from '../../../src/webviews/contract/chatModel.ts';
import { icon } from '../../shared/icon.ts';
import { fromHost, t } from '../../shared/l10n.ts';
import { post } from '../post.ts';
import { answerWords, startAnswer } from '../questions/answers.ts';
import { checkAnswer } from '../questions/checkAnswer.ts';
import { questionField } from '../questions/questionField.ts';
import { RowElement } from './row.ts';

/** Drafts are synced this long after the last keystroke. */
const draftDelayMs = 400;

/** A form for the questions of an agent. Drafts are kept by the host, so a reload or another window loses nothing. */
export class QuestionElement extends RowElement<QuestionRow> {
  static override properties = { edited: { state: true }, isChecked: { state: true } };
  /** What was typed here and is newer than the host's drafts. */
  declare edited: Readonly<Record<string, AnswerModel>>;
  declare isChecked: boolean;
  #drafts = new Map<string, number>();

  constructor() {
    super();
    this.edited = {};
  }

  override disconnectedCallback(): void {
    for (const timer of this.#drafts.values()) window.clearTimeout(timer);
    super.disconnectedCallback();
  }

  protected override render(): TemplateResult {
    const { row } = this;
    if (row.state !== 'open') return this.#answered();
    return html`<form
      class="question-card"
      aria-label=${row.message === undefined ? t('The agent asks') : fromHost(row.message)}
      novalidate
      @submit=${(event: Event) => this.#submit(event)}
    >
      <header class="tool-card-head">${icon('question')}<h3>${row.message === undefined ? t('The agent asks') : fromHost(row.message)}</h3></header>
      ${row.url ? html`<p class="address muted">${row.url}</p>` : nothing}
      ${row.questions.map((question) => this.#field(question))}
      <div class="ask">
        ${row.url ? this.#openPage(row.url) : nothing}
        ${row.url && row.questions.length === 0 ? nothing : html`<button type="submit" class="button primary">${t('Submit')}</button>`}
        <button
          type="button"
          class="button"
          title=${t('Tells the agent that you do not want to answer. It decides how to continue.')}
          @click=${() => this.#end('decline')}
        >
          ${t('Skip')}
        </button>
        <button
          type="button"
          class="button quiet"
          title=${t('Tells the agent that you canceled its request. It may end the turn.')}
          @click=${() => this.#end('cancel')}
        >
          ${t('Cancel')}
        </button>
      </div>
    </form>`;
  }

  /** The label is the host, as the browser will show it: an address can contain a name that looks like another one. */
  #openPage(url: string): TemplateResult {
    const open = () => {
      post(this, { type: 'link', href: url });
      if (this.row.questions.length === 0) this.#end('accept');
    };
    const { host } = URL.canParse(url) ? new URL(url) : { host: url };
    return html`<button type="button" class="button primary" @click=${open}>${t('Open {0}', host)}</button>`;
  }

  #field(question: QuestionModel): TemplateResult {
    const answer = this.#answer(question);
    const problem = this.isChecked ? checkAnswer(question, answer) : undefined;
    return questionField({
      question,
      answer,
      problem,
      name: `${this.row.id}/${question.id}`,
      onChange: (next) => this.#change(question, next),
    });
  }

  #answered(): TemplateResult {
    const { row } = this;
    const word = { accept: '', decline: t('Skipped'), cancel: t('Canceled'), unanswered: t('Not answered'), open: '' }[
      row.state
    ];
    return html`<div class="answered">
      <p class="answered-head">${icon(row.state === 'accept' ? 'pass' : 'circle-slash')} ${row.message === undefined ? t('The agent asked') : fromHost(row.message)}
        <span class="muted">${word}</span></p>
      ${
        row.state === 'accept'
          ? html`<dl>
            ${row.questions.map((it) => html`<dt>${it.title ?? fromHost(it.message)}</dt><dd>${answerWords(it, row.answers[it.id])}</dd>`)}
          </dl>`
          : nothing
      }
    </div>`;
  }

  #answer(question: QuestionModel): AnswerModel {
    return this.edited[question.id] ?? this.row.answers[question.id] ?? startAnswer(question);
  }

  #change(question: QuestionModel, answer: AnswerModel): void {
    this.edited = { ...this.edited, [question.id]: answer };
    window.clearTimeout(this.#drafts.get(question.id));
    const send = () =>
      post(this, { type: 'answerDraft', requestId: this.row.requestId, questionId: question.id, answer });
    // An impossible value stays here until it is right: the host refuses drafts of the wrong kind.
    if (checkAnswer({ ...question, required: false }, answer) === undefined) {
      this.#drafts.set(question.id, window.setTimeout(send, draftDelayMs));
    }
  }

  #submit(event: Event): void {
    event.preventDefault();
    this.isChecked = true;
    const wrong = this.row.questions.find((it) => checkAnswer(it, this.#answer(it)) !== undefined);
    if (!wrong) return this.#end('accept');
    void this.updateComplete.then(() => {
      this.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    });
  }

  #end(response: 'accept' | 'decline' | 'cancel'): void {
    for (const timer of this.#drafts.values()) window.clearTimeout(timer);
    const answers: Record<string, AnswerModel> = {};
    if (response === 'accept') for (const it of this.row.questions) answers[it.id] = this.#answer(it);
    post(this, { type: 'answer', requestId: this.row.requestId, response, answers });
  }
}
