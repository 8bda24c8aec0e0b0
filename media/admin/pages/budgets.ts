import { BudgetRecord } from '../../../sidecar/protocol/gateway/limits.ts';
import { t } from '../../shared/l10n.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { count, money, none, period } from '../kit/format.ts';
import { nameCell } from '../records/cells.ts';
import { limitLabels } from '../records/labels.ts';
import type { RecordKind } from '../records/recordKind.ts';

export const budgets: RecordKind<BudgetRecord> = {
  icon: 'credit-card',
  detail: 'budget',
  words: () => ({
    title: t('Budgets'),
    intro: t(
      'Named limits. Each key, team, organization, or end user that uses a budget gets its own copy of the limits.',
    ),
    create: t('New budget'),
    empty: t('A budget defines limits that you can apply to several keys, teams, or users.'),
  }),
  list: (routes, signal) => routes.budgets(signal),
  idOf: (it) => it.budget_id,
  nameOf: (it) => it.budget_id,
  columns: (open) => [
    {
      name: t('Budget'),
      isWide: true,
      sort: 'name',
      sortValue: (it) => it.budget_id,
      cell: (it) => nameCell(it.budget_id, undefined, () => open(it)),
    },
    {
      name: t('Amount'),
      isNumber: true,
      sort: 'amount',
      sortValue: (it) => it.max_budget,
      cell: (it) => money(it.max_budget),
    },
    { name: t('Period'), cell: (it) => (it.budget_duration ? period(it.budget_duration) : none) },
    {
      name: t('Requests per minute'),
      isNumber: true,
      sort: 'rpm',
      sortValue: (it) => it.rpm_limit,
      cell: (it) => (it.rpm_limit == null ? none : count(it.rpm_limit)),
    },
    {
      name: t('Tokens per minute'),
      isNumber: true,
      sort: 'tpm',
      sortValue: (it) => it.tpm_limit,
      cell: (it) => (it.tpm_limit == null ? none : count(it.tpm_limit)),
    },
  ],
  form: (_lookups, row) => [
    {
      title: t('Budget'),
      fields: fieldsOf(BudgetRecord, {
        ...(!row && { budget_id: { label: t('Name'), isRequired: true } }),
        ...limitLabels(),
      }),
    },
  ],
  save: (routes, body, row) =>
    row ? routes.write('/budget/update', { ...body, budget_id: row.budget_id }) : routes.write('/budget/new', body),
  remove: (routes, it) => routes.write('/budget/delete', { id: it.budget_id }),
  removalNote: () => t('Its limits will no longer apply to the keys, teams, and users that use it.'),
};
