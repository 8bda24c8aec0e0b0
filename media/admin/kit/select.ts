import { html, type TemplateResult } from 'lit';

export interface Option {
  readonly value: string;
  readonly label: string;
  /** Under what it stands, where a control has groups. */
  readonly group?: string;
}

/** A labelled choice among few. */
export function select(
  label: string,
  value: string,
  options: readonly Option[],
  change: (value: string) => void,
): TemplateResult {
  return html`<label class="filter"><span>${label}</span>
    <select class="field" .value=${value} @change=${(event: Event) => change((event.target as HTMLSelectElement).value)}>
      ${options.map((it) => html`<option value=${it.value} ?selected=${it.value === value}>${it.label}</option>`)}
    </select>
  </label>`;
}

/** A labelled text that counts when it is left or Enter is pressed. */
export function input(
  label: string,
  value: string,
  change: (value: string) => void,
  more: {
    readonly type?: 'text' | 'date' | 'search';
    readonly placeholder?: string;
    readonly list?: string;
    readonly isWide?: boolean;
  } = {},
): TemplateResult {
  return html`<label class="filter ${more.isWide ? 'wide' : ''}"><span>${label}</span>
    <input class="field" type=${more.type ?? 'text'} .value=${value} placeholder=${more.placeholder ?? ''}
      list=${more.list ?? ''} autocomplete="off" spellcheck="false"
      @change=${(event: Event) => change((event.target as HTMLInputElement).value.trim())} />
  </label>`;
}
