import { html } from 'lit';
import type { KeyAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { KeyGenerate, KeyUpdate } from '../../../../sidecar/protocol/gateway/key.ts';
import { t } from '../../../shared/l10n.ts';
import { type FormGroup, fieldsOf } from '../../form/formSpec.ts';
import type { Session } from '../../kit/adminElement.ts';
import { copyable } from '../../kit/copyable.ts';
import { openDialog } from '../../kit/dialog.ts';
import { hint } from '../../kit/notice.ts';
import {
  contentLabel,
  grantLabels,
  ipLabel,
  limitLabels,
  peopleLabels,
  plainModelLabels,
} from '../../records/labels.ts';
import type { Lookups } from '../../records/lookups.ts';
import { openForm } from '../../records/openForm.ts';

export const keyName = (it: KeyAnswer): string => it.key_alias || it.key_name;

/** Makes a key, or changes one. */
export function openKeyForm(session: Session, lookups: Lookups, row: KeyAnswer | undefined, done: () => void): void {
  const { routes } = session;
  const groups = keyGroups(lookups, row);
  openForm(row ? t('Edit "{0}"', keyName(row)) : t('New key'), {
    submitLabel: row ? t('Save') : t('Create key'),
    groups: () => groups,
    ...(row && { kept: row }),
    submit: async (body) => {
      if (row) await routes.updateKey({ ...body, key: row.token });
      else {
        const { key } = await routes.createKey(body);
        showKeyOnce(session, key, t('Your new key'));
      }
      done();
    },
  });
}

/** What the form of a key asks for. */
export function keyGroups(lookups: Lookups, row: KeyAnswer | undefined): readonly FormGroup[] {
  const schema = row ? KeyUpdate : KeyGenerate;
  const people = peopleLabels(lookups);
  return [
    {
      title: t('Key'),
      fields: fieldsOf(schema, {
        key_alias: { label: t('Name'), help: t('A unique name, shown in logs and charts.'), isRequired: !row },
        team_id: people.team,
        user_id: {
          label: t('User'),
          kind: 'record',
          options: lookups.users,
          unset: t('No user'),
          help: t(
            "The key's owner. The owner's budget also applies. A team's key without a user is a service account: it stays valid when people leave.",
          ),
        },
        duration: {
          label: t('Valid for'),
          placeholder: row ? t('For example, {0}', '30d') : t('Never expires'),
          help: row
            ? t('The new period starts when you save. If empty, nothing changes.')
            : t('For example, 1h, 24h, 7d, or 30d. If empty, the key never expires.'),
        },
        role: {
          label: t('Dashboard role'),
          options: roles(),
          unset: t("The user's role"),
          help: t('A key without a user and without a role sees only its own data.'),
        },
      }),
    },
    { title: t('Limits'), fields: fieldsOf(schema, { ...limitLabels(), budget_id: people.budget }) },
    { title: t('Permissions'), fields: fieldsOf(schema, grantLabels(lookups)) },
    {
      title: t('More'),
      isFolded: true,
      fields: fieldsOf(schema, {
        ...plainModelLabels(),
        organization_id: people.organization,
        agent_id: {
          label: t('Agent that owns the key'),
          kind: 'record',
          options: lookups.agents,
          unset: t('No agent'),
          help: t('Calls with this key count as calls by the agent.'),
        },
        allowed_routes: {
          label: t('Routes'),
          help: t(
            'Exact paths, paths ending in *, or groups such as mcp_routes, agent_routes, management_routes, and info_routes.',
          ),
        },
        allowed_passthrough_routes: { label: t('Cloud-agent routes') },
        allowed_ips: ipLabel(),
        mcp_rpm_limit: {
          label: t('Requests per minute per server'),
          kind: 'map',
          columns: [
            { name: 'name', label: t('MCP server'), kind: 'choice', options: serverNames(lookups) },
            {
              name: 'value',
              label: t('Requests per minute'),
              kind: 'number',
              placeholder: t('For example, {0}', '60'),
            },
          ],
        },
        guardrails: { label: t('Guardrails'), kind: 'picks', options: lookups.guardrails },
        tags: { label: t('Tags') },
        no_content_log: contentLabel(),
        allow_debug: { label: t('Can request debug headers') },
        metadata: { label: t('Metadata') },
      }),
    },
  ];
}

/** Limits name servers by their names. */
const serverNames = ({ servers }: Lookups) => servers.map(({ label }) => ({ value: label, label }));

const roles = () => [
  { value: 'internal_user', label: t('User: can see their own data') },
  { value: 'proxy_admin_viewer', label: t('Viewer: can see everything') },
  { value: 'proxy_admin', label: t('Administrator: can change everything') },
];

/** The only time a key can be read. */
export function showKeyOnce(session: Session, key: string, label: string): void {
  openDialog({
    title: t('Copy the key now'),
    body: (dialog) => html`
      ${hint(t('You will not be able to see it again because only its hash is stored.'), 'warning')}
      ${copyable(session.place, label, key, true)}
      <footer class="dialog-foot">
        <button type="button" class="button primary" @click=${() => dialog.close()}>${t('I have saved it')}</button>
      </footer>`,
  });
}
