import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';
import { ApiError } from '../api.ts';
import { wordsOf } from '../kit/loader.ts';
import { failure } from '../kit/notice.ts';
import { collect, type Values, valueAt } from './collect.ts';
import { type Draft, draftOf } from './drafts.ts';
import { drawField } from './field.ts';
import type { FormField, FormGroup } from './formSpec.ts';

export interface FormSpec {
  readonly submitLabel: string;
  /** The groups to show for what was entered so far. */
  readonly groups: (current: (name: string) => Draft) => readonly FormGroup[];
  /** The kept record, where one is edited. */
  readonly kept?: Values;
  /** What a new record begins with. */
  readonly initial?: Values;
  readonly submit: (body: Record<string, unknown>) => Promise<void>;
  readonly cancel?: () => void;
}

/** A form that says beside each field what is wrong, and puts the focus on the first. */
class FormElement extends LightElement {
  static override properties = { spec: { attribute: false } };
  declare spec: FormSpec;
  readonly #drafts = new Map<string, Draft>();
  #errors: ReadonlyMap<string, string> = new Map();
  #failed: string | undefined;
  #isBusy = false;

  protected override render(): TemplateResult {
    const groups = this.#groups();
    return html`<form novalidate @submit=${this.#onSubmit}>
      ${groups.map((it) => this.#group(it, groups.length === 1))}
      ${failure(this.#failed)}
      <footer class="dialog-foot">
        ${this.spec.cancel ? html`<button type="button" class="button" @click=${this.spec.cancel}>${t('Cancel')}</button>` : nothing}
        <button type="submit" class="button primary" ?disabled=${this.#isBusy}>${this.spec.submitLabel}</button>
      </footer>
    </form>`;
  }

  #group({ title, fields, isFolded, note }: FormGroup, isOnly: boolean): TemplateResult {
    const drawn = fields.map((it) =>
      drawField(it, {
        draft: this.#draft(it),
        error: this.#errors.get(it.name),
        isKept: this.spec.kept !== undefined,
        change: (draft) => {
          this.#drafts.set(it.name, draft);
          this.#errors = new Map([...this.#errors].filter(([name]) => name !== it.name));
          this.requestUpdate();
        },
      }),
    );
    if (isOnly) return html`<div class="form-fields">${drawn}</div>`;
    if (!isFolded)
      return html`<fieldset class="form-group"><legend>${title}</legend>${note ?? nothing}<div class="form-fields">${drawn}</div></fieldset>`;
    const isOpen = fields.some((it) => this.#errors.has(it.name)) || undefined;
    return html`<details class="form-group" ?open=${isOpen ?? fields.some((it) => hasValue(valueAt(this.spec.kept, it.name)))}>
      <summary>${title}</summary><div class="form-fields">${drawn}</div>
    </details>`;
  }

  #groups(): readonly FormGroup[] {
    const { kept, initial, groups } = this.spec;
    const current = (name: string) => this.#drafts.get(name) ?? draftOf('text', valueAt(kept ?? initial, name));
    return groups(current).filter((it) => it.isFor?.(current) ?? true);
  }

  #draft(field: FormField): Draft {
    const draft = this.#drafts.get(field.name);
    if (draft !== undefined) return draft;
    const { kept, initial } = this.spec;
    return draftOf(field.kind, field.kind === 'secret' ? undefined : valueAt(kept ?? initial, field.name));
  }

  readonly #onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const fields = this.#groups().flatMap((it) => it.fields);
    const { body, errors } = collect(fields, new Map(fields.map((it) => [it.name, this.#draft(it)])), this.spec.kept);
    this.#show(errors, undefined);
    if (errors.size > 0) return;
    this.#isBusy = true;
    this.requestUpdate();
    try {
      await this.spec.submit(body);
    } catch (thrown) {
      const field = thrown instanceof ApiError ? fields.find((it) => it.name === thrown.param) : undefined;
      const words = wordsOf(thrown);
      this.#show(field ? new Map([[field.name, words]]) : new Map(), field ? undefined : words);
    }
    this.#isBusy = false;
    this.requestUpdate();
  };

  #show(errors: ReadonlyMap<string, string>, failed: string | undefined): void {
    this.#errors = errors;
    this.#failed = failed;
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }
}
customElements.define('admin-form', FormElement);

const hasValue = (value: unknown): boolean =>
  value != null && value !== false && !(Array.isArray(value) && value.length === 0);

export const form = (spec: FormSpec): TemplateResult => html`<admin-form .spec=${spec}></admin-form>`;
