import * as z from 'zod';
import { momentOf } from '../../../platform/clock.ts';
import { AlertRuleAnswer } from '../../../protocol/gateway/alerts/answers.ts';
import { AlertRuleRecord, alertRuleShape } from '../../../protocol/gateway/alerts/rule.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { muteOf } from '../../storage/alerts/alertOutbox.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import { recordHandlers } from '../recordHandlers.ts';
import { ok, type Route, route } from '../route.ts';
import { audit, existing, remove } from '../writes.ts';

const tag = 'alerts';

async function viewsOf(
  { store, clock }: ManagementDeps,
  rules: readonly AlertRuleRecord[],
): Promise<readonly AlertRuleAnswer[]> {
  const mutes = await store.alerts.mutes(clock.nowMs());
  return rules.map((it) => {
    const untilMs = mutes.get(it.rule_name);
    return { ...it, muted_until: untilMs === undefined ? null : momentOf(untilMs) };
  });
}

const rules = recordHandlers({
  kind: 'alert_rule',
  id: 'rule_name',
  views: viewsOf,
  async check({ store }, { targets }) {
    const known = new Set((await store.alert_target.all()).map((it) => it.target_name));
    const unknown = targets?.find((it) => !known.has(it));
    if (unknown !== undefined) throw badField('targets', 'contains a target that does not exist');
  },
});

const newRule = route({
  method: 'POST',
  path: '/alert/rule/new',
  who: 'admin',
  tag,
  summary: 'Adds an alert rule: what is reported, and to which targets',
  body: z.strictObject({ rule_name: Id, ...alertRuleShape }),
  answer: AlertRuleAnswer,
  handle: rules.create(),
});

const updateRule = route({
  method: 'POST',
  path: '/alert/rule/update',
  who: 'admin',
  tag,
  summary: 'Updates the given fields of an alert rule. A null value clears a field',
  body: z
    .strictObject({ ...alertRuleShape })
    .partial()
    .extend({ rule_name: Id }),
  answer: AlertRuleAnswer,
  handle: rules.update,
});

const deleteRule = route({
  method: 'POST',
  path: '/alert/rule/delete',
  who: 'admin',
  tag,
  summary: 'Deletes an alert rule. Messages that wait are still sent',
  body: z.strictObject({ rule_name: Id }),
  answer: AlertRuleRecord,
  handle: async (call, deps) => ok(await remove(call, deps, 'alert_rule', call.body.rule_name)),
});

const muteRule = route({
  method: 'POST',
  path: '/alert/rule/mute',
  who: 'admin',
  tag,
  summary: 'Mutes an alert rule for some minutes, also one of the configuration file. 0 ends this',
  body: z.strictObject({ rule_name: Id, minutes: z.int().min(0).max(525_600) }),
  answer: AlertRuleAnswer,
  async handle(call, deps) {
    const { rule_name, minutes } = call.body;
    const { store, clock } = deps;
    const rule = await existing(deps, 'alert_rule', rule_name);
    if (minutes === 0) await store.alerts.removeMark(muteOf(rule_name));
    else await store.alerts.setMark(muteOf(rule_name), clock.nowMs() + minutes * 60_000);
    const [view] = await viewsOf(deps, [rule]);
    await audit(call, deps, 'updated', 'alert_rule', rule_name, { after: { muted_until: view?.muted_until } });
    return ok(view);
  },
});

const listRules = route({
  method: 'GET',
  path: '/alert/rule/list',
  who: 'viewer',
  tag,
  summary: 'Lists the alert rules, and until when each one is muted',
  answer: z.array(AlertRuleAnswer),
  handle: rules.list,
});

export const alertRuleRoutes: readonly Route[] = [newRule, updateRule, deleteRule, muteRule, listRules];
