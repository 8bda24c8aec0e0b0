import { html, type PropertyValues, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { t } from '../../shared/l10n.ts';
import { AdminElement } from '../kit/adminElement.ts';
import { Loader } from '../kit/loader.ts';
import { tabList } from '../kit/tabs.ts';
import { visible } from '../records/lookups.ts';
import { recordsPage } from '../records/recordKind.ts';
import { alertRules, rulesWithoutTarget } from './alerts/rules.ts';
import { alertTargets } from './alerts/targets.ts';
import './alerts/deliveries.ts';

/** What is reported, where, and what became of it. */
class AlertsElement extends AdminElement {
  readonly #targets = new Loader(this, (signal) => visible(this.session.routes.alertTargets(signal)));

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('query')) void this.#targets.run();
  }

  protected override render(): TemplateResult {
    const asked = this.query['tab'];
    const tab = asked === 'targets' || asked === 'deliveries' ? asked : 'rules';
    const tabs = [
      { id: 'rules', label: t('Rules') },
      { id: 'targets', label: t('Targets') },
      { id: 'deliveries', label: t('Deliveries') },
    ];
    return html`<header class="page-head"><div><h1>${t('Alerts')}</h1>
        <p class="muted">${t('Messages about budgets, servers, tools, and errors to webhooks, Slack, Teams, and email.')}</p></div></header>
      ${tabList(t('Alerts'), tabs, tab, (id) => this.ask({ tab: id, search: '', p: '', state: '' }))}
      <div id="tab-panel" role="tabpanel" aria-labelledby="tab-${tab}">
        ${keyed(tab, this.#part(tab))}
      </div>`;
  }

  /** An element of its own for each tab: rows of one are none of another. */
  #part(tab: 'rules' | 'targets' | 'deliveries'): TemplateResult {
    if (tab === 'rules') {
      const hasTarget = this.#targets.value?.length !== 0;
      return recordsPage(this.session, this.query, hasTarget ? alertRules : rulesWithoutTarget);
    }
    if (tab === 'targets') return recordsPage(this.session, this.query, alertTargets);
    return html`<admin-alert-deliveries .session=${this.session} .query=${this.query}></admin-alert-deliveries>`;
  }
}
customElements.define('admin-alerts', AlertsElement);
