import { X509Certificate } from 'node:crypto';
import { momentOf } from '../../../platform/clock.ts';
import type { AlertKind } from '../../../protocol/gateway/alerts/event.ts';
import { type AlertRuleRecord, alertDefaults } from '../../../protocol/gateway/alerts/rule.ts';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { NewAlert } from '../../storage/alerts/alertOutbox.ts';
import type { GatewayStore } from '../../storage/store.ts';

/** A certificate that the gateway has, or that a backend showed. */
interface SeenCertificate {
  /** The gateway itself, or host and port of a backend. */
  readonly subject: { readonly type: 'gateway' | 'backend'; readonly name: string };
  readonly expiresMs: number;
}

const KEYS_AT_ONCE = 1_000;

/** Keys that expire within the days of a rule. */
export async function expiringKeys(
  { alertReads }: Pick<GatewayStore, 'alertReads'>,
  rule: AlertRuleRecord,
  now: number,
): Promise<readonly NewAlert[]> {
  const until = momentOf(now + daysOf(rule) * DAY_MS);
  const keys = await alertReads.expiringKeys(momentOf(now), until, KEYS_AT_ONCE);
  return keys.map(({ token_id, name, expiresMs }) => ({
    ...expiring('key_expiring', rule, now, expiresMs),
    occasion: `key ${rule.rule_name} ${token_id} ${expiresMs}`,
    subject: { type: 'key', id: token_id, name },
    message: `The key '${name}' expires on ${dayOf(expiresMs)}.`,
  }));
}

export interface CertificateDeps {
  /** Of the gateway itself, PEM; absent where it has none. */
  readonly ownCertificate: () => string | undefined;
  /** When those of backends expire, in milliseconds since 1970, by host and port. */
  readonly backendCertificates: () => ReadonlyMap<string, number>;
}

function certificatesOf({ ownCertificate, backendCertificates }: CertificateDeps): readonly SeenCertificate[] {
  const own = ownCertificate();
  const name = 'gateway';
  const ofGateway = {
    subject: { type: 'gateway', name },
    expiresMs: own ? Date.parse(new X509Certificate(own).validTo) : 0,
  } as const;
  const ofBackends = [...backendCertificates()].map(([address, expiresMs]) => ({
    subject: { type: 'backend', name: address } as const,
    expiresMs,
  }));
  return own ? [ofGateway, ...ofBackends] : ofBackends;
}

/** Certificates that expire within the days of a rule, or have expired. */
export function expiringCertificates(deps: CertificateDeps, rule: AlertRuleRecord, now: number): readonly NewAlert[] {
  const untilMs = now + daysOf(rule) * DAY_MS;
  return certificatesOf(deps)
    .filter((it) => it.expiresMs <= untilMs)
    .map(({ subject: { type, name }, expiresMs }) => ({
      ...expiring('certificate_expiring', rule, now, expiresMs),
      occasion: `certificate ${rule.rule_name} ${type} ${name} ${expiresMs}`,
      subject: { type, id: name, name },
      message: `The certificate of ${type === 'gateway' ? 'the gateway' : `'${name}'`} ${expiresMs < now ? 'expired' : 'expires'} on ${dayOf(expiresMs)}.`,
    }));
}

function expiring(type: AlertKind, rule: AlertRuleRecord, now: number, expiresMs: number) {
  return { type, rule: rule.rule_name, atMs: now, facts: { expires: momentOf(expiresMs) } };
}

const daysOf = (rule: AlertRuleRecord): number => rule.days_before ?? alertDefaults.days_before;
const dayOf = (ms: number): string => momentOf(ms).slice(0, 10);
