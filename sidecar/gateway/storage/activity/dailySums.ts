import { hash } from 'node:crypto';
import type { SpendLog } from '../../../protocol/gateway/activity.ts';
import type { CallColumns, DailyRow, DailyTagRow, SumColumns } from '../database/activityTables.ts';

export interface EdgeSum {
  readonly date: string;
  readonly endpoint: string;
  readonly successful_requests: number;
  readonly failed_requests: number;
}

/** What the calls of some time add to the tables of sums. Pure: nothing is read or written. */
export class DailySums {
  readonly #calls = new Map<string, DailyRow>();
  readonly #tags = new Map<string, DailyTagRow>();
  readonly #edge = new Map<string, EdgeSum>();

  /** @param from begins as a copy of this */
  constructor(from?: DailySums) {
    if (!from) return;
    this.#calls = new Map(from.#calls);
    this.#tags = new Map(from.#tags);
    this.#edge = new Map(from.#edge);
  }

  get size(): number {
    return this.#calls.size + this.#tags.size + this.#edge.size;
  }
  get calls(): readonly DailyRow[] {
    return [...this.#calls.values()];
  }
  get tags(): readonly DailyTagRow[] {
    return [...this.#tags.values()];
  }
  get edge(): readonly EdgeSum[] {
    return [...this.#edge.values()];
  }

  add(log: SpendLog): void {
    const date = log.startTime.slice(0, 10);
    const call = callColumns(log);
    const one = sumsOf(log);
    put(this.#calls, { ...call, date, end_user: log.end_user ?? '', agent_id: log.agent_id ?? '' }, one);
    if (log.request_tags.length > 0)
      for (const tag of new Set(log.request_tags)) put(this.#tags, { ...call, date, tag }, one);
    this.addEdge(date, log.endpoint, log.status === 'success');
  }

  /** A request that leaves no line: its caller is not known. */
  addEdge(date: string, endpoint: string, isSuccess: boolean, count = 1): void {
    const key = `${date} ${endpoint}`;
    const before = this.#edge.get(key);
    this.#edge.set(key, {
      date,
      endpoint,
      successful_requests: (before?.successful_requests ?? 0) + (isSuccess ? count : 0),
      failed_requests: (before?.failed_requests ?? 0) + (isSuccess ? 0 : count),
    });
  }
}

function callColumns(log: SpendLog): CallColumns {
  return {
    endpoint: log.endpoint,
    api_key: log.api_key,
    team_id: log.team_id ?? '',
    organization_id: log.organization_id ?? '',
    user_id: log.user ?? '',
    model: log.model,
    provider: log.custom_llm_provider ?? '',
    mcp_namespaced_tool_name: log.mcp_namespaced_tool_name ?? '',
  };
}

const sumsOf = (log: SpendLog): SumColumns => ({
  spend: log.spend,
  prompt_tokens: log.prompt_tokens,
  completion_tokens: log.completion_tokens,
  successful_requests: log.status === 'success' ? 1 : 0,
  failed_requests: log.status === 'success' ? 0 : 1,
});

function put<F extends object>(rows: Map<string, F & SumColumns & { readonly id: string }>, facts: F, one: SumColumns) {
  const words = JSON.stringify(facts);
  const before = rows.get(words);
  if (!before) {
    rows.set(words, { ...facts, ...one, id: hash('sha256', words, 'base64url') });
    return;
  }
  rows.set(words, {
    ...before,
    spend: before.spend + one.spend,
    prompt_tokens: before.prompt_tokens + one.prompt_tokens,
    completion_tokens: before.completion_tokens + one.completion_tokens,
    successful_requests: before.successful_requests + one.successful_requests,
    failed_requests: before.failed_requests + one.failed_requests,
  });
}
