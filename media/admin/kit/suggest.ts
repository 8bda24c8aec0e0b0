import { html, type TemplateResult } from 'lit';
import { LightElement } from '../../shared/lightElement.ts';
import { wordsOf } from './loader.ts';
import type { Option } from './select.ts';

export interface SuggestSpec {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  /** What begins like the text, or has it in its name. */
  readonly find: (text: string) => Promise<readonly Option[]>;
  /** Called when the text is left or a suggestion is taken. */
  readonly change: (value: string) => void;
}

let last = 0;

/** A labelled text that offers the records that it may mean. Any text may be entered: records that are gone have calls too. */
class SuggestElement extends LightElement {
  static override properties = { spec: { attribute: false } };
  declare spec: SuggestSpec;
  readonly #id = `suggest-${++last}`;
  #options: readonly Option[] = [];
  #asked = 0;
  #problem = '';

  protected override render(): TemplateResult {
    const { label, value, placeholder, change } = this.spec;
    return html`<label class="filter"><span>${label}</span>
      <input class="field" type="text" .value=${value} placeholder=${placeholder ?? ''} list=${this.#id} autocomplete="off" spellcheck="false"
        title=${this.#problem} @focus=${this.#onInput} @input=${this.#onInput}
        @change=${(event: Event) => change((event.target as HTMLInputElement).value.trim())} />
      <datalist id=${this.#id}>${this.#options.map((it) => html`<option value=${it.value}>${it.label}</option>`)}</datalist>
    </label>`;
  }

  readonly #onInput = async (event: Event): Promise<void> => {
    const text = (event.target as HTMLInputElement).value.trim();
    const own = ++this.#asked;
    let found: readonly Option[] = [];
    let problem = '';
    try {
      found = await this.spec.find(text);
    } catch (thrown) {
      problem = wordsOf(thrown);
    }
    // An answer to an older text would offer what nobody looks for any more.
    if (own !== this.#asked) return;
    this.#options = found;
    this.#problem = problem;
    this.requestUpdate();
  };
}
customElements.define('admin-suggest', SuggestElement);

export const suggest = (spec: SuggestSpec): TemplateResult => html`<admin-suggest .spec=${spec}></admin-suggest>`;
