import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { TeamRecord } from '../../../protocol/gateway/people.ts';
import type { Directory } from '../../auth/directory.ts';
import type { Accounting } from '../accounting.ts';
import { type CallerCounts, OTHER } from '../callMetrics.ts';
import { type BudgetStanding, budgetOf } from '../spending.ts';
import { counter, gauge, type Metric, type Value } from './metric.ts';

export interface CallerMetricsDeps {
  readonly accounting: Pick<Accounting, 'limits' | 'metrics'>;
  readonly directory: Directory;
}

/** A key that called for a team, as both are now. */
interface Called {
  readonly counts: CallerCounts;
  readonly key: KeyRecord | undefined;
  readonly team: TeamRecord | undefined;
  readonly labels: { readonly team: string; readonly key_alias: string };
}

/** Calls and spending by team and key, and what is left of their budgets. @throws {Fault} `unavailable` */
export async function callerMetrics(deps: CallerMetricsDeps): Promise<readonly Metric[]> {
  const called = await Promise.all([...deps.accounting.metrics.callers].map((it) => look(deps.directory, it)));
  const budgets = await budgetsOf(deps, called);
  return [
    counter('switchboard_caller_calls_total', 'Completed calls, by team, key, and outcome.', () =>
      summed(called, ({ success, failure }) => [
        [{ status: 'success' }, success],
        [{ status: 'failure' }, failure],
      ]),
    ),
    counter('switchboard_caller_spend_dollars_total', 'Spend in US dollars, by team and key.', () =>
      summed(called, ({ spend }) => [[{}, spend]]),
    ),
    gauge('switchboard_budget_max_dollars', 'Budget in US dollars of a key or team that made calls.', () =>
      budgets.map(({ labels, max }) => [labels, max] as const),
    ),
    gauge(
      'switchboard_budget_remaining_dollars',
      'US dollars left in the budget of a key or team that made calls.',
      () => budgets.map(({ labels, left }) => [labels, left] as const),
    ),
  ];
}

/** What a key and a team were called last: counts of deleted ones stay where they were. */
const lastLabels = new WeakMap<CallerCounts, Called['labels']>();

async function look(directory: Directory, counts: CallerCounts): Promise<Called> {
  const { api_key, team_id } = counts;
  if (api_key === OTHER) return { counts, key: undefined, team: undefined, labels: { team: OTHER, key_alias: OTHER } };
  const key = api_key === '' ? undefined : await directory.get('key', api_key);
  const team = team_id === '' ? undefined : await directory.get('team', team_id);
  const last = lastLabels.get(counts);
  const labels = {
    team: team?.team_alias ?? last?.team ?? team_id,
    key_alias: (key && nameOf(key)) ?? last?.key_alias ?? '',
  };
  lastLabels.set(counts, labels);
  return { counts, key, team, labels };
}

const nameOf = (key: KeyRecord): string => key.key_alias ?? key.key_name;

/** Keys without an alias may be called the same, and a metric has each set of labels once. */
function summed(called: readonly Called[], of: (counts: CallerCounts) => readonly Value[]): readonly Value[] {
  const sums = new Map<string, { readonly labels: Value[0]; sum: number }>();
  for (const it of called)
    for (const [more, value] of of(it.counts)) {
      const labels = { ...it.labels, ...more };
      const key = JSON.stringify(labels);
      const found = sums.get(key);
      if (found) found.sum += value;
      else sums.set(key, { labels, sum: value });
    }
  return [...sums.values()].map(({ labels, sum }) => [labels, sum] as const);
}

/** Of keys that are called the same, the budget that is closest to its end. */
async function budgetsOf(deps: CallerMetricsDeps, called: readonly Called[]) {
  const standings = new Map<string, BudgetStanding & { readonly labels: Value[0] }>();
  const add = (owner: string, name: string, standing: BudgetStanding | undefined) => {
    const found = standings.get(`${owner} ${name}`);
    if (standing && (!found || standing.left < found.left))
      standings.set(`${owner} ${name}`, { labels: { owner, name }, ...standing });
  };
  const teams = new Map(called.flatMap(({ team }) => (team ? [[team.team_id, team] as const] : [])));
  for (const { key } of called) if (key) add('key', nameOf(key), await budgetOf(deps, 'key', key));
  for (const team of teams.values()) add('team', team.team_alias ?? team.team_id, await budgetOf(deps, 'team', team));
  return [...standings.values()];
}
