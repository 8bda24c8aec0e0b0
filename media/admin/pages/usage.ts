import { html, type PropertyValues, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import { AdminElement } from '../kit/adminElement.ts';
import { addDays } from '../kit/format.ts';
import { Loader } from '../kit/loader.ts';
import { tabList } from '../kit/tabs.ts';
import { keyFinder } from '../records/finders.ts';
import { visible } from '../records/lookups.ts';
import './usage/breakdown.ts';
import './usage/endpoints.ts';
import { drawFilters, type UsageFilter } from './usage/filters.ts';

/** Days that are shown until somebody asks for others. */
const usualDays = 30;
const noNames: ReadonlyMap<string, string> = new Map();

/** Calls, tokens and spend, from several sides. Endpoint Activity comes first. */
class UsageElement extends AdminElement {
  readonly #known = new Loader(this, async (signal) => {
    const { routes } = this.session;
    const [teams, agents, organizations, users] = await Promise.all([
      visible(routes.teams(signal)),
      visible(routes.agents(signal)),
      visible(routes.organizations(signal)),
      visible(routes.users({ page_size: 1_000 }, signal).then((it) => it.rows)),
    ]);
    const options = teams.map((it) => ({ value: it.team_id, label: it.team_alias || it.team_id }));
    const names = [
      ...options.map((it) => [it.value, it.label] as const),
      ...agents.map((it) => [it.agent_id, it.agent_name] as const),
      ...organizations.map((it) => [it.organization_id, it.organization_alias || it.organization_id] as const),
      ...users.map((it) => [it.user_id, it.user_alias || it.user_email || it.user_id] as const),
    ];
    return { teams: options, names: new Map(names) };
  });
  #wrongKey: string | undefined;

  protected override firstUpdated(_changed: PropertyValues): void {
    void this.#known.run();
  }

  protected override render(): TemplateResult {
    const filter = this.#filter();
    const tab = tabs().find((it) => it.id === this.query['tab'])?.id ?? 'endpoints';
    return html`<header class="page-head"><div>
        <h1>${t('Usage')}</h1>
        <p class="muted">${t('All calls through the gateway, by day (UTC).')}</p>
      </div></header>
      ${tabList(t('Group usage by'), tabs(), tab, (id) => this.ask({ tab: id }))}
      <div id="tab-panel" role="tabpanel" aria-labelledby="tab-${tab}">
        ${drawFilters({
          filter,
          today: this.session.api.today,
          teams: this.#known.value?.teams ?? [],
          isByEndpoint: tab === 'endpoints',
          keyError: this.#wrongKey,
          findKey: keyFinder(this.session.routes),
          change: (query) => this.ask(query),
          changeKey: (alias) => void this.#changeKey(alias),
        })}
        ${
          tab === 'endpoints'
            ? html`<admin-endpoints .session=${this.session} .filter=${filter}></admin-endpoints>`
            : html`<admin-breakdown .session=${this.session} .filter=${filter} .side=${tab} .names=${this.#known.value?.names ?? noNames}></admin-breakdown>`
        }
      </div>`;
  }

  #filter(): UsageFilter {
    const { today } = this.session.api;
    const { start_date, end_date, api_key = '', key_alias = '', team_id = '', tag = '' } = this.query;
    const isDay = (it: string | undefined): it is string => it !== undefined && /^\d{4}-\d\d-\d\d$/.test(it);
    const end = isDay(end_date) ? end_date : today;
    const start = isDay(start_date) && start_date <= end ? start_date : addDays(end, 1 - usualDays);
    return { start_date: start, end_date: end, api_key, key_alias, team_id, tag };
  }

  /** People know keys by their names, the gateway asks by the hash. */
  async #changeKey(alias: string): Promise<void> {
    this.#wrongKey = undefined;
    if (alias === '') return this.ask({ api_key: '', key_alias: '' });
    const { rows } = await this.session.routes.keys({ key_alias: alias, page: 1, size: 1 });
    const [found] = rows;
    if (found) return this.ask({ api_key: found.token, key_alias: alias });
    this.#wrongKey = t('There is no key with this name.');
    this.requestUpdate();
  }
}
customElements.define('admin-usage', UsageElement);

const tabs = () => [
  { id: 'endpoints', label: t('Endpoint Activity') },
  { id: 'servers', label: t('Servers and tools') },
  { id: 'models', label: t('Models') },
  { id: 'agents', label: t('Agents') },
  { id: 'keys', label: t('Keys') },
  { id: 'teams', label: t('Teams') },
  { id: 'users', label: t('Users') },
  { id: 'end_users', label: t('End users') },
  { id: 'organizations', label: t('Organizations') },
  { id: 'tags', label: t('Tags') },
];
