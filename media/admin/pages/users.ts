import { html, type TemplateResult } from 'lit';
import type { UserAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { UserRecord } from '../../../sidecar/protocol/gateway/people.ts';
import { t } from '../../shared/l10n.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { count, day, money, none } from '../kit/format.ts';
import { select } from '../kit/select.ts';
import { activeBadge, breakable, nameCell, spentCell } from '../records/cells.ts';
import { grantLabels, limitLabels } from '../records/labels.ts';
import { pageNumber, pageSize } from '../records/localList.ts';
import type { RecordKind } from '../records/recordKind.ts';

const nameOf = (it: UserAnswer): string => it.user_alias || it.user_email || it.user_id;

/** What a role lets a person do with each key of theirs that has no role of its own. */
export const userRoles = () => [
  { value: 'internal_user', label: t('User: can see and change their own data') },
  { value: 'internal_user_viewer', label: t('Reader: can see their own data') },
  { value: 'proxy_admin_viewer', label: t('Viewer: can see everything') },
  { value: 'proxy_admin', label: t('Administrator: can change everything') },
];
const roleNames = (): Readonly<Record<string, string>> => ({
  internal_user: t('User'),
  internal_user_viewer: t('Reader'),
  proxy_admin_viewer: t('Viewer'),
  proxy_admin: t('Administrator'),
});
export const roleName = (role: UserAnswer['user_role']): string => (role ? (roleNames()[role] ?? role) : none);

/** What counts against the budget of the person, and beside it what counts against those of teams. */
function spentOf({ spend, max_budget, team_spend }: UserAnswer): TemplateResult {
  const own = spentCell(spend, max_budget);
  return team_spend
    ? html`${own}<small class="reason">${t('plus {0} spent with team keys', money(team_spend))}</small>`
    : own;
}

export const users: RecordKind<UserAnswer> = {
  icon: 'account',
  detail: 'user',
  words: () => ({
    title: t('Users'),
    intro: t(
      "People who have keys. A user's role determines what the user can see here. A user's limits apply to all of that user's keys combined.",
    ),
    create: t('New user'),
    empty: t("A user's keys share a name, a role, and a budget."),
    isFiltered: (query) => Boolean(query['role']),
  }),
  // The gateway searches and pages: there may be more people than a page should hold.
  list: (routes, signal, query) => {
    const { search, role } = query;
    return routes.users({ search, role, page: pageNumber(query), page_size: pageSize }, signal);
  },
  filters: (query, ask) => {
    const any = { value: '', label: t('Any role') };
    const named = userRoles().map(({ value }) => ({ value, label: roleName(value as UserAnswer['user_role']) }));
    return select(t('Role'), query['role'] ?? '', [any, ...named], (role) => ask({ role, p: '' }));
  },
  idOf: (it) => it.user_id,
  nameOf,
  columns: (open) => [
    { name: t('User'), isWide: true, cell: (it) => nameCell(nameOf(it), it.user_id, () => open(it)) },
    { name: t('Email address'), isText: true, cell: (it) => (it.user_email ? breakable(it.user_email) : none) },
    { name: t('Role'), cell: (it) => roleName(it.user_role) },
    { name: t('Spend'), isNumber: true, cell: spentOf },
    {
      name: t('Requests per minute'),
      isNumber: true,
      cell: (it) => (it.rpm_limit == null ? none : count(it.rpm_limit)),
    },
    { name: t('Created'), cell: (it) => day(it.created_at) },
    { name: t('Status'), cell: (it) => activeBadge(it.blocked) },
  ],
  form: (lookups, row) => [
    {
      title: t('User'),
      fields: fieldsOf(UserRecord, {
        ...(!row && { user_id: { label: t('ID'), help: t('Leave empty to generate one.') } }),
        user_alias: { label: t('Name'), isRequired: !row },
        user_email: { label: t('Email address'), placeholder: 'ada@example.com' },
        user_role: { label: t('Dashboard role'), options: userRoles() },
        ...(!row && {
          teams: { label: t('Teams'), kind: 'picks' as const, options: lookups.teams },
        }),
      }),
    },
    { title: t('Limits'), fields: fieldsOf(UserRecord, limitLabels()) },
    { title: t('Permissions'), isFolded: true, fields: fieldsOf(UserRecord, grantLabels(lookups)) },
    { title: t('More'), isFolded: true, fields: fieldsOf(UserRecord, { metadata: { label: t('Metadata') } }) },
  ],
  initial: { user_role: 'internal_user' },
  save: (routes, body, row) =>
    row ? routes.write('/user/update', { ...body, user_id: row.user_id }) : routes.write('/user/new', body),
  block: {
    is: (it) => it.blocked === true,
    set: (routes, { user_id }, blocked) => routes.write('/user/update', { user_id, blocked }),
  },
  remove: (routes, it) => routes.write('/user/delete', { user_ids: [it.user_id] }),
  removalNote: () =>
    t("The user's keys will be rejected, and the user will be removed from all teams. Log entries will be kept."),
};
