import * as z from 'zod';
import { Id, stampShape } from '../stamps.ts';
import { AlertKind } from './event.ts';

/** Fields of a rule that its writers set. */
export const alertRuleShape = {
  events: z.array(AlertKind).min(1).max(32),
  /** Names of targets. */
  targets: z.array(Id).min(1).max(32),
  enabled: z.boolean().nullish(),
  /** Events of one kind within so many minutes become one message. Default 1; 0 sends each by itself. */
  group_minutes: z.int().min(0).max(1440).nullish(),
  /** IDs of MCP servers. Default: all. Events that are not about a server pass. */
  servers: z.array(Id).max(1_000).nullish(),
  /** For `error_rate`: the share of failed calls, from 0 to 1. Default 0.1. */
  error_rate: z.number().min(0.001).max(1).nullish(),
  /** For `error_rate`: the last so many minutes. Default 5. */
  window_minutes: z.int().min(1).max(60).nullish(),
  /** For `error_rate`: with fewer calls in the window nothing is reported. Default 20. */
  min_calls: z.int().min(1).max(1_000_000).nullish(),
  /** For `key_expiring` and `certificate_expiring`. Default 14. */
  days_before: z.int().min(1).max(365).nullish(),
};

export const AlertRuleRecord = z.object({
  rule_name: Id,
  ...alertRuleShape,
  /** From the configuration file: the API leaves it alone. */
  from_config: z.boolean().nullish(),
  ...stampShape,
});
export type AlertRuleRecord = z.infer<typeof AlertRuleRecord>;

/** What a rule says where it says nothing. */
export const alertDefaults = {
  group_minutes: 1,
  error_rate: 0.1,
  window_minutes: 5,
  min_calls: 20,
  days_before: 14,
} as const;
