import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { AlertDeliveryAnswer } from '../../../../sidecar/protocol/gateway/alerts/answers.ts';
import { t } from '../../../shared/l10n.ts';
import { AdminElement } from '../../kit/adminElement.ts';
import { openDialog } from '../../kit/dialog.ts';
import { count, moment } from '../../kit/format.ts';
import { Loader } from '../../kit/loader.ts';
import { emptyState, failure } from '../../kit/notice.ts';
import { pager } from '../../kit/pager.ts';
import { select } from '../../kit/select.ts';
import { type Column, dataTable } from '../../kit/table.ts';
import { badge } from '../../records/cells.ts';
import { pageNumber } from '../../records/localList.ts';
import { kindLabel } from './labels.ts';

const pageSize = 25;

function stateBadge({ state, attempts }: AlertDeliveryAnswer): TemplateResult {
  if (state === 'delivered') return badge('good', 'pass', t('Delivered'));
  if (state === 'dead') return badge('bad', 'error', t('Not delivered'));
  return attempts === 0 ? badge('quiet', 'clock', t('Waiting')) : badge('warn', 'sync', t('Sending again'));
}

/** Messages with what became of them, newest first. Dead letters can be sent again. */
class DeliveriesElement extends AdminElement {
  readonly #list = new Loader(this, (signal) => {
    const query = { page: pageNumber(this.query), page_size: pageSize, state: this.query['state'] };
    return this.session.routes.alertDeliveries(query, signal);
  });

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('query')) void this.#list.run();
  }

  protected override render(): TemplateResult {
    const { value, error, isLoading } = this.#list;
    const options = [
      { value: '', label: t('Any') },
      { value: 'waiting', label: t('Waiting') },
      { value: 'delivered', label: t('Delivered') },
      { value: 'dead', label: t('Not delivered') },
    ];
    return html`<header class="page-head"><div><h2>${t('Deliveries')}</h2>
        <p class="muted">${t('Messages of the last 30 days. Those that a target did not take can be sent again.')}</p></div></header>
      ${failure(error, () => void this.#list.run())}
      <div class="filters" role="search">
        ${select(t('State'), this.query['state'] ?? '', options, (state) => this.ask({ state, p: '' }))}
      </div>
      ${dataTable<AlertDeliveryAnswer>({
        label: t('Deliveries'),
        rows: value?.rows,
        idOf: (it) => it.id,
        isLoading,
        columns: this.#columns(),
        actions: (it) => this.#again(it),
        empty: emptyState('send', t('No messages'), t('Messages appear here when a rule reports something.')),
      })}
      ${value ? pager({ ...value, pageSize, go: (p) => this.ask({ p }) }) : nothing}`;
  }

  #columns(): readonly Column<AlertDeliveryAnswer>[] {
    return [
      {
        name: t('Time'),
        cell: (it) =>
          html`<button type="button" class="link" aria-label=${t('Details for the message of {0}', moment(it.created_at))}
            @click=${() => this.#open(it)}>${moment(it.created_at)}</button>`,
      },
      { name: t('Event'), isText: true, cell: (it) => kindLabel(it.type) },
      { name: t('Count'), isNumber: true, cell: (it) => count(it.count) },
      { name: t('Rule'), isText: true, cell: (it) => it.rule },
      { name: t('Alert target'), isText: true, cell: (it) => it.target },
      {
        name: t('State'),
        isWide: true,
        cell: (it) =>
          html`${stateBadge(it)}${it.error === null ? nothing : html`<small class="reason">${it.error}</small>`}`,
      },
      { name: t('Attempts'), isNumber: true, cell: (it) => count(it.attempts) },
    ];
  }

  #again({ id, state }: AlertDeliveryAnswer): TemplateResult | typeof nothing {
    if (state !== 'dead' || !this.session.mayWrite) return nothing;
    return html`<button type="button" class="button" @click=${() => void this.#resend(id)}>${t('Send again')}</button>`;
  }

  async #resend(id: string): Promise<void> {
    const send = () => this.session.routes.write('/alert/delivery/resend', { id });
    await this.attempt(send, t('The message will be sent again.'));
    await this.#list.run();
  }

  #open({ id, type, rule, target, events, next_attempt_at }: AlertDeliveryAnswer): void {
    openDialog({
      title: kindLabel(type),
      shape: 'side',
      body: () => html`<dl class="facts">
          <dt>${t('Rule')}</dt><dd>${rule}</dd>
          <dt>${t('Alert target')}</dt><dd>${target}</dd>
          <dt>${t('ID')}</dt><dd>${id}</dd>
          ${next_attempt_at === null ? nothing : html`<dt>${t('Next attempt')}</dt><dd>${moment(next_attempt_at)}</dd>`}
        </dl>
        <h3>${t('Events')}</h3>
        <ul class="names">${events.map((it) => html`<li>${moment(it.at)}: ${it.message}</li>`)}</ul>`,
    });
  }
}
customElements.define('admin-alert-deliveries', DeliveriesElement);
