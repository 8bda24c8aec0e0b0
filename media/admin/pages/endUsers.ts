import type { EndUserAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { EndUserRecord } from '../../../sidecar/protocol/gateway/people.ts';
import { t } from '../../shared/l10n.ts';
import { fieldsOf } from '../form/formSpec.ts';
import { count, day, none } from '../kit/format.ts';
import { activeBadge, nameCell, spentCell } from '../records/cells.ts';
import { type RecordKind, SimpleRecords } from '../records/simpleRecords.ts';
import { grantWords, limitWords, peopleWords } from '../records/words.ts';

const nameOf = (it: EndUserAnswer): string => it.alias || it.user_id;

const endUsers: RecordKind<EndUserAnswer> = {
  words: () => ({
    title: t('End users'),
    intro: t('People that a caller names with the header x-gateway-end-user-id: a budget and a ceiling of their own.'),
    create: t('New end user'),
    icon: 'person',
    empty: t('One appears here by itself when a call that names it costs something.'),
  }),
  list: (routes, signal) => routes.endUsers(signal),
  idOf: (it) => it.user_id,
  nameOf,
  columns: (open) => [
    { name: t('End user'), isWide: true, cell: (it) => nameCell(nameOf(it), it.user_id, () => open(it)) },
    { name: t('Spent'), isNumber: true, cell: (it) => spentCell(it.spend, it.max_budget) },
    { name: t('Requests a minute'), isNumber: true, cell: (it) => (it.rpm_limit == null ? none : count(it.rpm_limit)) },
    { name: t('Since'), cell: (it) => day(it.created_at) },
    { name: t('State'), cell: (it) => activeBadge(it.blocked) },
  ],
  form: (lookups, row) => [
    {
      title: t('End user'),
      fields: fieldsOf(EndUserRecord, {
        ...(!row && { user_id: { label: t('Id'), isRequired: true, help: t('As the header says it.') } }),
        alias: { label: t('Name') },
      }),
    },
    {
      title: t('Limits'),
      fields: fieldsOf(EndUserRecord, { ...limitWords(), budget_id: peopleWords(lookups).budget }),
    },
    { title: t('Permissions'), fields: fieldsOf(EndUserRecord, grantWords(lookups)) },
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
  removeWords: () => t('Its budget and ceiling go. The next call that names it makes it anew, without limits.'),
};

class EndUsersElement extends SimpleRecords<EndUserAnswer> {
  protected override readonly kind = endUsers;
}
customElements.define('admin-end-users', EndUsersElement);
