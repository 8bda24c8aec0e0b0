import { type AlertTargetAnswer, AlertTargetWrite } from '../../../../sidecar/protocol/gateway/alerts/answers.ts';
import { alertTargetTypes } from '../../../../sidecar/protocol/gateway/alerts/target.ts';
import { t } from '../../../shared/l10n.ts';
import { ApiError } from '../../api.ts';
import { fieldsOf } from '../../form/formSpec.ts';
import { none } from '../../kit/format.ts';
import { nameCell } from '../../records/cells.ts';
import type { RecordKind } from '../../records/recordKind.ts';
import { typeLabels } from './labels.ts';

export const alertTargets: RecordKind<AlertTargetAnswer> = {
  icon: 'send',
  words: () => ({
    title: t('Targets'),
    intro: t('Where alerts are sent. URLs, signing secrets, and passwords are encrypted and never shown.'),
    create: t('New target'),
    isPart: true,
    empty: t('Add a webhook, a Slack or Teams channel, or email addresses.'),
  }),
  list: (routes, signal) => routes.alertTargets(signal),
  idOf: (it) => it.target_name,
  nameOf: (it) => it.target_name,
  columns: (open) => [
    {
      name: t('Alert target'),
      isWide: true,
      cell: (it) => nameCell(it.target_name, it.description ?? undefined, () => open(it)),
    },
    { name: t('Type'), cell: (it) => typeLabels()[it.type] },
    { name: t('Address'), isWide: true, cell: (it) => it.address ?? none },
  ],
  initial: { type: 'webhook' },
  form: (_lookups, row) => [
    {
      title: t('Alert target'),
      fields: fieldsOf(AlertTargetWrite, {
        ...(!row && { target_name: { label: t('Name'), isRequired: true } }),
        type: {
          label: t('Type'),
          isRequired: true,
          options: alertTargetTypes.map((it) => ({ value: it, label: typeLabels()[it] })),
        },
        description: { label: t('Description') },
        allow_private_network: { label: t('Allow private network addresses') },
      }),
    },
    {
      title: t('Where the messages go'),
      isFor: (current) => current('type') !== 'email',
      fields: fieldsOf(AlertTargetWrite, { url: { label: t('URL'), kind: 'secret', isRequired: !row } }),
    },
    {
      title: t('Signature'),
      isFor: (current) => current('type') === 'webhook',
      fields: fieldsOf(AlertTargetWrite, {
        secret: { label: t('Signing secret'), kind: 'secret', isRequired: !row, help: t('At least 16 characters.') },
      }),
    },
    {
      title: t('Email'),
      isFor: (current) => current('type') === 'email',
      fields: fieldsOf(AlertTargetWrite, {
        smtp_host: { label: t('Mail server'), isRequired: true },
        smtp_port: { label: t('Port') },
        smtp_security: { label: t('Security') },
        smtp_username: { label: t('Username') },
        smtp_password: { label: t('Password'), kind: 'secret' },
        from: { label: t('Sender'), isRequired: true },
        to: { label: t('Recipients'), isRequired: true },
      }),
    },
  ],
  save: (routes, body, row) =>
    row
      ? routes.write('/alert/target/update', { ...body, target_name: row.target_name })
      : routes.write('/alert/target/new', body),
  actions: ({ target_name }, { session, act }) => {
    if (!session.mayWrite) return [];
    const send = async () => {
      const { success, error } = await session.routes.testAlert(target_name);
      // The gateway answered: what failed is the target.
      if (!success) throw new ApiError(200, error ?? '');
    };
    const run = () => void act(send, t('The test alert was sent to {0}', target_name));
    return [{ id: 'test', label: t('Send a test alert'), icon: 'send', run }];
  },
  remove: (routes, it) => routes.write('/alert/target/delete', { target_name: it.target_name }),
  removalNote: () => t('Messages that wait for it cannot be delivered.'),
};
