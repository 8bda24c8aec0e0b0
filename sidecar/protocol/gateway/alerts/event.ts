import * as z from 'zod';

/** What an alert can be about. */
export const alertKinds = [
  'soft_budget_crossed',
  'budget_exceeded',
  'server_down',
  'server_up',
  'tool_definition_changed',
  'guardrail_block',
  'error_rate',
  'key_expiring',
  'certificate_expiring',
] as const;
export const AlertKind = z.enum(alertKinds);
export type AlertKind = z.infer<typeof AlertKind>;

/** Something that happened, as receivers get it. */
export const AlertEvent = z.object({
  /** The same each time that it is sent. */
  id: z.string(),
  type: z.union([AlertKind, z.literal('test')]),
  /** RFC 3339, UTC. */
  at: z.string(),
  /** What it is about: a server, a key, a team and so on. Never a secret. */
  subject: z.object({ type: z.string(), id: z.string(), name: z.string() }),
  /** In words, without secrets. */
  message: z.string(),
  /** Numbers and names that a program may want. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
export type AlertEvent = z.infer<typeof AlertEvent>;

/** The body of a webhook: one message, which may be about several events. */
export const AlertMessage = z.object({
  /** The same for each attempt to send it: receivers know by it what they already have. */
  id: z.string(),
  type: AlertEvent.shape.type,
  rule: z.string(),
  /** RFC 3339, UTC: of the first of its events. */
  created_at: z.string(),
  /** How many events it is about. */
  count: z.number(),
  /** The first ones; {@link count} may be larger. */
  events: z.array(AlertEvent),
});
export type AlertMessage = z.infer<typeof AlertMessage>;

/** Events that one message contains; of the others it has the number. */
export const MESSAGE_EVENTS = 20;
