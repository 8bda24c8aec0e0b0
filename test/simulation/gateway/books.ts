import type { KeyRecord } from '../../../sidecar/protocol/gateway/key.ts';
import type { SimTime } from '../time.ts';
import type { Rights } from './rights.ts';
import { PRICE } from './simBackends.ts';
import type { SimCall } from './simCaller.ts';
import type { SimDatabase } from './simDatabase.ts';
import type { SimReplica } from './simReplica.ts';

/** Records wait for half a second, and the database may then take some time. */
const WRITTEN_MS = 10_000;
/** While the database does not take records, up to ten seconds pass between two attempts. */
const AFTER_TROUBLE_MS = 20_000;
const NOTHING = 1e-6;

interface Answered {
  readonly requestId: string;
  readonly token: string;
  readonly tool: string;
  readonly mark: string;
  /** `undefined` if unknown. */
  readonly isSuccess: boolean | undefined;
  readonly text: string;
  readonly atMs: number;
  readonly replica: SimReplica;
}
/** The owner of a budget. */
interface Owner {
  readonly kind: 'key' | 'team';
  readonly id: string;
  /** As counters name it. */
  readonly scope: string;
}
interface Line {
  readonly request_id: string;
  readonly api_key: string;
  readonly status: string;
  readonly spend: number;
  readonly body: string;
}

/** Compares the answers that callers got with the records that the gateway wrote, and their cost with budgets. */
export class Books {
  readonly #database: SimDatabase;
  readonly #time: SimTime;
  readonly #rights: Rights;
  readonly #violation: (what: string) => void;
  #answered: Answered[] = [];
  /** The cost of answers in US dollars, by owner. */
  readonly #spent = new Map<string, number>();
  /** The US dollars that replicas had reserved when they crashed, by owner. */
  readonly #lost = new Map<string, number>();
  /** The number of the administrator's changes that were acknowledged. */
  writes = 0;
  /** Until then, the database did not take everything. */
  troubleMs = Number.NEGATIVE_INFINITY;

  constructor(database: SimDatabase, time: SimTime, rights: Rights, violation: (what: string) => void) {
    this.#database = database;
    this.#time = time;
    this.#rights = rights;
    this.#violation = violation;
  }

  /** A caller got the answer to a call. */
  answered(
    { requestId, tool, server, mark, replica }: SimCall,
    token: string,
    isSuccess: boolean | undefined,
    text: string,
  ): void {
    if (requestId === undefined) return this.#violation(`${mark} was answered without the ID of its record`);
    const atMs = this.#time.passedMs;
    // The record of a call may be missing if its replica crashed during the call.
    if (!replica.isDead)
      this.#answered.push({ requestId, token, tool: `${server}/${tool}`, mark, isSuccess, text, atMs, replica });
    if (!isSuccess) return;
    for (const owner of this.#ownersOf(token)) {
      const spent = (this.#spent.get(owner.scope) ?? 0) + PRICE;
      this.#spent.set(owner.scope, spent);
      this.#checkBudget(owner, spent, 'was answered for');
    }
  }

  /** A replica is about to crash. What it had reserved may be spent again, and what it has not written is lost. */
  crashing(replica: SimReplica): void {
    const rows = this.#database.read<{ counter: string; amount: number }>('select counter, amount from allowances');
    for (const { counter, amount } of rows) {
      const scope = /(?:key|team):.+$/.exec(counter)?.[0];
      if (scope !== undefined) this.#lost.set(scope, (this.#lost.get(scope) ?? 0) + Math.max(0, amount));
    }
    this.#forget(replica, this.#time.passedMs - WRITTEN_MS);
  }
  /** A replica has stopped after it had time to write everything. */
  left(replica: SimReplica): void {
    if (this.#time.passedMs - this.troubleMs < AFTER_TROUBLE_MS) this.crashing(replica);
  }
  /** Calls that were answered since then, or while the database did not take everything, may have no record. */
  #forget(replica: SimReplica, sinceMs: number): void {
    const hasTrouble = this.#time.passedMs - this.troubleMs < AFTER_TROUBLE_MS;
    const fromMs = hasTrouble ? Math.min(sinceMs, this.troubleMs - AFTER_TROUBLE_MS) : sinceMs;
    this.#answered = this.#answered.filter((it) => it.replica !== replica || it.atMs < fromMs);
  }

  /** Call this when everything about earlier calls has been written. */
  check(): void {
    for (const it of this.#answered) this.#checkLine(it);
    this.#answered = [];
    this.#checkSums();
    for (const [scope, { owner, spend }] of this.#spends()) {
      this.#checkBudget(owner, spend, 'has records for');
      const sql = 'select spent from budget_counters where counter = ?';
      const [counter] = this.#database.read<{ spent: number }>(sql, `budget  0 ${scope}`);
      if (counter && Math.abs(counter.spent - spend) > NOTHING)
        this.#violation(
          `the budget counter of a ${owner.kind} is $${counter.spent}, but its records add up to $${spend}`,
        );
    }
    const [audit] = this.#database.read<{ lines: number }>('select count(*) as lines from audit');
    if ((audit?.lines ?? 0) < this.writes)
      this.#violation(`${this.writes} changes were acknowledged, but the audit log has ${audit?.lines}`);
  }

  #checkLine({ requestId, token, tool, mark, isSuccess, text }: Answered): void {
    const sql = 'select request_id, api_key, status, spend, body from spend_logs where request_id = ?';
    const [line] = this.#database.read<Line>(sql, requestId);
    if (!line) return this.#violation(`call ${mark} was answered, but has no record`);
    if (line.api_key !== token) this.#violation(`call ${mark} is recorded for another key`);
    if (isSuccess === undefined) return;
    if (line.status !== (isSuccess ? 'success' : 'failure'))
      this.#violation(`call ${mark} was answered “${text}”, but is recorded as ${line.status}`);
    if (Math.abs(line.spend - (isSuccess ? PRICE : 0)) > NOTHING)
      this.#violation(`call ${mark} is recorded with a cost of $${line.spend}`);
    if (isSuccess && !line.body.includes(tool))
      this.#violation(`call ${mark} is recorded for a tool other than ${tool}`);
  }

  /** Sums must match the records: each is counted once. */
  #checkSums(): void {
    const [lines] = this.#database.read<{ calls: number; spend: number | null }>(
      'select count(*) as calls, sum(spend) as spend from spend_logs',
    );
    const [days] = this.#database.read<{ calls: number | null; spend: number | null }>(
      'select sum(successful_requests + failed_requests) as calls, sum(spend) as spend from daily_activity',
    );
    if ((days?.calls ?? 0) !== lines?.calls)
      this.#violation(`the daily sums count ${days?.calls ?? 0} calls, but there are ${lines?.calls} records`);
    if (Math.abs((days?.spend ?? 0) - (lines?.spend ?? 0)) > NOTHING)
      this.#violation(`the daily sums are $${days?.spend}, but the records add up to $${lines?.spend}`);
  }

  /** The spend of each owner, with all keys that they ever had. */
  #spends(): ReadonlyMap<string, { readonly owner: Owner; readonly spend: number }> {
    const spends = new Map<string, { readonly owner: Owner; readonly spend: number }>();
    const sql = 'select api_key, sum(spend) as spend from spend_logs group by api_key';
    for (const { api_key, spend } of this.#database.read<{ api_key: string; spend: number }>(sql))
      for (const owner of this.#ownersOf(api_key))
        spends.set(owner.scope, { owner, spend: spend + (spends.get(owner.scope)?.spend ?? 0) });
    return spends;
  }

  /** Whose budgets a call with a key counts against. */
  #ownersOf(token: string): readonly Owner[] {
    const key = this.#rights.lastOf<KeyRecord>('key', token);
    if (!key) return [];
    const team: Owner[] = key.team_id ? [{ kind: 'team', id: key.team_id, scope: `team:${key.team_id}` }] : [];
    return [{ kind: 'key', id: token, scope: `key:${key.token_id}` }, ...team];
  }

  /** An owner may exceed a budget only by what crashed replicas had reserved. */
  #checkBudget({ kind, id, scope }: Owner, spent: number, what: string): void {
    const most = this.#rights.largestBudget(kind, id);
    if (most !== undefined && spent > most + (this.#lost.get(scope) ?? 0) + NOTHING)
      this.#violation(`a ${kind} ${what} $${spent.toFixed(2)}, with a budget of $${most}`);
  }
}
