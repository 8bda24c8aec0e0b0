import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';

export interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => TemplateResult | string;
  readonly isNumber?: boolean;
  /** Takes the room that is left. */
  readonly isWide?: boolean;
  /** Names and lists of names, which wrap where room is short. Dates and states never do. */
  readonly isText?: boolean;
  /** The word for sorting by it in the address, which the gateway knows where it sorts; absent where nothing can. */
  readonly sort?: string;
  /** What a list that is here as a whole is sorted by. Rows without it come last. */
  readonly sortValue?: (row: T) => string | number | null | undefined;
}

export interface Sorting {
  readonly by: string;
  readonly isDescending: boolean;
  readonly sort: (by: string) => void;
}

export interface TableSpec<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[] | undefined;
  readonly idOf: (row: T) => string;
  readonly isLoading: boolean;
  /** Drawn instead of rows where there are none. */
  readonly empty: TemplateResult;
  readonly actions?: (row: T) => TemplateResult | typeof nothing;
  readonly sorted?: Sorting | undefined;
}

const skeletonRows = 6;

/** A table of one page of rows. While the first page loads it has its shape already. */
export function dataTable<T>(spec: TableSpec<T>): TemplateResult | typeof nothing {
  const { columns, rows, actions } = spec;
  // It could not be loaded, and why is said beside it.
  if (!rows && !spec.isLoading) return nothing;
  if (rows?.length === 0) return html`<div class="table-frame">${spec.empty}</div>`;
  return html`<div class="table-frame" tabindex="0" role="region" aria-label=${spec.label}>
    <table aria-label=${spec.label} aria-busy=${String(spec.isLoading)} class=${spec.isLoading ? 'is-loading' : ''}>
      <thead>
        <tr>
          ${columns.map((it) => heading(it, spec))}
          ${actions ? html`<th scope="col" class="actions"><span class="hidden">${t('Actions')}</span></th>` : nothing}
        </tr>
      </thead>
      <tbody>
        ${
          rows
            ? repeat(rows, spec.idOf, (row) => {
                const cells = columns.map((it, at) => bodyCell(it, row, at === 0));
                return html`<tr>${cells}${actions ? html`<td class="actions">${actions(row)}</td>` : nothing}</tr>`;
              })
            : Array.from(
                { length: skeletonRows },
                () =>
                  html`<tr aria-hidden="true">${columns.map(() => html`<td><span class="skeleton"></span></td>`)}${actions ? html`<td></td>` : nothing}</tr>`,
              )
        }
      </tbody>
    </table>
  </div>`;
}

function bodyCell<T>(column: Column<T>, row: T, isFirst: boolean): TemplateResult {
  const names = classOf(column);
  const content = column.cell(row);
  return isFirst ? html`<th scope="row" class=${names}>${content}</th>` : html`<td class=${names}>${content}</td>`;
}

function heading<T>(column: Column<T>, { sorted }: TableSpec<T>): TemplateResult {
  const by = column.sort;
  if (!sorted || by === undefined) return html`<th scope="col" class=${classOf(column)}>${column.name}</th>`;
  const isSorted = sorted.by === by;
  const order = isSorted ? (sorted.isDescending ? 'descending' : 'ascending') : 'none';
  return html`<th scope="col" class=${classOf(column)} aria-sort=${order}>
    <button type="button" class="sort" @click=${() => sorted.sort(by)}>
      ${column.name}${icon(isSorted ? (sorted.isDescending ? 'arrow-down' : 'arrow-up') : 'blank')}
    </button>
  </th>`;
}

const classOf = <T>({ isNumber, isWide, isText }: Column<T>): string =>
  `${isNumber ? 'number ' : ''}${isWide ? 'wide ' : ''}${isText ? 'text' : ''}`.trim();
