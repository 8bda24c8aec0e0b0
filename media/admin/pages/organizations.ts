import type { OrganizationAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { OrganizationRecord } from '../../../sidecar/protocol/gateway/people.ts';
import { t } from '../../shared/l10n.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { count, none } from '../kit/format.ts';
import { activeBadge, nameCell, spentCell } from '../records/cells.ts';
import { grantLabels, limitLabels, peopleLabels, plainModelLabels } from '../records/labels.ts';
import type { RecordKind } from '../records/recordKind.ts';

const nameOf = (it: OrganizationAnswer): string => it.organization_alias || it.organization_id;

export const organizations: RecordKind<OrganizationAnswer> = {
  icon: 'home',
  detail: 'organization',
  words: () => ({
    title: t('Organizations'),
    intro: t(
      'An organization sets upper limits. It grants no access itself. Its teams and keys cannot exceed what it allows.',
    ),
    create: t('New organization'),
    empty: t('An organization limits what its teams and keys can use, and how much they can spend in total.'),
  }),
  list: (routes, signal) => routes.organizations(signal),
  idOf: (it) => it.organization_id,
  nameOf,
  columns: (open) => [
    {
      name: t('Organization'),
      isWide: true,
      sort: 'name',
      sortValue: nameOf,
      cell: (it) => nameCell(nameOf(it), it.organization_id, () => open(it)),
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
    {
      name: t('Status'),
      sort: 'status',
      sortValue: (it) => Number(!it.blocked),
      cell: (it) => activeBadge(it.blocked),
    },
  ],
  form: (lookups) => [
    {
      title: t('Organization'),
      fields: fieldsOf(OrganizationRecord, {
        organization_alias: { label: t('Name'), isRequired: true },
        tags: { label: t('Tags') },
        blocked: { label: t('Blocked'), help: t('All of its keys are rejected.') },
      }),
    },
    {
      title: t('Limits'),
      fields: fieldsOf(OrganizationRecord, { ...limitLabels(), budget_id: peopleLabels(lookups).budget }),
    },
    { title: t('Permissions'), fields: fieldsOf(OrganizationRecord, grantLabels(lookups)) },
    {
      title: t('More'),
      isFolded: true,
      fields: fieldsOf(OrganizationRecord, { ...plainModelLabels(), metadata: { label: t('Metadata') } }),
    },
  ],
  save: (routes, body, row) =>
    row
      ? routes.write('/organization/update', { ...body, organization_id: row.organization_id })
      : routes.write('/organization/new', body),
  remove: (routes, it) => routes.write('/organization/delete', { organization_ids: [it.organization_id] }),
  removalNote: () => t('Its limits will no longer apply to its teams and keys. Log entries will be kept.'),
};
