import { html, type TemplateResult } from 'lit';
import type { CredentialAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../shared/l10n.ts';
import { AdminElement } from '../kit/adminElement.ts';
import { list, moment } from '../kit/format.ts';
import { tabList } from '../kit/tabs.ts';
import { nameCell } from '../records/cells.ts';
import { type RecordKind, recordsPage } from '../records/recordKind.ts';
import { credentialGroups, saveCredential } from './models/credentialForm.ts';
import './models/endpoints.ts';
import './models/modelList.ts';

const credentials: RecordKind<CredentialAnswer> = {
  icon: 'lock',
  words: () => ({
    title: t('LLM Credentials'),
    intro: t(
      'API keys for services behind the gateway. Callers use their virtual keys. Requests from the gateway to a service use the API key stored here.',
    ),
    create: t('Add Credential'),
    isPart: true,
    empty: t(
      'Add the key of a model provider or of a cloud-agents service. Models of the provider can use it, and callers use their virtual keys.',
    ),
  }),
  list: (routes, signal) => routes.credentials(signal),
  idOf: (it) => it.credential_name,
  nameOf: (it) => it.credential_name,
  columns: (open) => [
    {
      name: t('Credential'),
      isWide: true,
      cell: (it) => nameCell(it.credential_name, it.credential_info.description ?? undefined, () => open(it)),
    },
    { name: t('Provider'), isText: true, cell: (it) => it.credential_info.custom_llm_provider },
    { name: t('Stored fields'), isText: true, cell: (it) => list(Object.keys(it.credential_values)) },
    { name: t('Changed'), cell: (it) => moment(it.updated_at) },
  ],
  form: (_lookups, row) => credentialGroups(row),
  save: saveCredential,
  remove: (routes, it) => routes.deleteCredential(it.credential_name),
  removalNote: () => t('Calls that require it will be rejected.'),
};

/** Models + Endpoints: models and their backends, credentials, and the addresses of the gateway. */
class ModelsElement extends AdminElement {
  protected override render(): TemplateResult {
    const asked = this.query['tab'];
    const tab = asked === 'endpoints' || asked === 'credentials' ? asked : 'models';
    const tabs = [
      { id: 'models', label: t('Models') },
      { id: 'credentials', label: t('LLM Credentials') },
      { id: 'endpoints', label: t('Endpoints') },
    ];
    return html`<header class="page-head"><div><h1>${t('Models + Endpoints')}</h1>
        <p class="muted">${t('Models, their API keys, and the addresses at which clients call the gateway.')}</p></div></header>
      ${tabList(t('Models + Endpoints'), tabs, tab, (id) => this.ask({ tab: id, search: '', p: '' }))}
      <div id="tab-panel" role="tabpanel" aria-labelledby="tab-${tab}">
        ${
          tab === 'models'
            ? html`<admin-model-list .session=${this.session} .query=${this.query}></admin-model-list>`
            : tab === 'endpoints'
              ? html`<admin-relayed .session=${this.session} .query=${this.query}></admin-relayed>`
              : recordsPage(this.session, this.query, credentials)
        }
      </div>`;
  }
}
customElements.define('admin-models', ModelsElement);
