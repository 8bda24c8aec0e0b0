import type { TeamAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { TeamRecord } from '../../../sidecar/protocol/gateway/people.ts';
import { t } from '../../shared/l10n.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { count, none } from '../kit/format.ts';
import { recordLink } from '../kit/links.ts';
import { activeBadge, nameCell, spentCell } from '../records/cells.ts';
import { contentLabel, grantLabels, ipLabel, limitLabels, peopleLabels, plainModelLabels } from '../records/labels.ts';
import { visible } from '../records/lookups.ts';
import type { RecordKind } from '../records/recordKind.ts';

const memberRoles = () => [
  { value: 'user', label: t('Member') },
  { value: 'admin', label: t('Team administrator') },
];
/** With the name of its organization, for who may see it. */
type TeamRow = TeamAnswer & { readonly organization_alias?: string | null | undefined };
const membersOf = (it: TeamRow): number => it.members_with_roles?.length ?? 0;
const nameOf = (it: TeamRow): string => it.team_alias || it.team_id;

export const teams: RecordKind<TeamRow> = {
  icon: 'organization',
  detail: 'team',
  words: () => ({
    title: t('Teams'),
    intro: t(
      "Keys in a team share limits and permissions. A key with no permissions of its own inherits its team's permissions.",
    ),
    create: t('New team'),
    empty: t("A team's keys share one budget and the same permissions."),
  }),
  list: async (routes, signal) => {
    const [rows, organizations] = await Promise.all([routes.teams(signal), visible(routes.organizations(signal))]);
    const names = new Map(organizations.map((it) => [it.organization_id, it.organization_alias]));
    return rows.map((it) => ({ ...it, organization_alias: names.get(it.organization_id ?? '') }));
  },
  idOf: (it) => it.team_id,
  nameOf,
  columns: (open) => [
    {
      name: t('Team'),
      isWide: true,
      sort: 'name',
      sortValue: nameOf,
      cell: (it) => nameCell(nameOf(it), it.team_id, () => open(it)),
    },
    {
      name: t('Organization'),
      isText: true,
      sort: 'organization',
      sortValue: (it) => it.organization_alias || it.organization_id,
      cell: ({ organization_id: id, organization_alias: alias }) =>
        id ? recordLink('organization', id, alias || id) : none,
    },
    { name: t('Members'), isNumber: true, sort: 'members', sortValue: membersOf, cell: (it) => count(membersOf(it)) },
    {
      name: t('Spend'),
      isNumber: true,
      sort: 'spend',
      sortValue: (it) => it.spend ?? 0,
      cell: (it) => spentCell(it.spend, it.max_budget),
    },
    {
      name: t('Requests per minute'),
      isNumber: true,
      sort: 'rpm',
      sortValue: (it) => it.rpm_limit,
      cell: (it) => (it.rpm_limit == null ? none : count(it.rpm_limit)),
    },
    {
      name: t('Status'),
      sort: 'status',
      sortValue: (it) => Number(!it.blocked),
      cell: (it) => activeBadge(it.blocked),
    },
  ],
  form: (lookups) => {
    const people = peopleLabels(lookups);
    return [
      {
        title: t('Team'),
        fields: fieldsOf(TeamRecord, {
          team_alias: { label: t('Name'), isRequired: true },
          organization_id: people.organization,
          tags: { label: t('Tags') },
        }),
      },
      { title: t('Limits'), fields: fieldsOf(TeamRecord, { ...limitLabels(), budget_id: people.budget }) },
      { title: t('Permissions'), fields: fieldsOf(TeamRecord, grantLabels(lookups)) },
      {
        title: t('More'),
        isFolded: true,
        fields: fieldsOf(TeamRecord, {
          ...plainModelLabels(),
          members_with_roles: {
            label: t('Members'),
            kind: 'rows',
            columns: [
              { name: 'user_id', label: t('User'), kind: 'choice', options: lookups.users },
              { name: 'role', label: t('Role'), kind: 'choice', options: memberRoles() },
            ],
          },
          allowed_ips: ipLabel(),
          guardrails: { label: t('Guardrails'), kind: 'picks', options: lookups.guardrails },
          no_content_log: contentLabel(),
          metadata: { label: t('Metadata') },
        }),
      },
    ];
  },
  save: (routes, body, row) =>
    row ? routes.write('/team/update', { ...body, team_id: row.team_id }) : routes.write('/team/new', body),
  block: {
    is: (it) => it.blocked === true,
    set: (routes, { team_id }, isBlocked) => routes.write(isBlocked ? '/team/block' : '/team/unblock', { team_id }),
  },
  remove: (routes, it) => routes.write('/team/delete', { team_ids: [it.team_id] }),
  removalNote: () => t("This team's keys will lose the team's permissions. Log entries will be kept."),
};
