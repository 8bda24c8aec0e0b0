import type { Clock } from '../../../platform/clock.ts';
import type { AlertKind } from '../../../protocol/gateway/alerts/event.ts';
import { type AlertRuleRecord, alertDefaults } from '../../../protocol/gateway/alerts/rule.ts';
import type { NewAlert } from '../../storage/alerts/alertOutbox.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { type CertificateDeps, expiringCertificates, expiringKeys } from './lookAtExpiry.ts';
import { lookAtRefused } from './lookAtRefused.ts';

export interface LookDeps extends CertificateDeps {
  readonly store: Pick<GatewayStore, 'alerts' | 'alertReads' | 'refusedCalls' | 'key'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const RATE_MS = 30_000;
const KEYS_MS = 10 * 60_000;

/**
 * Finds what nobody wrote to the outbox when it happened: refused calls, error rates in the records of calls, and what expires
 * soon. Each is noted once for its occasion, however often and by whichever replica it is looked for.
 */
export function openLook({ store, clock, ...certificates }: LookDeps) {
  let ratesMs = Number.NEGATIVE_INFINITY;
  let keysMs = Number.NEGATIVE_INFINITY;
  /** Occasions of what expires. */
  const noted = new Set<string>();

  return async (rules: readonly AlertRuleRecord[]): Promise<void> => {
    const of = (kind: AlertKind) => rules.filter((it) => it.events.includes(kind));
    const now = clock.nowMs();
    await lookAtRefused(store, of('guardrail_block'), of('budget_exceeded'));
    if (now - ratesMs >= RATE_MS) {
      ratesMs = now;
      for (const rule of of('error_rate')) await lookAtRate(rule, now);
      for (const rule of of('certificate_expiring')) await noteNew(expiringCertificates(certificates, rule, now));
    }
    if (now - keysMs < KEYS_MS) return;
    keysMs = now;
    for (const rule of of('key_expiring')) await noteNew(await expiringKeys(store, rule, now));
  };

  async function noteNew(alerts: readonly NewAlert[]): Promise<void> {
    const unknown = alerts.filter((it) => !noted.has(it.occasion));
    await store.alerts.noteAll(unknown);
    for (const it of unknown) noted.add(it.occasion);
  }

  async function lookAtRate(rule: AlertRuleRecord, now: number): Promise<void> {
    const { window_minutes, error_rate, min_calls } = { ...alertDefaults, ...withoutNull(rule) };
    const windowMs = window_minutes * 60_000;
    const { calls, failed } = await store.alertReads.counts(now - windowMs);
    if (calls < min_calls || failed / calls < error_rate) return;
    const id = `error_rate ${rule.rule_name}`;
    // While it lasts, it is reported once for each window.
    const last = await store.alerts.last(['error_rate'], id);
    if (last && now - last.atMs < windowMs) return;
    const percent = Math.round((failed / calls) * 1_000) / 10;
    await store.alerts.noteAll([
      {
        type: 'error_rate',
        occasion: `${id} ${Math.floor(now / windowMs)}`,
        rule: rule.rule_name,
        atMs: now,
        subject: { type: 'gateway', id, name: 'gateway' },
        message: `${failed} of ${calls} calls (${percent}%) in the last ${window_minutes} min failed.`,
        facts: { calls, failed, error_rate: failed / calls, window_minutes },
      },
    ]);
  }
}

function withoutNull({ window_minutes, error_rate, min_calls }: AlertRuleRecord) {
  return {
    ...(window_minutes != null && { window_minutes }),
    ...(error_rate != null && { error_rate }),
    ...(min_calls != null && { min_calls }),
  };
}
