import type { RecordCalls, Share } from '../../protocol/gateway/pages/recordUse.ts';
import type { ActivityReads } from '../storage/activity/activityReads.ts';
import type { CallSums, CallsOf, NamedSums, RecordCallReads } from '../storage/activity/recordCallReads.ts';

/** Rows of each table on the page of a record. */
const SHOWN = 10;
/** More days than any range has. */
const ALL = 10_000;

/** How a record was used in a range of days. */
export async function recordCalls(
  reads: Pick<RecordCallReads, 'sums' | 'lastStartedMs'>,
  names: Pick<ActivityReads, 'keyFacts'>,
  of: CallsOf,
  range: { readonly start: string; readonly end: string },
): Promise<RecordCalls> {
  const [days, keys, tools, models, lastMs] = await Promise.all([
    reads.sums(of, range, 'date', ALL),
    reads.sums(of, range, 'api_key', SHOWN),
    reads.sums(of, range, 'mcp_namespaced_tool_name', SHOWN),
    reads.sums(of, range, 'model_group', SHOWN),
    reads.lastStartedMs(of),
  ]);
  const facts = await names.keyFacts(keys.map((it) => it.name));
  const daily = days.map(({ name, ...it }) => ({ date: name, ...it })).toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const last = lastMs === undefined ? daily.at(-1)?.date : new Date(lastMs).toISOString();
  return {
    ...total(days),
    last_used: last ?? null,
    daily,
    keys: keys.map((it) => share(it, facts.get(it.name)?.key_alias ?? it.name)),
    tools: tools.map((it) => share(it, it.name)),
    models: models.map((it) => share(it, it.name)),
  };
}

const share = ({ name: id, ...sums }: NamedSums, name: string): Share => ({ id, name, ...sums });

function total(rows: readonly CallSums[]): CallSums {
  const sum = (of: (it: CallSums) => number) => rows.reduce((so, it) => so + of(it), 0);
  return {
    successful_requests: sum((it) => it.successful_requests),
    failed_requests: sum((it) => it.failed_requests),
    total_tokens: sum((it) => it.total_tokens),
    spend: sum((it) => it.spend),
  };
}
