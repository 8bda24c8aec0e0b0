import type { SpendLog } from '../../protocol/gateway/activity.ts';
import type { ActivityBatch } from '../storage/activity/activityWrites.ts';
import { DailySums } from '../storage/activity/dailySums.ts';

/** Lines in one batch. */
export const FLUSH_RECORDS = 500;
/** Lines that wait while the store is down. Of the oldest beyond it only the sums are kept. */
export const MAX_QUEUED_RECORDS = 50_000;
/** Spending of one owner is gathered by the second: no window of a budget begins within one. */
const SPENDING_MS = 1_000;

/** What waits to be written. Holds no more than its bounds allow, and knows what it let go. */
export class FlushQueue {
  readonly #writer: string;
  #logs: SpendLog[] = [];
  #sums = new DailySums();
  /** By second, then by scope. */
  #spendings = new Map<number, Map<string, { readonly scope: string; readonly atMs: number; amount: number }>>();
  #used = new Map<string, number>();
  /** Made and not yet known to be written. */
  #batch: ActivityBatch | undefined;
  #seq = 0;
  #dropped = 0;

  constructor(writer: string) {
    this.#writer = writer;
  }

  /** Lines that wait, or are on their way. */
  get length(): number {
    return this.#logs.length + (this.#batch?.logs.length ?? 0);
  }
  /** Lines of which only the sums are kept, since the start. */
  get dropped(): number {
    return this.#dropped;
  }
  get isEmpty(): boolean {
    return !this.#batch && !this.#hasMore;
  }
  get #hasMore(): boolean {
    return this.#logs.length > 0 || this.#sums.size > 0 || this.#spendings.size > 0 || this.#used.size > 0;
  }

  add(log: SpendLog): void {
    this.#logs.push(log);
    if (this.#logs.length > MAX_QUEUED_RECORDS) this.#letGo();
  }

  refuse(date: string, endpoint: string): void {
    this.#sums.addEdge(date, endpoint, false);
  }

  spend(scope: string, atMs: number, amount: number): void {
    const second = atMs - (atMs % SPENDING_MS);
    let within = this.#spendings.get(second);
    if (!within) this.#spendings.set(second, (within = new Map()));
    const before = within.get(scope);
    if (before) before.amount += amount;
    else within.set(scope, { scope, atMs: second, amount });
  }

  /** What was spent in a window and is not written yet. */
  waitingFor(scope: string, startMs: number, endMs: number): number {
    let sum = 0;
    for (const it of [...this.#allSpendings(), ...(this.#batch?.spendings ?? [])])
      if (it.scope === scope && it.atMs >= startMs && it.atMs < endMs) sum += it.amount;
    return sum;
  }

  /** An allowance that was spent is no longer set aside. */
  use(counter: string, amount: number): void {
    this.#used.set(counter, (this.#used.get(counter) ?? 0) + amount);
  }

  waitingUse(counter: string): number {
    const sent = this.#batch?.used.find((it) => it.counter === counter)?.amount ?? 0;
    return (this.#used.get(counter) ?? 0) + sent;
  }

  /** The next batch: the same one until it is {@link done}. */
  next(nowMs: number): ActivityBatch | undefined {
    if (this.#batch || !this.#hasMore) return this.#batch;
    this.#seq += 1;
    this.#batch = {
      writer: this.#writer,
      seq: this.#seq,
      atMs: nowMs,
      logs: this.#logs.splice(0, FLUSH_RECORDS),
      sums: this.#sums,
      spendings: this.#allSpendings(),
      used: [...this.#used].map(([counter, amount]) => ({ counter, amount })),
    };
    this.#sums = new DailySums();
    this.#spendings = new Map();
    this.#used = new Map();
    return this.#batch;
  }

  done(batch: ActivityBatch): void {
    if (this.#batch === batch) this.#batch = undefined;
  }

  #allSpendings() {
    return [...this.#spendings.values()].flatMap((it) => [...it.values()]);
  }

  /** A tenth at once: taking single items off the front of a long list would cost each call of a long outage. */
  #letGo(): void {
    for (const log of this.#logs.splice(0, MAX_QUEUED_RECORDS / 10)) {
      // Callers choose end users, sessions and tags: beyond the bound those no longer make rows of their own.
      const isCrowded = this.#sums.size >= MAX_QUEUED_RECORDS;
      this.#sums.add(isCrowded ? { ...log, end_user: null, request_tags: [] } : log);
      this.#dropped += 1;
    }
  }
}
