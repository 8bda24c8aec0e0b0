import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';
import { emptyState } from './notice.ts';

export interface FiltersSpec {
  readonly fields: TemplateResult;
  /** How many of them leave something out. */
  readonly used: number;
}

/** The fields that a list is filtered by. Where there is room for one column alone, they are behind a button that counts those in use. */
class FiltersElement extends LightElement {
  static override properties = { spec: { attribute: false } };
  declare spec: FiltersSpec;
  #isOpen = false;

  protected override render(): TemplateResult {
    const { fields, used } = this.spec;
    return html`<button type="button" class="button fold" aria-expanded=${String(this.#isOpen)} @click=${this.#toggle}>
        ${icon('filter')} ${used === 0 ? t('Filters') : t('Filters ({0})', used)}</button>
      <div class="filters ${this.#isOpen ? '' : 'is-folded'}" role="search" aria-label=${t('Filters')}>${fields}</div>`;
  }

  readonly #toggle = (): void => {
    this.#isOpen = !this.#isOpen;
    this.requestUpdate();
  };
}
customElements.define('admin-filters', FiltersElement);

/** What a list without rows says, and what to do about it. @param clear takes the filters away; absent where there are none */
export const noRows = (
  name: string,
  title: string,
  words: { readonly filtered: string; readonly unfiltered: string },
  clear: (() => void) | undefined,
  next: TemplateResult | typeof nothing = nothing,
): TemplateResult =>
  clear
    ? emptyState(
        name,
        title,
        words.filtered,
        html`<button type="button" class="button" @click=${clear}>${t('Clear search and filters')}</button>`,
      )
    : emptyState(name, title, words.unfiltered, next);

/** @param query of the address @param names what in it leaves something out */
export const filters = (
  query: Readonly<Record<string, string>>,
  names: readonly string[],
  fields: TemplateResult,
): TemplateResult => {
  const spec: FiltersSpec = { fields, used: names.filter((it) => query[it]).length };
  return html`<admin-filters .spec=${spec}></admin-filters>`;
};
