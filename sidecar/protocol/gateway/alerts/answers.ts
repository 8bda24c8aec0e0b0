import * as z from 'zod';
import { AlertKind, AlertMessage } from './event.ts';
import { AlertRuleRecord } from './rule.ts';
import { AlertTargetRecord, AlertTargetSecrets, alertTargetShape } from './target.ts';

/** Secrets as writers give them; `null` takes one away. */
const secretShape = {
  url: AlertTargetSecrets.shape.url.nullable(),
  secret: AlertTargetSecrets.shape.secret.nullable(),
  smtp_password: AlertTargetSecrets.shape.smtp_password.nullable(),
};
export const AlertTargetWrite = z.strictObject({
  target_name: AlertTargetRecord.shape.target_name,
  ...alertTargetShape,
  ...secretShape,
});
export type AlertTargetWrite = z.infer<typeof AlertTargetWrite>;
export const AlertTargetUpdate = AlertTargetWrite.partial().required({ target_name: true });
export type AlertTargetUpdate = z.infer<typeof AlertTargetUpdate>;

/** A target in answers. Its secrets are masked; one that it does not have is left out. */
export const AlertTargetAnswer = AlertTargetRecord.extend({
  url: z.string().optional(),
  secret: z.string().optional(),
  smtp_password: z.string().optional(),
});
export type AlertTargetAnswer = z.infer<typeof AlertTargetAnswer>;

/** A rule in answers. */
export const AlertRuleAnswer = AlertRuleRecord.extend({
  /** RFC 3339, UTC; null while it is not muted. */
  muted_until: z.string().nullable(),
});
export type AlertRuleAnswer = z.infer<typeof AlertRuleAnswer>;

export const AlertDeliveryState = z.enum(['waiting', 'delivered', 'dead']);

/** A message, and what became of it. */
export const AlertDeliveryAnswer = z.object({
  id: z.string(),
  target: z.string(),
  rule: z.string(),
  type: z.union([AlertKind, z.literal('test')]),
  count: z.int(),
  state: AlertDeliveryState,
  attempts: z.int(),
  /** RFC 3339, UTC. */
  created_at: z.string(),
  /** When it is sent, or sent again; null for one that was delivered or is a dead letter. */
  next_attempt_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  /** Why the last attempt failed, in words. */
  error: z.string().nullable(),
  events: AlertMessage.shape.events,
});
export type AlertDeliveryAnswer = z.infer<typeof AlertDeliveryAnswer>;

/** `GET /alert/delivery/list`. */
export const AlertDeliveryListAnswer = z.object({
  deliveries: z.array(AlertDeliveryAnswer),
  total: z.int(),
  page: z.int(),
  total_pages: z.int(),
});

/** `POST /alert/target/test`. */
export const AlertTestAnswer = z.object({ success: z.boolean(), error: z.string().nullable() });
