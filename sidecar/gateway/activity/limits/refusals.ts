import { Fault } from '../../../platform/faults.ts';
import type { RateStanding } from './limits.ts';
import type { Quota } from './quotas.ts';

const words = {
  key: 'Key',
  team: 'Team',
  team_member: 'Team member',
  user: 'User',
  end_user: 'End user',
  agent: 'Agent',
  session: 'Session',
  organization: 'Organization',
  global: 'Gateway',
} as const;

/** Why a call is refused, in the wording that clients parse. It has the alias of a key, never its hash. */
export function refusalOf(quota: Quota, used: number, nowMs: number): Fault {
  const { type, alias } = quota.level;
  const isWindowed = quota.kind !== 'parallel' && (quota.kind !== 'budget' || quota.duration !== undefined);
  const resets_at = isWindowed ? new Date(quota.endMs).toISOString() : null;
  const waits = quota.kind === 'parallel' ? 1 : Math.max(1, Math.ceil((quota.endMs - nowMs) / 1_000));
  const shared = { type, alias, resets_at, retry_after_s: isWindowed || quota.kind === 'parallel' ? waits : null };
  const who = `${words[type]} '${alias}'`;
  if (quota.kind === 'budget') {
    const [cost, max] = [money(used), money(quota.max)];
    const numbers =
      quota.duration === undefined ? '' : ` of its ${quota.duration} window, Spend=$${cost}, Limit=$${max}`;
    return new Fault(
      'budget_exceeded',
      `Budget has been exceeded! ${who}${numbers}. Current cost: ${cost}, Max budget: ${max}${resets_at === null ? '' : `. Resets at: ${readable(resets_at)}`}`,
      { data: { ...shared, current_cost: used, max_budget: quota.max } },
    );
  }
  const limit_type = quota.kind === 'parallel' ? 'max_parallel_requests' : quota.kind;
  const remaining = Math.max(0, Math.floor(quota.max - used));
  const reset = resets_at === null ? '' : `. Limit resets at: ${readable(resets_at)}`;
  return new Fault(
    'rate_limited',
    `Rate limit exceeded. ${who}. Limit type: ${limit_type}. Current limit: ${quota.max}, Remaining: ${remaining}${reset}`,
    { data: { ...shared, limit_type, limit: quota.max, remaining } },
  );
}

const BUDGET =
  /^Budget has been exceeded! (.+?)(?: of its \S+ window, Spend=\S+ Limit=\S+)?\. Current cost: (\S+), Max budget: (\S+?)(?:\. Resets at: (.+))?$/s;

/** Whose budget a call exceeded, from the words of {@link refusalOf}; `undefined` for other words. */
export function exceededBudgetIn(text: string) {
  const [, who, cost, max, until] = BUDGET.exec(text) ?? [];
  if (who === undefined) return undefined;
  return { who, current_cost: Number(cost), max_budget: Number(max), resets_at: until ?? null };
}

/** How the limit of the minute stands that refused a call; `undefined` for every other refusal. */
export function refusedRate(thrown: unknown): RateStanding | undefined {
  if (!(thrown instanceof Fault) || thrown.code !== 'rate_limited') return undefined;
  const { limit_type, limit, remaining, resets_at } = thrown.data as RateFacts;
  if (limit_type === 'max_parallel_requests' || resets_at === null) return undefined;
  return { kind: limit_type, limit, remaining, resetsAtMs: Date.parse(resets_at) };
}
interface RateFacts {
  readonly limit_type: RateStanding['kind'] | 'max_parallel_requests';
  readonly limit: number;
  readonly remaining: number;
  readonly resets_at: string | null;
}

/** Without the dust of adding prices. */
const money = (it: number) => String(Number(it.toFixed(8)));
const readable = (time: string) => `${time.slice(0, 19).replace('T', ' ')} UTC`;
