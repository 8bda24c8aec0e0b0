import type { KeyRecord } from '../../../sidecar/protocol/gateway/key.ts';
import type { SimTime } from '../time.ts';
import type { Rights } from './rights.ts';
import { PRICE } from './simBackends.ts';
import type { SimCall } from './simCaller.ts';
import type { SimDatabase } from './simDatabase.ts';
import type { SimReplica } from './simReplica.ts';

/** A record waits half a second, and then the database may take its time. */
const WRITTEN_MS = 10_000;
/** While the database does not take records, up to ten seconds pass between two tries. */
const AFTER_TROUBLE_MS = 20_000;
const NOTHING = 1e-6;

interface Answered {
  readonly requestId: string;
  readonly token: string;
  readonly tool: string;
  readonly mark: string;
  /** `undefined`: nobody knows. */
  readonly isSuccess: boolean | undefined;
  readonly text: string;
  readonly atMs: number;
  readonly replica: SimReplica;
}
interface Line {
  readonly request_id: string;
  readonly api_key: string;
  readonly status: string;
  readonly spend: number;
  readonly body: string;
}

/** What callers were answered, against what the gateway wrote down of it and what it let them spend. */
export class Books {
  readonly #database: SimDatabase;
  readonly #time: SimTime;
  readonly #rights: Rights;
  readonly #violation: (what: string) => void;
  #answered: Answered[] = [];
  /** By key: US dollars that answers cost. */
  readonly #spent = new Map<string, number>();
  /** By key: US dollars that replicas had set aside when they crashed. */
  readonly #lost = new Map<string, number>();
  /** The database did not take everything until then. */
  troubleMs = Number.NEGATIVE_INFINITY;

  constructor(database: SimDatabase, time: SimTime, rights: Rights, violation: (what: string) => void) {
    this.#database = database;
    this.#time = time;
    this.#rights = rights;
    this.#violation = violation;
  }

  /** A caller has the answer of a call. */
  answered(
    { requestId, tool, server, mark, replica }: SimCall,
    token: string,
    isSuccess: boolean | undefined,
    text: string,
  ): void {
    if (requestId === undefined) return this.#violation(`${mark} was answered without the number of its record`);
    const atMs = this.#time.passedMs;
    // What was under way when its replica crashed may not be written.
    if (!replica.isDead)
      this.#answered.push({ requestId, token, tool: `${server}/${tool}`, mark, isSuccess, text, atMs, replica });
    if (!isSuccess) return;
    const spent = (this.#spent.get(token) ?? 0) + PRICE;
    this.#spent.set(token, spent);
    this.#checkBudget(token, spent, 'was answered for');
  }

  /** A replica is about to crash: what it had set aside may be spent once more, and what it had not written yet is lost. */
  crashing(replica: SimReplica): void {
    const rows = this.#database.read<{ counter: string; amount: number }>('select counter, amount from allowances');
    for (const { counter, amount } of rows) {
      const id = /key:(.+)$/.exec(counter)?.[1];
      if (id !== undefined) this.#lost.set(id, (this.#lost.get(id) ?? 0) + Math.max(0, amount));
    }
    const sinceMs = Math.min(this.#time.passedMs - WRITTEN_MS, this.troubleMs - AFTER_TROUBLE_MS);
    const hadTrouble = this.#time.passedMs - this.troubleMs < AFTER_TROUBLE_MS;
    const fromMs = hadTrouble ? sinceMs : this.#time.passedMs - WRITTEN_MS;
    this.#answered = this.#answered.filter((it) => it.replica !== replica || it.atMs < fromMs);
  }

  /** Everything was written that is ever written of the calls until now. */
  check(): void {
    for (const it of this.#answered) this.#checkLine(it);
    this.#answered = [];
    this.#checkSums();
    for (const { api_key, spend } of this.#spends()) this.#checkBudget(api_key, spend, 'has on record');
  }

  #checkLine({ requestId, token, tool, mark, isSuccess, text }: Answered): void {
    const sql = 'select request_id, api_key, status, spend, body from spend_logs where request_id = ?';
    const [line] = this.#database.read<Line>(sql, requestId);
    if (!line) return this.#violation(`call ${mark} was answered, and has no record`);
    if (line.api_key !== token) this.#violation(`call ${mark} is on record for another key`);
    if (isSuccess === undefined) return;
    if (line.status !== (isSuccess ? 'success' : 'failure'))
      this.#violation(`call ${mark} was answered “${text}”, and is on record as ${line.status}`);
    if (Math.abs(line.spend - (isSuccess ? PRICE : 0)) > NOTHING)
      this.#violation(`call ${mark} is on record for $${line.spend}`);
    if (isSuccess && !line.body.includes(tool))
      this.#violation(`call ${mark} is on record for another tool than ${tool}`);
  }

  /** Sums say the same as lines: none is counted twice, or not at all. */
  #checkSums(): void {
    const [lines] = this.#database.read<{ calls: number; spend: number | null }>(
      'select count(*) as calls, sum(spend) as spend from spend_logs',
    );
    const [days] = this.#database.read<{ calls: number | null; spend: number | null }>(
      'select sum(successful_requests + failed_requests) as calls, sum(spend) as spend from daily_activity',
    );
    if ((days?.calls ?? 0) !== lines?.calls)
      this.#violation(`days say ${days?.calls ?? 0} calls, and there are ${lines?.calls} records`);
    if (Math.abs((days?.spend ?? 0) - (lines?.spend ?? 0)) > NOTHING)
      this.#violation(`days say $${days?.spend}, and records $${lines?.spend}`);
    for (const { api_key, spend } of this.#spends()) {
      const id = this.#rights.lastOf<KeyRecord>('key', api_key)?.token_id;
      const sql = 'select spent from budget_counters where counter = ?';
      const [counter] = this.#database.read<{ spent: number }>(sql, `budget  0 key:${id}`);
      if (counter && Math.abs(counter.spent - spend) > NOTHING)
        this.#violation(`the budget of a key says $${counter.spent}, and its records $${spend}`);
    }
  }

  #spends() {
    const sql = 'select api_key, sum(spend) as spend from spend_logs group by api_key';
    return this.#database.read<{ api_key: string; spend: number }>(sql);
  }

  /** A key may be over its budget by what crashed replicas had set aside, and by nothing else. */
  #checkBudget(token: string, spent: number, what: string): void {
    const id = this.#rights.lastOf<KeyRecord>('key', token)?.token_id ?? '';
    const most = this.#rights.largestBudget(token);
    if (most !== undefined && spent > most + (this.#lost.get(id) ?? 0) + NOTHING)
      this.#violation(`a key ${what} $${spent.toFixed(2)}, with a budget of $${most}`);
  }
}
