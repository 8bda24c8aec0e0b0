import { randomUUID } from 'node:crypto';
import { type Alerts, openAlerts } from '../../../sidecar/gateway/activity/alerts/alerts.ts';
import { openPool } from '../../../sidecar/gateway/backends/net/pool.ts';
import { sealedNames } from '../../../sidecar/gateway/storage/sealedValues.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';
import type { AlertKind } from '../../../sidecar/protocol/gateway/alerts/event.ts';
import type { AlertRuleRecord } from '../../../sidecar/protocol/gateway/alerts/rule.ts';
import type { AlertTargetRecord, AlertTargetSecrets } from '../../../sidecar/protocol/gateway/alerts/target.ts';
import { line, linesOf } from '../gateway/activityLines.ts';
import { StandingClock } from '../gateway/clock.ts';
import type { StorePlace } from '../gateway/stores.ts';
import { keepingLog } from '../testLog.ts';

export const alertSecret = 'a secret of sixteen or more characters';

/** Alerts of one replica on a real store, with a clock that a test sets. */
export async function openAlertStand(
  place: StorePlace,
  clock = new StandingClock('2026-03-04T10:00:00.000Z'),
  holder = 'a',
) {
  const store: GatewayStore = await place.open(clock, holder);
  const pool = openPool({ clock, timers: systemTimers });
  const { log, lines } = keepingLog();
  const certificates = new Map<string, number>();
  const alerts: Alerts = openAlerts({
    ...{ store, pool, clock, log, timers: systemTimers, newId: randomUUID },
    ownCertificate: () => undefined,
    backendCertificates: () => certificates,
  });
  let seq = 0;
  const stamps = () => ({ created_at: clock.now(), updated_at: clock.now() });
  return {
    store,
    clock,
    alerts,
    certificates,
    logLines: lines,
    run: () => alerts.run(new AbortController().signal),
    async target(name: string, secrets: AlertTargetSecrets, more: Partial<AlertTargetRecord> = {}): Promise<void> {
      const record = { target_name: name, type: 'webhook', allow_private_network: true, ...stamps(), ...more } as const;
      await store.alert_target.insert(record, (transaction) =>
        store.secrets
          .within(transaction)
          .put('alert_target', name, sealedNames.credentials, JSON.stringify({ secret: alertSecret, ...secrets })),
      );
    },
    rule: (events: readonly AlertKind[], targets: readonly string[], more: Partial<AlertRuleRecord> = {}) =>
      store.alert_rule.insert({
        ...{ rule_name: 'r', events: [...events], targets: [...targets], group_minutes: 0 },
        ...stamps(),
        ...more,
      }),
    /** Notes that servers stopped answering, in this order. */
    down: (...names: readonly string[]) =>
      store.alerts.noteAll(
        names.map((name) => ({
          ...{ type: 'server_down', occasion: `down ${name}`, atMs: clock.nowMs(), facts: {} },
          ...{ subject: { type: 'mcp_server', id: name, name }, message: `${name} is down.` },
        })),
      ),
    server: (server_id: string) =>
      store.mcp_server.insert({
        ...{ server_id, alias: `${server_id}-alias`, transport: 'http', url: 'http://127.0.0.1:9', ...stamps() },
        approval_status: 'active',
      }),
    health: (server_id: string, status: 'healthy' | 'unhealthy' | 'unknown', error: string | null = null) =>
      store.serverHealth.put([{ server_id, status, last_health_check: clock.now(), health_check_error: error }]),
    /** Records of calls, as the gateway writes them. */
    async calls(...calls: readonly Partial<SpendLog>[]): Promise<void> {
      seq += 1;
      const logs = calls.map((it, at) => line(`${holder}-${seq}-${at}`, clock.now(), 0, it));
      await store.activityWrites.write({
        ...{ writer: holder, seq, atMs: 0, spendings: [], used: [] },
        ...linesOf(logs),
      });
    },
    async close(): Promise<void> {
      await pool.close();
      await store.close();
    },
  };
}
export type AlertStand = Awaited<ReturnType<typeof openAlertStand>>;
