import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';
import { type MenuItem, openMenu } from '../../shared/menu.ts';
import type { RecordPage } from '../gateway.ts';
import { AdminElement } from '../kit/adminElement.ts';
import { Loader } from '../kit/loader.ts';
import { emptyState, failure } from '../kit/notice.ts';
import { pager } from '../kit/pager.ts';
import { type Column, dataTable, type Sorting } from '../kit/table.ts';
import { pageSize, sortingOf } from './localList.ts';

export interface RecordLabels {
  readonly title: string;
  /** What such a record is, in a sentence. */
  readonly intro: string;
  readonly create?: string;
  readonly icon: string;
  /** Said where there is none yet. */
  readonly empty: string;
  /** Links to what comes before or after it, under the button that makes the first one. */
  readonly next?: TemplateResult;
  /** Under a title of the page's own. */
  readonly isPart?: boolean;
  /** Whether the address's query leaves records out in other ways than by the search. */
  readonly isFiltered?: (query: Readonly<Record<string, string>>) => boolean;
}
export interface RowAction extends MenuItem {
  readonly run: () => void;
}

/** A page with a table of records: search, paging, a button to make one, a menu in each row. */
export abstract class RecordsElement<T> extends AdminElement {
  protected readonly list = new Loader<RecordPage<T>>(this, (signal) => this.load(signal));

  protected abstract words(): RecordLabels;
  protected abstract load(signal: AbortSignal): Promise<RecordPage<T>>;
  protected abstract columns(): readonly Column<T>[];
  protected abstract idOf(row: T): string;
  protected abstract nameOf(row: T): string;
  protected abstract actions(row: T): readonly RowAction[];
  /** Opens the form: of a kept record, or for a new one. */
  protected abstract edit(row?: T): void | Promise<void>;
  /** Beside the search. */
  protected filters(): TemplateResult | typeof nothing {
    return nothing;
  }
  /** By which columns the list is sorted: those that say a value, where all of it is here. */
  protected sorted(): Sorting | undefined {
    return sortingOf(this.query, this.columns(), (query) => this.ask(query));
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('query')) void this.#follow();
  }

  /** An address can ask for the form of a record. It leaves the address, so that a reload does not open the form again. */
  async #follow(): Promise<void> {
    await this.list.run();
    const id = this.query['edit'];
    if (!id) return;
    const row = this.list.value?.rows.find((it) => this.idOf(it) === id);
    this.ask({ edit: '' });
    if (row) await this.edit(row);
  }

  protected override render(): TemplateResult {
    const words = this.words();
    const { list } = this;
    const found = list.value;
    const isFiltered = Boolean(this.query['search']) || words.isFiltered?.(this.query) === true;
    // Nothing to search in: the way to make the first one stands where it would be.
    const isEmpty = found?.rows.length === 0 && !isFiltered;
    return html`<header class="page-head">
        <div>${words.isPart ? html`<h2>${words.title}</h2>` : html`<h1>${words.title}</h1>`}<p class="muted">${words.intro}</p></div>
        ${isEmpty ? nothing : this.#createButton(words)}
      </header>
      ${failure(list.error, () => void list.run())}
      ${isEmpty ? nothing : this.#search()}
      ${dataTable({
        label: words.title,
        columns: this.columns(),
        rows: found?.rows,
        idOf: (row) => this.idOf(row),
        isLoading: list.isLoading,
        empty: this.#empty(words, isFiltered),
        actions: (row) => this.#menuButton(row),
        sorted: this.sorted(),
      })}
      ${found ? pager({ ...found, pageSize, go: (p) => this.ask({ p }) }) : nothing}`;
  }

  /** The same, and reads the list again. */
  protected async act(work: () => Promise<unknown>, done: string): Promise<void> {
    await this.attempt(work, done);
    await this.list.run();
  }

  #createButton({ create }: RecordLabels): TemplateResult | typeof nothing {
    if (create === undefined || !this.session.mayWrite) return nothing;
    return html`<button type="button" class="button primary" @click=${() => void this.edit()}>${icon('add')} ${create}</button>`;
  }

  #search(): TemplateResult {
    return html`<div class="filters" role="search">
      <label class="filter wide"><span>${t('Search')}</span>
        <input class="field" type="search" .value=${this.query['search'] ?? ''} autocomplete="off" spellcheck="false"
          @change=${(event: Event) => this.ask({ search: (event.target as HTMLInputElement).value.trim(), p: '' })} />
      </label>
      ${this.filters()}
    </div>`;
  }

  #empty(words: RecordLabels, isFiltered: boolean): TemplateResult {
    if (!isFiltered) {
      const steps = html`${this.#createButton(words)}${words.next ?? nothing}`;
      return emptyState(words.icon, t('Nothing here yet'), words.empty, steps);
    }
    const clear = html`<button type="button" class="button" @click=${() => this.#clear()}>${t('Clear search and filters')}</button>`;
    const { search } = this.query;
    const message = search ? t('No results for "{0}".', search) : t('No results for these filters.');
    return emptyState('search', t('Nothing found'), message, clear);
  }

  #clear(): void {
    const empty = Object.fromEntries(Object.keys(this.query).map((name) => [name, '']));
    this.ask({ ...empty, page: this.query['page'], tab: this.query['tab'] });
  }

  #menuButton(row: T): TemplateResult | typeof nothing {
    const actions = this.actions(row);
    if (actions.length === 0) return nothing;
    const label = t('Actions for {0}', this.nameOf(row));
    const open = (event: Event) =>
      openMenu(event.currentTarget as HTMLElement, label, actions, (id) => actions.find((it) => it.id === id)?.run());
    return html`<button type="button" class="icon-button codicon codicon-ellipsis" aria-haspopup="menu" aria-expanded="false"
      aria-label=${label} title=${label} @click=${open}></button>`;
  }
}
