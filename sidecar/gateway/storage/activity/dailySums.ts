import { hash } from 'node:crypto';
import type { CallColumns, DailyRow, DailyTagRow, SumColumns } from '../database/activityTables.ts';
import { callKey, dayOf, type EndedCall } from './endedCall.ts';

export interface EdgeSum {
  readonly date: string;
  readonly endpoint: string;
  readonly successful_requests: number;
  readonly failed_requests: number;
}

type Own<T> = { -readonly [K in keyof T]: T[K] };
/** By the values that tell them apart: a call that adds to one makes neither a row nor a hash. */
type Rows<Row> = Map<string, Own<Row>>;

/** What the calls of some time add to the tables of sums. Nothing is read or written. */
export class DailySums {
  readonly #calls: Rows<DailyRow> = new Map();
  readonly #tags: Rows<DailyTagRow> = new Map();
  readonly #edge: Rows<EdgeSum> = new Map();

  /** @param from begins as a copy of this */
  constructor(from?: DailySums) {
    if (from) this.addAll(from);
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

  add(call: EndedCall): void {
    this.#count(call, 1);
  }
  /** Takes back what {@link add} did. */
  remove(call: EndedCall): void {
    this.#count(call, -1);
  }

  /** A request that leaves no line: its caller is not known. */
  addEdge(date: string, endpoint: string, isSuccess: boolean, count = 1): void {
    countEdge(this.#edgeRow(`${date} ${endpoint}`, date, endpoint), isSuccess, count);
  }

  /**
   * @param most rows. Callers choose end users and tags: beyond the bound those no longer make rows of their own, and their
   *   calls count with those of no end user and of no tag
   */
  addAll(other: DailySums, most = Number.POSITIVE_INFINITY): void {
    for (const [key, row] of other.#calls) {
      const isOwn = this.#calls.has(key) || this.size < most;
      const facts = isOwn ? row : { ...row, end_user: '' };
      count(this.#callRow(facts.date, facts, facts.end_user, facts.agent_id), row, 1);
    }
    for (const [key, row] of other.#tags)
      if (this.#tags.has(key) || this.size < most) count(this.#tagRow(row.date, row, row.tag), row, 1);
    for (const { date, endpoint, successful_requests, failed_requests } of other.#edge.values()) {
      this.addEdge(date, endpoint, true, successful_requests);
      this.addEdge(date, endpoint, false, failed_requests);
    }
  }

  #count(call: EndedCall, sign: 1 | -1): void {
    const { facts } = call;
    const date = dayOf(call.startedMs);
    const { columns, of } = facts;
    const keys = facts.keysOn(date);
    const row =
      this.#calls.get(keys.call) ?? this.#begin(keys.call, date, columns, of.end_user ?? '', of.agent_id ?? '');
    countCall(row, call, sign);
    if (of.request_tags.length > 0)
      for (const tag of new Set(of.request_tags)) countCall(this.#tagRow(date, columns, tag), call, sign);
    countEdge(this.#edgeRow(keys.edge, date, of.endpoint), call.status === 'success', sign);
  }

  #callRow(date: string, call: CallColumns, end_user: string, agent_id: string): Own<SumColumns> {
    const key = `${callKey(date, call)}\0${end_user}\0${agent_id}`;
    return this.#calls.get(key) ?? this.#begin(key, date, call, end_user, agent_id);
  }

  #begin(key: string, date: string, call: CallColumns, end_user: string, agent_id: string): Own<DailyRow> {
    const row = begun({ ...plain(call), date, end_user, agent_id });
    this.#calls.set(key, row);
    return row;
  }

  #tagRow(date: string, call: CallColumns, tag: string): Own<SumColumns> {
    const key = `${callKey(date, call)}\0${tag}`;
    let row = this.#tags.get(key);
    if (!row) this.#tags.set(key, (row = begun({ ...plain(call), date, tag })));
    return row;
  }

  #edgeRow(key: string, date: string, endpoint: string): Own<EdgeSum> {
    let row = this.#edge.get(key);
    if (!row) this.#edge.set(key, (row = { date, endpoint, successful_requests: 0, failed_requests: 0 }));
    return row;
  }
}

/** These members alone, in this order: the id of a row is made from them. */
const plain = (it: CallColumns): CallColumns => ({
  endpoint: it.endpoint,
  api_key: it.api_key,
  team_id: it.team_id,
  organization_id: it.organization_id,
  user_id: it.user_id,
  model: it.model,
  model_group: it.model_group,
  provider: it.provider,
  mcp_namespaced_tool_name: it.mcp_namespaced_tool_name,
});

const begun = <Facts extends object>(facts: Facts) => ({
  ...facts,
  spend: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  successful_requests: 0,
  failed_requests: 0,
  id: hash('sha256', JSON.stringify(facts), 'base64url'),
});

function count(row: Own<SumColumns>, one: SumColumns, sign: 1 | -1): void {
  row.spend += sign * one.spend;
  row.prompt_tokens += sign * one.prompt_tokens;
  row.completion_tokens += sign * one.completion_tokens;
  row.cache_read_input_tokens += sign * one.cache_read_input_tokens;
  row.cache_creation_input_tokens += sign * one.cache_creation_input_tokens;
  row.successful_requests += sign * one.successful_requests;
  row.failed_requests += sign * one.failed_requests;
}

function countCall(row: Own<SumColumns>, call: EndedCall, sign: 1 | -1): void {
  row.spend += sign * call.spend;
  row.prompt_tokens += sign * call.prompt_tokens;
  row.completion_tokens += sign * call.completion_tokens;
  row.cache_read_input_tokens += sign * call.cache_read_input_tokens;
  row.cache_creation_input_tokens += sign * call.cache_creation_input_tokens;
  if (call.status === 'success') row.successful_requests += sign;
  else row.failed_requests += sign;
}

function countEdge(row: Own<EdgeSum>, isSuccess: boolean, calls: number): void {
  if (isSuccess) row.successful_requests += calls;
  else row.failed_requests += calls;
}
