import { html, type PropertyValues, type TemplateResult } from 'lit';
import { t } from '../../../shared/l10n.ts';
import { AdminElement } from '../../kit/adminElement.ts';
import { copyable } from '../../kit/copyable.ts';
import { Loader } from '../../kit/loader.ts';
import { failure } from '../../kit/notice.ts';
import { badge } from '../../records/cells.ts';
import { cloudAgents } from './credentialForm.ts';

/** Services that are relayed in their own format, each with its address and whether it has a credential. */
class RelayedElement extends AdminElement {
  readonly #credentials = new Loader(this, (signal) => this.session.routes.credentials(signal));

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('query')) void this.#credentials.run();
  }

  protected override render(): TemplateResult {
    const { value, error } = this.#credentials;
    const found = value?.find((it) => it.credential_info.custom_llm_provider === cloudAgents);
    const { place } = this.session;
    return html`<header class="page-head"><div><h2>${t('Endpoints')}</h2>
        <p class="muted">${t("The gateway's addresses. All of them accept a virtual key.")}</p></div></header>
      ${failure(error, () => void this.#credentials.run())}
      <div class="stack">
        ${modelAddresses().map(([name, path]) => html`<section class="card"><h3>${name}</h3>${copyable(place, name, `${place.baseUrl()}${path}`)}</section>`)}
        <section class="card"><h3>${t('MCP, all servers')}</h3>${copyable(place, t('MCP, all servers'), `${place.baseUrl()}/mcp`)}</section>
        <section class="card"><h3>${t('MCP, one server')}</h3>${copyable(place, t('MCP, one server'), `${place.baseUrl()}/{server}/mcp`)}</section>
        <section class="card"><h3>${t('MCP, one toolset')}</h3>${copyable(place, t('MCP, one toolset'), `${place.baseUrl()}/toolset/{name}/mcp`)}</section>
        <section class="card"><h3>${t('MCP, for clients that support only SSE')}</h3>${copyable(place, t('MCP, for clients that support only SSE'), `${place.baseUrl()}/sse`)}</section>
        <section class="card"><h3>${t('A2A agents')}</h3>${copyable(place, t('A2A agents'), `${place.baseUrl()}/a2a/{agent_id}`)}</section>
        <section class="card"><header class="card-head"><h3>${t('Cloud agents')}</h3>
            ${value === undefined ? '' : found ? badge('good', 'pass', t('Credential: {0}', found.credential_name)) : badge('warn', 'warning', t('Needs a credential'))}</header>
          ${copyable(place, t('Cloud agents'), `${place.baseUrl()}/cloudagents/v0/agents`)}</section>
      </div>`;
  }
}
customElements.define('admin-relayed', RelayedElement);

/** What each SDK takes as its base URL. */
const modelAddresses = (): readonly (readonly [name: string, path: string])[] => [
  [t('Models, base URL for OpenAI clients'), '/v1'],
  [t('Models, base URL for Anthropic clients'), ''],
  [t('Models, base URL for Google Gemini clients'), ''],
];
