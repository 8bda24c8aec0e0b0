import type { AlertTargetRecord } from '../../../protocol/gateway/alerts/target.ts';
import type { Backends } from '../../backends/backends.ts';
import type { Alerts, AlertsDeps } from './alerts.ts';

interface Parts extends Omit<AlertsDeps, 'pool' | 'ownCertificate' | 'backendCertificates'> {
  readonly backends: Pick<Backends, 'pool' | 'certificates'>;
  /** What the gateway serves with now. */
  readonly served: { readonly certificate: { readonly cert: string } | undefined };
}

/** Alerts are loaded with the first rule. Until then, the replica that leads only looks whether there is one. */
export function alertsOnUse({ backends, served, ...parts }: Parts) {
  const { store } = parts;
  const deps: AlertsDeps = {
    ...parts,
    pool: backends.pool,
    ownCertificate: () => served.certificate?.cert,
    backendCertificates: () => backends.certificates.expiries(),
  };
  let opened: Promise<Alerts> | undefined;
  /** Whether there are rules, or messages that wait; `undefined` where a rule may have changed. */
  let isUsed: boolean | undefined;
  const open = () => (opened ??= import('./alerts.ts').then(({ openAlerts }) => openAlerts(deps)));
  store.changes.listen((kind) => {
    if (kind === 'alert_rule') isUsed = undefined;
  });
  return {
    async run(signal: AbortSignal): Promise<void> {
      isUsed ??= (await store.alerts.hasRules()) || (await store.alertDeliveries.hasWaiting());
      if (isUsed) await (await open()).run(signal);
    },
    /** @returns why it was not taken; `undefined` where it was */
    async test(target: AlertTargetRecord): Promise<string | undefined> {
      const sent = await (await open()).test(target, new AbortController().signal);
      return sent.isSent ? undefined : sent.error;
    },
  };
}
