import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * The headers that prove who sent a body, and when, as Standard Webhooks describes them: `webhook-id` is the same for each attempt,
 * and the signature is over ID, time and body.
 * @param nowMs of the attempt
 */
export function signed(id: string, body: string, secret: string, nowMs: number): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : secret;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
