import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import { AdminElement } from '../kit/adminElement.ts';
import { copyable } from '../kit/copyable.ts';
import { moment, money, none } from '../kit/format.ts';
import { pageLink, recordLink } from '../kit/links.ts';
import { Loader } from '../kit/loader.ts';
import './help/scimTokens.ts';
import { readTeamNames } from '../records/lookups.ts';

/** Which gateway this is, who one is, how a client connects, and where more is said. */
class HelpElement extends AdminElement {
  readonly #teams = new Loader(this, (signal) => readTeamNames(this.session.routes, signal));

  protected override firstUpdated(_changed: PropertyValues): void {
    if (this.session.own.team_id) void this.#teams.run();
  }

  protected override render(): TemplateResult {
    const { place, info } = this.session;
    const addresses = [
      [t('MCP, all servers'), '/mcp'],
      [t('Models, base URL for OpenAI clients'), '/v1'],
      [t('A2A agents'), '/a2a/{agent_id}'],
    ] as const;
    return html`<header class="page-head"><div><h1>${t('Settings and help')}</h1>
        <p class="muted">${t('This gateway, your key, and how to connect a client.')}</p></div></header>
      <div class="stack">
        ${this.#key()}
        <section class="card"><h2>${t('Connect a client')}</h2>
          <p class="muted">${t('Clients send your key in the header "x-gateway-api-key: Bearer …" or "Authorization: Bearer …".')}</p>
          ${addresses.map(([name, path]) => html`<h3>${name}</h3>${copyable(place, name, place.baseUrl() + path)}`)}
          <p>${pageLink({ page: 'models', tab: 'endpoints' }, t('All addresses'))}</p>
        </section>
        <section class="card"><h2>${t('Gateway')}</h2>
          <dl class="facts">
            <dt>${t('Version')}</dt><dd>${info?.version ?? none}</dd>
            <dt>${t('Address')}</dt><dd>${place.baseUrl()}</dd>
            ${info?.sees_all ? this.#settings() : nothing}
          </dl>
          ${info?.sees_all ? html`<p class="muted">${t('Change settings in switchboard.jsonc. CONFIGURATION.md describes each of them, and GATEWAY.md how to operate the gateway.')}</p>` : nothing}
          ${place.signsIn ? html`<p><a class="link" href="${place.baseUrl()}/openapi.json">${t('OpenAPI document of the management API')}</a></p>` : nothing}
        </section>
        ${info?.sees_all ? html`<admin-scim-tokens .session=${this.session}></admin-scim-tokens>` : nothing}
        <section class="card"><h2>${t('Keyboard')}</h2>
          <p>${t('Tab moves between controls, arrow keys move within tabs and menus, and Escape closes dialogs. The first Tab on a page offers to skip the navigation.')}</p>
        </section>
      </div>`;
  }

  #key(): TemplateResult {
    const { own, mayWrite, info } = this.session;
    const sight = info?.sees_all
      ? mayWrite
        ? t('Can see and change everything')
        : t('Can see everything, but not change it')
      : t('Can see its own data');
    return html`<section class="card"><h2>${t('Your key')}</h2>
      <dl class="facts">
        <dt>${t('Key')}</dt><dd>${recordLink('key', own.token, own.key_alias || own.key_name)}</dd>
        <dt>${t('Access')}</dt><dd>${sight}</dd>
        ${own.user_id ? html`<dt>${t('User')}</dt><dd>${recordLink('user', own.user_id, own.user_id)}</dd>` : nothing}
        ${own.team_id ? html`<dt>${t('Team')}</dt><dd>${recordLink('team', own.team_id, this.#teams.value?.get(own.team_id) ?? own.team_id)}</dd>` : nothing}
        <dt>${t('Spend')}</dt><dd>${own.max_budget == null ? money(own.spend ?? 0) : t('{0} of {1}', money(own.spend ?? 0), money(own.max_budget))}</dd>
        <dt>${t('Expires')}</dt><dd>${own.expires ? moment(own.expires) : t('Never')}</dd>
      </dl>
    </section>`;
  }

  #settings(): TemplateResult {
    const { info } = this.session;
    return html`<dt>${t('Keys without permissions')}</dt><dd>${info?.default_access === 'all' ? t('May use everything') : t('May use nothing')}</dd>
      <dt>${t('Separator between server and tool')}</dt><dd><code>${info?.tool_separator ?? none}</code></dd>
      <dt>${t('Tool search')}</dt><dd>${info?.tool_search_above == null ? t('Off') : t('For lists of more than {0} tools', info.tool_search_above)}</dd>
      <dt>${t('Public registry')}</dt><dd>${info?.registry ? t('On') : t('Off')}</dd>`;
  }
}
customElements.define('admin-help', HelpElement);
