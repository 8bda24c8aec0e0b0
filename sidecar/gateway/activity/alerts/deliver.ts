import type { Log } from '../../../platform/logger.ts';
import type { WaitingDelivery } from '../../storage/alerts/alertDeliveries.ts';
import { readTargetSecrets } from '../../storage/alerts/targetSecrets.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { type SendDeps, send } from './send/send.ts';
import { notSent, type Sent } from './send/sent.ts';

/** Attempts before a message is a dead letter: about an hour and a half. */
export const MAX_ATTEMPTS = 15;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 10 * 60_000;
/** Messages to one target in one go: rules are looked at in between. */
const AT_ONCE = 100;

export interface DeliverDeps extends SendDeps {
  readonly store: Pick<GatewayStore, 'alertDeliveries' | 'alert_target' | 'secrets'>;
  readonly log: Log;
}

/**
 * Sends what is due: to all targets side by side, and to each one in order. A message that its target does not take is tried
 * again, twice as long after each attempt, and those behind it wait. It is marked after the receiver took it, so a replica that
 * is killed in between lets the next one send it again, under the same ID.
 */
export async function deliver(deps: DeliverDeps, signal: AbortSignal): Promise<void> {
  const targets = await deps.store.alertDeliveries.dueTargets(deps.clock.nowMs());
  await Promise.all(targets.map((it) => deliverTo(deps, it, signal)));
}

async function deliverTo(deps: DeliverDeps, target: string, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  for (let count = 0; count < AT_ONCE && !signal.aborted; count += 1) {
    const next = await store.alertDeliveries.first(target, clock.nowMs());
    if (!next || next.nextMs > clock.nowMs()) return;
    const outcome = await attempt(deps, next, signal).catch((thrown: unknown) => {
      if (signal.aborted) return undefined;
      throw thrown;
    });
    if (!outcome) return;
    if (outcome.isSent) await store.alertDeliveries.delivered(next.id, clock.nowMs());
    else if (await postponed(deps, next, outcome)) return;
  }
}

async function attempt(deps: DeliverDeps, { target, message }: WaitingDelivery, signal: AbortSignal): Promise<Sent> {
  const record = await deps.store.alert_target.get(target);
  if (!record) return notSent(`The target '${target}' does not exist.`, true);
  return send(deps, record, await readTargetSecrets(deps.store.secrets, target), message, signal);
}

/** @returns whether it is tried again, and those behind it have to wait */
async function postponed(
  { store, clock, log }: DeliverDeps,
  { id, target, attempts, message }: WaitingDelivery,
  { error, isFinal }: Extract<Sent, { isSent: false }>,
): Promise<boolean> {
  const made = attempts + 1;
  const now = clock.nowMs();
  if (isFinal || made >= MAX_ATTEMPTS) {
    await store.alertDeliveries.failed(id, made, error, now);
    log.error({ target, type: message.type, attempts: made, error }, 'An alert could not be delivered.');
    return false;
  }
  const waitMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts);
  await store.alertDeliveries.failed(id, made, error, now, now + waitMs);
  log.warn({ target, type: message.type, attempts: made, error }, 'An alert was not delivered. It will be sent again.');
  return true;
}
