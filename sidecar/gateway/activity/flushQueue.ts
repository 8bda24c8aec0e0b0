import type { ActivityBatch } from '../storage/activity/activityWrites.ts';
import { DailySums } from '../storage/activity/dailySums.ts';
import type { EndedCall } from '../storage/activity/endedCall.ts';
import { CallLines } from '../storage/activity/spendLogRow.ts';

/** Lines in one batch. */
export const FLUSH_RECORDS = 2_000;
/** Lines that wait while the store is down. Of the oldest beyond it only the sums are kept. */
export const MAX_QUEUED_RECORDS = 50_000;
/** Spending of one owner is gathered by the second: no window of a budget begins within one. */
const SPENDING_MS = 1_000;

/** By scope. */
type Within = Map<string, { readonly scope: string; readonly atMs: number; amount: number }>;

/** Lines of one batch, and what they and the calls without a line add to the sums of their days. */
class Waiting {
  readonly lines = new CallLines();
  sums = new DailySums();
}

/** What waits to be written. Holds no more than its bounds allow, and knows what it let go. */
export class FlushQueue {
  readonly #writer: string;
  /** Oldest first. */
  readonly #full: Waiting[] = [];
  #last = new Waiting();
  /** In all of them. */
  #lines = 0;
  /** By second, then by scope. */
  #spendings = new Map<number, Within>();
  /** The one that something was added to last. */
  #second: { readonly at: number; readonly within: Within } = { at: Number.NaN, within: new Map() };
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
    return this.#lines + (this.#batch?.lines.length ?? 0);
  }
  /** Lines of which only the sums are kept, since the start. */
  get dropped(): number {
    return this.#dropped;
  }
  get isEmpty(): boolean {
    return !this.#batch && !this.#hasMore;
  }
  get #hasMore(): boolean {
    return this.#full.length > 0 || this.#last.sums.size > 0 || this.#spendings.size > 0 || this.#used.size > 0;
  }

  add(call: EndedCall): void {
    if (this.#last.lines.length === FLUSH_RECORDS) this.#full.push(this.#begun());
    this.#last.lines.add(call);
    this.#last.sums.add(call);
    this.#lines += 1;
    if (this.#lines > MAX_QUEUED_RECORDS) this.#letGo();
  }

  refuse(date: string, endpoint: string): void {
    this.#last.sums.addEdge(date, endpoint, false);
  }

  spend(scope: string, atMs: number, amount: number): void {
    const second = atMs - (atMs % SPENDING_MS);
    const within = second === this.#second.at ? this.#second.within : this.#withinOf(second);
    const before = within.get(scope);
    if (before) before.amount += amount;
    else within.set(scope, { scope, atMs: second, amount });
  }

  #withinOf(second: number): Within {
    let within = this.#spendings.get(second);
    if (!within) this.#spendings.set(second, (within = new Map()));
    this.#second = { at: second, within };
    return within;
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
    const { lines, sums } = this.#full.shift() ?? this.#begun();
    this.#lines -= lines.length;
    this.#seq += 1;
    this.#batch = {
      writer: this.#writer,
      seq: this.#seq,
      atMs: nowMs,
      lines,
      sums,
      spendings: this.#allSpendings(),
      used: [...this.#used].map(([counter, amount]) => ({ counter, amount })),
    };
    this.#spendings = new Map();
    this.#second = { at: Number.NaN, within: new Map() };
    this.#used = new Map();
    return this.#batch;
  }

  done(batch: ActivityBatch): void {
    if (this.#batch === batch) this.#batch = undefined;
  }

  /** The last one; another takes its place. */
  #begun(): Waiting {
    const begun = this.#last;
    this.#last = new Waiting();
    return begun;
  }

  #allSpendings() {
    return [...this.#spendings.values()].flatMap((it) => [...it.values()]);
  }

  /** A batch at once; what its calls were summed up to goes with the next one. */
  #letGo(): void {
    const [oldest, next = this.#last] = this.#full;
    if (!oldest) return;
    this.#full.shift();
    oldest.sums.addAll(next.sums, MAX_QUEUED_RECORDS); // into the larger one
    next.sums = oldest.sums;
    this.#lines -= oldest.lines.length;
    this.#dropped += oldest.lines.length;
  }
}
