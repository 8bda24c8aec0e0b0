import type { Runtime } from '../../../../platform/runtime.ts';
import type { AlertMessage } from '../../../../protocol/gateway/alerts/event.ts';
import type { AlertTargetRecord, AlertTargetSecrets } from '../../../../protocol/gateway/alerts/target.ts';
import { type LookupAll, lookupAll } from '../../../backends/net/guard.ts';
import type { BackendTarget, Pool } from '../../../backends/net/pool.ts';
import { post } from './post.ts';
import { notSent, type Sent } from './sent.ts';
import { slackBody } from './slack.ts';
import { teamsBody } from './teams.ts';
import { signed } from './webhook.ts';

export interface SendDeps extends Pick<Runtime, 'clock' | 'timers'> {
  readonly pool: Pick<Pool, 'request'>;
  /** Default: the system's resolver. */
  readonly lookup?: LookupAll;
}

/** Sends one message to one target, once. @throws what the signal was aborted with */
export async function send(
  deps: SendDeps,
  target: AlertTargetRecord,
  secrets: AlertTargetSecrets,
  message: AlertMessage,
  signal: AbortSignal,
): Promise<Sent> {
  if (target.type === 'email') {
    const { sendEmail } = await import('./email.ts');
    return sendEmail(target, secrets.smtp_password, message, deps.lookup ?? lookupAll, signal);
  }
  const { url, secret } = secrets;
  if (url === undefined) return notSent('The target has no URL.', true);
  const to = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    post(deps, poolTarget(target), { url, headers, body }, signal);
  if (target.type === 'slack') return to(slackBody(message));
  if (target.type === 'teams') return to(teamsBody(message));
  if (secret === undefined) return notSent('The target has no secret to sign with.', true);
  const body = JSON.stringify(message);
  return to(body, signed(message.id, body, secret, deps.clock.nowMs()));
}

const poolTarget = ({ target_name, updated_at, allow_private_network }: AlertTargetRecord): BackendTarget => ({
  id: `alert target ${target_name}`,
  name: target_name,
  version: updated_at,
  allowPrivate: allow_private_network === true,
  connections: 2,
});
