import { html } from 'lit';
import { type InvitationView, NewInvitation } from '../../../sidecar/protocol/gateway/people/invitation.ts';
import { t } from '../../shared/l10n.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { copyable } from '../kit/copyable.ts';
import { confirmDialog, openDialog } from '../kit/dialog.ts';
import { day, moment, none, period } from '../kit/format.ts';
import { Loader } from '../kit/loader.ts';
import { hint } from '../kit/notice.ts';
import type { Column } from '../kit/table.ts';
import { badge } from '../records/cells.ts';
import { pageLocally } from '../records/localList.ts';
import { readLookups, readTeamNames } from '../records/lookups.ts';
import { openForm } from '../records/openForm.ts';
import { RecordsElement, type RowAction } from '../records/recordsElement.ts';
import { roleName, userRoles } from './users.ts';

const nameOf = (it: InvitationView): string => it.invitation_alias || it.user_email || it.invitation_id;

/** Links by which people without an account at an identity provider become users. */
class InvitationsElement extends RecordsElement<InvitationView> {
  readonly #teams = new Loader(this, (signal) => readTeamNames(this.session.routes, signal));

  protected override words() {
    return {
      title: t('Invitations'),
      intro: t('Links with which people become users and get a key. Each link works once, until it expires.'),
      create: t('New invitation'),
      icon: 'mail',
      empty: t('Send a link to a person to let them join without an identity provider.'),
    };
  }
  protected override idOf = (it: InvitationView): string => it.invitation_id;
  protected override nameOf = nameOf;

  protected override firstUpdated(): void {
    void this.#teams.run();
  }

  protected override async load(signal: AbortSignal) {
    const all = await this.session.routes.invitations(signal);
    return pageLocally(all.toReversed(), this.query, { textOf: (it) => `${nameOf(it)} ${it.user_email ?? ''}` });
  }

  protected override columns(): readonly Column<InvitationView>[] {
    return [
      { name: t('Invited person'), isWide: true, cell: (it) => html`<span class="named">${nameOf(it)}</span>` },
      {
        name: t('Team'),
        isText: true,
        cell: (it) => (it.team_id ? (this.#teams.value?.get(it.team_id) ?? it.team_id) : none),
      },
      {
        name: t('Role'),
        isText: true,
        cell: (it) => (it.team_role === 'admin' ? t('Team administrator') : roleName(it.user_role)),
      },
      { name: t('Created'), cell: (it) => day(it.created_at) },
      { name: t('Expires'), cell: (it) => moment(it.expires) },
      { name: t('Status'), cell: (it) => this.#state(it) },
    ];
  }

  #state({ accepted_at, expires }: InvitationView) {
    if (accepted_at) return badge('good', 'pass', t('Accepted'));
    const isOver = Date.parse(expires) <= Date.parse(this.session.api.now);
    return isOver ? badge('warn', 'watch', t('Expired')) : badge('quiet', 'mail', t('Pending'));
  }

  protected override actions(row: InvitationView): readonly RowAction[] {
    if (!this.session.mayWrite) return [];
    return [{ id: 'delete', label: t('Delete…'), icon: 'trash', run: () => this.#remove(row) }];
  }

  #remove(row: InvitationView): void {
    confirmDialog({
      title: t('Delete "{0}"?', nameOf(row)),
      words: t('The link will no longer work. A user who has accepted the invitation is kept.'),
      button: t('Delete'),
      act: async () => {
        await this.session.routes.deleteInvitation(row.invitation_id);
        this.notify(t('{0} was deleted', nameOf(row)));
        await this.list.run();
      },
    });
  }

  protected override async edit(): Promise<void> {
    const { session } = this;
    const lookups = await readLookups(session.routes);
    openForm(t('New invitation'), {
      submitLabel: t('Create link'),
      groups: () => [
        {
          title: t('Invitation'),
          fields: fieldsOf(NewInvitation, {
            invitation_alias: {
              label: t('Invited person'),
              help: t('A note for this list, such as a name.'),
              isRequired: true,
            },
            team_id: { label: t('Team'), kind: 'record', options: lookups.teams, unset: t('No team') },
            team_role: {
              label: t('Role in the team'),
              options: [
                { value: 'user', label: t('Member') },
                { value: 'admin', label: t('Team administrator') },
              ],
            },
            duration: {
              label: t('Valid for'),
              placeholder: period('7d'),
              help: t('For example, 24h or 14d. At most 30 days. If empty, 7 days.'),
            },
          }),
        },
        {
          title: t('More'),
          isFolded: true,
          note: html`<p class="muted">${t('Only administrators can set these.')}</p>`,
          fields: fieldsOf(NewInvitation, {
            user_role: { label: t('Dashboard role'), options: userRoles() },
            user_email: { label: t('Email address'), placeholder: 'ada@example.com' },
          }),
        },
      ],
      submit: async (body) => {
        const { link } = await session.routes.createInvitation(body);
        openDialog({
          title: t('Copy the link now'),
          body: (dialog) => html`
            ${hint(t('Whoever opens the link first becomes the user. Send it only to the person whom you invite. You will not be able to see it again.'), 'warning')}
            ${copyable(session.place, t('Invitation link'), link, true)}
            <footer class="dialog-foot">
              <button type="button" class="button primary" @click=${() => dialog.close()}>${t('I have saved it')}</button>
            </footer>`,
        });
        void this.list.run();
      },
    });
  }
}
customElements.define('admin-invitations', InvitationsElement);
