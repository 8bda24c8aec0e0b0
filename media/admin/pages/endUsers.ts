import type { EndUserAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { EndUserRecord } from '../../../sidecar/protocol/gateway/people.ts';
import { t } from '../../shared/l10n.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { count, day, none } from '../kit/format.ts';
import { activeBadge, nameCell, spentCell } from '../records/cells.ts';
import { grantLabels, limitLabels, peopleLabels } from '../records/labels.ts';
import type { RecordKind } from '../records/recordKind.ts';

const nameOf = (it: EndUserAnswer): string => it.alias || it.user_id;

export const endUsers: RecordKind<EndUserAnswer> = {
  icon: 'person',
  detail: 'end_user',
  words: () => ({
    title: t('End users'),
    intro: t(
      'People whom callers identify in the x-gateway-end-user-id header. Each person can have a budget and limits.',
    ),
    create: t('New end user'),
    empty: t('End users appear here automatically after their first call that incurs a cost.'),
  }),
  list: (routes, signal) => routes.endUsers(signal),
  idOf: (it) => it.user_id,
  nameOf,
  columns: (open) => [
    {
      name: t('End user'),
      isWide: true,
      sort: 'name',
      sortValue: nameOf,
      cell: (it) => nameCell(nameOf(it), it.user_id, () => open(it)),
    },
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
    { name: t('Created'), sort: 'created', sortValue: (it) => it.created_at, cell: (it) => day(it.created_at) },
    {
      name: t('Status'),
      sort: 'status',
      sortValue: (it) => Number(!it.blocked),
      cell: (it) => activeBadge(it.blocked),
    },
  ],
  form: (lookups, row) => [
    {
      title: t('End user'),
      fields: fieldsOf(EndUserRecord, {
        ...(!row && {
          user_id: {
            label: t('ID'),
            isRequired: true,
            help: t('The value that callers send in the x-gateway-end-user-id header.'),
          },
        }),
        alias: { label: t('Name') },
      }),
    },
    {
      title: t('Limits'),
      fields: fieldsOf(EndUserRecord, { ...limitLabels(), budget_id: peopleLabels(lookups).budget }),
    },
    { title: t('Permissions'), fields: fieldsOf(EndUserRecord, grantLabels(lookups)) },
    { title: t('More'), isFolded: true, fields: fieldsOf(EndUserRecord, { metadata: { label: t('Metadata') } }) },
  ],
  save: (routes, body, row) =>
    row ? routes.write('/customer/update', { ...body, user_id: row.user_id }) : routes.write('/customer/new', body),
  block: {
    is: (it) => it.blocked === true,
    set: (routes, it, isBlocked) =>
      routes.write(isBlocked ? '/customer/block' : '/customer/unblock', { user_ids: [it.user_id] }),
  },
  remove: (routes, it) => routes.write('/customer/delete', { user_ids: [it.user_id] }),
  removalNote: () =>
    t(
      'This end user and their budget and limits will be deleted. The next call for them will create a new record without limits.',
    ),
};
