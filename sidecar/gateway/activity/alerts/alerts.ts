import type { AlertMessage } from '../../../protocol/gateway/alerts/event.ts';
import type { AlertTargetRecord } from '../../../protocol/gateway/alerts/target.ts';
import { readTargetSecrets } from '../../storage/alerts/targetSecrets.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { type DeliverDeps, deliver } from './deliver.ts';
import { type LookDeps, openLook } from './look.ts';
import { waysOf } from './rules.ts';
import { send } from './send/send.ts';
import type { Sent } from './send/sent.ts';

export interface AlertsDeps extends Omit<DeliverDeps, 'store'>, Omit<LookDeps, 'store' | 'clock'> {
  readonly store: GatewayStore;
  readonly newId: () => string;
}

/** Alerts: what happened becomes messages, and these are delivered. */
export interface Alerts {
  /** One go of the replica that leads. @param signal ends it: what is under way is sent again by the next leader */
  run(signal: AbortSignal): Promise<void>;
  /** Sends a test message now, past the queue. */
  test(target: AlertTargetRecord, signal: AbortSignal): Promise<Sent>;
}

export function openAlerts(deps: AlertsDeps): Alerts {
  const { store, clock, newId } = deps;
  const look = openLook(deps);
  return {
    async run(signal) {
      const rules = (await store.alert_rule.all()).filter((it) => it.enabled !== false);
      await look(rules);
      const muted = await store.alerts.mutes(clock.nowMs());
      let isMore = true;
      while (isMore && !signal.aborted)
        isMore = await store.alertDeliveries.route((event) => waysOf(event, rules, muted), clock.nowMs());
      await deliver(deps, signal);
    },
    async test(target, signal) {
      const id = `msg_${newId()}`;
      const at = clock.now();
      const name = target.target_name;
      const facts = { id, type: 'test', rule: 'test', created_at: at, count: 1 } as const;
      const subject = { type: 'alert_target', id: name, name };
      const text = `This is a test of the alert target '${name}'.`;
      const message: AlertMessage = {
        ...facts,
        events: [{ id: newId(), type: 'test', at, subject, message: text, facts: {} }],
      };
      return send(deps, target, await readTargetSecrets(store.secrets, name), message, signal);
    },
  };
}
