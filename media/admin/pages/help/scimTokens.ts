import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ScimTokenNew, type ScimTokenView } from '../../../../sidecar/protocol/gateway/people.ts';
import { t } from '../../../shared/l10n.ts';
import { fieldsOf } from '../../form/formSpec.ts';
import { AdminElement } from '../../kit/adminElement.ts';
import { copyable } from '../../kit/copyable.ts';
import { confirmDialog } from '../../kit/dialog.ts';
import { moment } from '../../kit/format.ts';
import { Loader } from '../../kit/loader.ts';
import { failure } from '../../kit/notice.ts';
import { dataTable } from '../../kit/table.ts';
import { openForm } from '../../records/openForm.ts';
import { showKeyOnce } from '../keys/keyForm.ts';

/** The tokens with which identity providers manage users and teams. */
class ScimTokensElement extends AdminElement {
  readonly #tokens = new Loader(this, (signal) => this.session.routes.scimTokens(signal));

  protected override firstUpdated(_changed: PropertyValues): void {
    void this.#tokens.run();
  }

  protected override render(): TemplateResult {
    const { place, mayWrite } = this.session;
    const { value, error, isLoading } = this.#tokens;
    return html`<section class="card"><h2>${t('Users and teams from an identity provider (SCIM)')}</h2>
      <p class="muted">${t('With a token, an identity provider such as Okta or Entra ID creates, changes, and blocks users and teams at this address.')}</p>
      ${copyable(place, t('SCIM base URL'), `${place.baseUrl()}/scim/v2`)}
      ${failure(error, () => void this.#tokens.run())}
      <div class="stack">${dataTable<ScimTokenView>({
        label: t('SCIM tokens'),
        rows: value,
        idOf: (it) => it.token_id,
        isLoading,
        columns: [
          { name: t('Name'), isWide: true, cell: (it) => it.name },
          { name: t('ID'), cell: (it) => html`<code>${it.token_id}</code>` },
          { name: t('Created'), cell: (it) => moment(it.created_at) },
        ],
        empty: html`<p class="muted">${t('There are no tokens, so SCIM is off.')}</p>`,
        actions: (it) =>
          mayWrite
            ? html`<button type="button" class="button" aria-label=${t('Revoke the token "{0}"', it.name)} @click=${() => this.#revoke(it)}>${t('Revoke…')}</button>`
            : nothing,
      })}
      ${mayWrite ? html`<div><button type="button" class="button" @click=${() => this.#create()}>${t('Create SCIM token')}</button></div>` : nothing}</div>
    </section>`;
  }

  #create(): void {
    const { session } = this;
    const groups = [
      {
        title: t('SCIM token'),
        fields: fieldsOf(ScimTokenNew, { name: { label: t('Name'), placeholder: 'okta', isRequired: true } }),
      },
    ];
    openForm(t('New SCIM token'), {
      submitLabel: t('Create token'),
      groups: () => groups,
      submit: async (body) => {
        const { token } = await session.routes.createScimToken(body);
        showKeyOnce(session, token, t('Your new SCIM token'));
        await this.#tokens.run();
      },
    });
  }

  #revoke({ token_id, name }: ScimTokenView): void {
    confirmDialog({
      title: t('Revoke the token "{0}"?', name),
      words: t('The identity provider can no longer use it. Users and teams that it created are kept.'),
      button: t('Revoke'),
      act: async () => {
        await this.session.routes.revokeScimToken(token_id);
        this.notify(t('The token "{0}" was revoked', name));
        await this.#tokens.run();
      },
    });
  }
}
customElements.define('admin-scim-tokens', ScimTokensElement);
