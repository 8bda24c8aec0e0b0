import * as z from 'zod';
import { Duration } from './duration.ts';

/** US dollars. */
export const Money = z.number().min(0).max(1e12);
export const Count = z.int().min(0).max(1e12);

/** One of several windows that are kept at the same time. */
export const BudgetWindow = z.object({
  budget_duration: Duration.describe(
    'Reset interval for this budget, for example "30s", "30m", "12h", "30d", "1w", or "1mo".',
  ),
  max_budget: Money.describe('Maximum spend per budget_duration, in US dollars.'),
});
export type BudgetWindow = z.infer<typeof BudgetWindow>;

/** Limits that keys, teams, organizations, users, end users and agents share. Absent or null: none. */
export const limitShape = {
  /** For ever, or for each `budget_duration`. */
  max_budget: Money.nullish(),
  /** Crossing it is reported, and stops nothing. */
  soft_budget: Money.nullish(),
  budget_duration: Duration.nullish(),
  budget_limits: z.array(BudgetWindow).max(16).nullish(),
  /** Tokens a minute. */
  tpm_limit: Count.nullish(),
  /** Requests a minute. */
  rpm_limit: Count.nullish(),
  max_parallel_requests: Count.nullish(),
};
export const Limits = z.object(limitShape);
export type Limits = z.infer<typeof Limits>;

/** The budget of this id holds for all calls of the gateway together. It is checked last. */
export const GLOBAL_BUDGET = 'global';

/** Named limits that others refer to by `budget_id`. */
export const BudgetRecord = z.object({
  budget_id: z.string().min(1).max(256),
  ...limitShape,
  /** From the configuration file: the API leaves it alone. */
  from_config: z.boolean().nullish(),
  created_at: z.string(),
  created_by: z.string().nullish(),
  updated_at: z.string(),
  updated_by: z.string().nullish(),
});
export type BudgetRecord = z.infer<typeof BudgetRecord>;
