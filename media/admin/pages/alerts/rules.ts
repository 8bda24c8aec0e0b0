import type { AlertRuleAnswer } from '../../../../sidecar/protocol/gateway/alerts/answers.ts';
import { AlertRuleRecord, alertDefaults } from '../../../../sidecar/protocol/gateway/alerts/rule.ts';
import { t } from '../../../shared/l10n.ts';
import { fieldsOf } from '../../form/formSpec.ts';
import { list, moment } from '../../kit/format.ts';
import { pageLink } from '../../kit/links.ts';
import { badge, nameCell } from '../../records/cells.ts';
import type { RecordKind } from '../../records/recordKind.ts';
import { kindLabel, kindOptions } from './labels.ts';

const minutesOfHour = 60;
const minutesOfDay = 24 * minutesOfHour;

function stateOf({ enabled, muted_until }: AlertRuleAnswer) {
  if (enabled === false) return badge('quiet', 'circle-slash', t('Off'));
  if (muted_until) return badge('warn', 'bell-slash', t('Muted until {0}', moment(muted_until)));
  return badge('good', 'pass', t('Active'));
}

export const alertRules: RecordKind<AlertRuleAnswer> = {
  icon: 'bell',
  words: () => ({
    title: t('Rules'),
    intro: t('A rule says which events are sent to which targets.'),
    create: t('New rule'),
    isPart: true,
    empty: t('Without a rule, the gateway reports nothing.'),
  }),
  list: (routes, signal) => routes.alertRules(signal),
  idOf: (it) => it.rule_name,
  nameOf: (it) => it.rule_name,
  columns: (open) => [
    { name: t('Rule'), isWide: true, cell: (it) => nameCell(it.rule_name, undefined, () => open(it)) },
    { name: t('Events'), isWide: true, cell: (it) => list(it.events.map(kindLabel)) },
    { name: t('Targets'), isText: true, cell: (it) => list(it.targets) },
    { name: t('State'), cell: stateOf },
  ],
  initial: { enabled: true },
  form: async (_lookups, row, routes) => {
    const [targets, servers] = await Promise.all([routes.alertTargets(), routes.servers()]);
    const names = targets.map((it) => ({ value: it.target_name, label: it.target_name }));
    const ids = servers.map((it) => ({ value: it.server_id, label: it.alias || it.server_name || it.server_id }));
    const usual = (value: number) => t('Default: {0}', value);
    return [
      {
        title: t('Rule'),
        fields: fieldsOf(AlertRuleRecord, {
          ...(!row && { rule_name: { label: t('Name'), isRequired: true } }),
          events: { label: t('Events'), kind: 'picks', options: kindOptions() },
          targets: { label: t('Targets'), kind: 'picks', options: names },
          enabled: { label: t('Active') },
          group_minutes: {
            label: t('Group for (minutes)'),
            help: t('Events of the same kind within this time become one message. 0 sends each one by itself.'),
            placeholder: usual(alertDefaults.group_minutes),
          },
        }),
      },
      {
        title: t('Details'),
        isFolded: true,
        fields: fieldsOf(AlertRuleRecord, {
          servers: { label: t('MCP servers'), kind: 'picks', options: ids, help: t('Default: all.') },
          error_rate: {
            label: t('Error rate'),
            help: t('0.1 is 10 % of the calls.'),
            placeholder: usual(alertDefaults.error_rate),
          },
          window_minutes: { label: t('Error rate over (minutes)'), placeholder: usual(alertDefaults.window_minutes) },
          min_calls: { label: t('Error rate from (calls)'), placeholder: usual(alertDefaults.min_calls) },
          days_before: { label: t('Days before expiry'), placeholder: usual(alertDefaults.days_before) },
        }),
      },
    ];
  },
  save: (routes, body, row) =>
    row
      ? routes.write('/alert/rule/update', { ...body, rule_name: row.rule_name })
      : routes.write('/alert/rule/new', body),
  actions: ({ rule_name, muted_until }, { session, act }) => {
    if (!session.mayWrite) return [];
    const mute = (minutes: number, done: string) => () =>
      void act(() => session.routes.write('/alert/rule/mute', { rule_name, minutes }), done);
    if (muted_until)
      return [{ id: 'unmute', label: t('Unmute'), icon: 'bell', run: mute(0, t('{0} is no longer muted', rule_name)) }];
    const done = t('{0} is muted', rule_name);
    return [
      { id: 'hour', label: t('Mute for an hour'), icon: 'bell-slash', run: mute(minutesOfHour, done) },
      { id: 'day', label: t('Mute for a day'), icon: 'bell-slash', run: mute(minutesOfDay, done) },
    ];
  },
  remove: (routes, it) => routes.write('/alert/rule/delete', { rule_name: it.rule_name }),
  removalNote: () => t('Its events will no longer be reported.'),
};

/** While there is no target, a rule would have nowhere to send anything. */
export const rulesWithoutTarget: RecordKind<AlertRuleAnswer> = {
  ...alertRules,
  words: () => {
    const { create: _, ...words } = alertRules.words();
    const next = pageLink({ page: 'alerts', tab: 'targets' }, t('Add a target'));
    return { ...words, empty: t('A rule sends events to targets, and there is no target yet.'), next };
  },
};
