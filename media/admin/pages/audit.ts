import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { AuditLine } from '../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../shared/l10n.ts';
import { AdminElement } from '../kit/adminElement.ts';
import { exportLinks } from '../kit/exports.ts';
import { filters, noRows } from '../kit/filters.ts';
import { addDays, list, moment } from '../kit/format.ts';
import { Loader } from '../kit/loader.ts';
import { failure } from '../kit/notice.ts';
import { pager } from '../kit/pager.ts';
import { input, select } from '../kit/select.ts';
import { type Column, dataTable } from '../kit/table.ts';
import { breakable } from '../records/cells.ts';
import { KeyNames, keyWords } from '../records/keyNames.ts';
import { pageNumber } from '../records/localList.ts';
import { changesOf } from './audit/changes.ts';
import { openChange } from './audit/detail.ts';
import { fieldLabel } from './audit/fieldLabels.ts';
import { actionCell, actions, kindLabel, kinds, objectLabel } from './audit/labels.ts';

const pageSize = 50;
const usualDays = 30;
const filtered = ['table_name', 'action', 'changed_by', 'object_id'] as const;

/** Who changed what, newest first. Lines are only ever added. */
class AuditElement extends AdminElement {
  readonly #names = new KeyNames(this, () => this.session.routes);
  readonly #list = new Loader(this, async (signal) => {
    const query = { ...this.#matching(), page: pageNumber(this.query), page_size: pageSize };
    const found = await this.session.routes.audit(query, signal);
    void this.#names.learn(found.rows.flatMap((it) => [it.changed_by, it.object_id]));
    return found;
  });

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('query')) void this.#list.run();
  }

  #matching() {
    const { table_name, action, changed_by, object_id } = this.query;
    return { ...this.#range(), table_name, action, changed_by, object_id };
  }

  #range() {
    const { start_date, end_date } = this.query;
    const end = end_date || this.session.api.today;
    return { end_date: end, start_date: start_date || addDays(end, 1 - usualDays) };
  }

  protected override render(): TemplateResult {
    const { value, error, isLoading } = this.#list;
    return html`<header class="page-head"><div><h1>${t('Audit')}</h1>
        <p class="muted">${t('A record of every change, with secrets omitted. Entries cannot be changed or deleted. Times are in UTC.')}</p></div>
        ${exportLinks(this.session.place, '/audit', this.#matching())}</header>
      ${this.#filters()}
      ${failure(error, () => void this.#list.run())}
      ${dataTable<AuditLine>({
        label: t('Changes'),
        rows: value?.rows,
        idOf: (it) => it.id,
        isLoading,
        columns: this.#columns(),
        empty: this.#empty(),
      })}
      ${value ? pager({ ...value, pageSize, go: (p) => this.ask({ p }) }) : nothing}`;
  }

  #empty(): TemplateResult {
    const used = filtered.filter((it) => this.query[it]);
    const clear = () => this.ask({ ...Object.fromEntries(used.map((it) => [it, ''])), p: '' });
    return noRows(
      'history',
      t('No changes'),
      {
        filtered: t('No changes in this period match the filters.'),
        unfiltered: t('Nothing was changed in this period. Choose an earlier start to see older changes.'),
      },
      used.length > 0 ? clear : undefined,
    );
  }

  #columns(): readonly Column<AuditLine>[] {
    const open = (it: AuditLine) => () => openChange(this.session, it, this.#who(it), this.#target(it));
    return [
      {
        name: t('Time'),
        cell: (it) =>
          html`<button type="button" class="link" aria-label=${t('Details for the change at {0}', moment(it.updated_at))} @click=${open(it)}>${moment(it.updated_at)}</button>`,
      },
      {
        name: t('Who'),
        isText: true,
        cell: (it) => html`<span title=${this.#names.of(it.changed_by)}>${breakable(this.#who(it))}</span>`,
      },
      { name: t('Action'), cell: actionCell },
      { name: t('Kind'), cell: (it) => kindLabel(it.table_name) },
      {
        name: t('Target'),
        isText: true,
        cell: (it) => html`<span class="named"><span title=${it.object_id}>${this.#target(it)}</span></span>`,
      },
      { name: t('Fields'), isWide: true, cell: (it) => fieldsOf(it) },
    ];
  }

  #target(it: AuditLine): string {
    return objectLabel(it, this.#names.of(it.object_id));
  }

  #who({ changed_by, on_behalf_of, user_email }: AuditLine): string {
    const name = changed_by === 'config' ? t('Configuration file') : user_email || keyWords(this.#names.of(changed_by));
    return on_behalf_of ? t('{0}, on behalf of {1}', name, on_behalf_of) : name;
  }

  #filters(): TemplateResult {
    const { start_date, end_date } = this.#range();
    const { query } = this;
    const change = (name: string) => (value: string) => this.ask({ [name]: value, p: '' });
    const any = { value: '', label: t('Any') };
    const fields = html`
      ${input(t('From'), start_date, change('start_date'), { type: 'date' })}
      ${input(t('To'), end_date, change('end_date'), { type: 'date' })}
      ${select(t('Kind'), query['table_name'] ?? '', [any, ...kinds()], change('table_name'))}
      ${select(t('Action'), query['action'] ?? '', [any, ...actions()], change('action'))}
      ${input(t('Who'), query['changed_by'] ?? '', change('changed_by'), { placeholder: t('User or key hash') })}
      ${input(t('Target'), query['object_id'] ?? '', change('object_id'), { placeholder: t('ID') })}`;
    return filters(query, ['start_date', 'end_date', ...filtered], fields);
  }
}
customElements.define('admin-audit', AuditElement);

/** Each once: fields of different names can have the same label. */
const fieldsOf = (it: AuditLine): string => list([...new Set(changesOf(it).map(({ field }) => fieldLabel(field)))]);
