import type { Clock } from '../../../platform/clock.ts';
import type { BudgetReservations } from '../../storage/activity/budgetReservations.ts';
import type { Activity } from '../activity.ts';
import { type Counting, NOTHING, type Quota, type Taken } from './quotas.ts';

interface Entry {
  readonly quota: Quota;
  used: number;
  reserved: number;
}

/** Beyond it what can be read again is forgotten. */
const MAX_COUNTERS = 20_000;

/** Counts for a process that has its store alone: exact, and in memory after the first call of each budget. */
export class SoleCounting implements Counting {
  readonly #reservations: Pick<BudgetReservations, 'spent'>;
  readonly #activity: Pick<Activity, 'exclusively' | 'queue'>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<Entry>>();
  /** Those of budgets. */
  readonly #byScope = new Map<string, Set<Entry>>();
  #sweepAt = MAX_COUNTERS;

  constructor(
    reservations: Pick<BudgetReservations, 'spent'>,
    activity: Pick<Activity, 'exclusively' | 'queue'>,
    clock: Clock,
  ) {
    this.#reservations = reservations;
    this.#activity = activity;
    this.#clock = clock;
  }

  take(quota: Quota, amount: number): Taken | Promise<Taken> {
    const known = this.#entry(quota);
    if (known) return takeFrom(known, quota, amount);
    return this.#load(quota).then((entry) => takeFrom(entry, quota, amount));
  }

  async used(quota: Quota): Promise<number> {
    return (this.#entry(quota) ?? (await this.#load(quota))).used;
  }

  known(quota: Quota): number | undefined {
    const entry = this.#entry(quota);
    if (!entry) this.#load(quota).catch(() => undefined); // whoever admits the next call gets the error
    return entry?.used;
  }

  remaining(quota: Quota): number | undefined {
    const entry = this.#entries.get(quota.counter);
    return quota.max - (entry ? entry.used + entry.reserved : 0);
  }

  paid(scope: string, atMs: number, spend: number, counted: ReadonlySet<string>): void {
    for (const it of this.#byScope.get(scope) ?? []) {
      const { counter, startMs, endMs } = it.quota;
      if (!counted.has(counter) && atMs >= startMs && atMs < endMs) it.used += spend;
    }
  }

  forget(scope: string): void {
    for (const it of this.#byScope.get(scope) ?? []) it.used = 0;
  }

  async close(): Promise<void> {
    this.#entries.clear();
    this.#byScope.clear();
  }

  #entry(quota: Quota): Entry | undefined {
    const known = this.#entries.get(quota.counter);
    if (known || quota.kind === 'budget') return known;
    return this.#keep({ quota, used: 0, reserved: 0 });
  }

  #load(quota: Quota): Promise<Entry> {
    const running = this.#loading.get(quota.counter);
    if (running) return running;
    // Between batches: what waits is in no window yet, and what is in a window waits no more.
    const loading = this.#activity
      .exclusively(async () => {
        const spent = await this.#reservations.spent({ ...quota, owner: quota.level });
        const waiting = this.#activity.queue.waitingFor(quota.scope, quota.startMs, quota.endMs);
        return this.#keep({ quota, used: spent + waiting, reserved: 0 });
      })
      .finally(() => this.#loading.delete(quota.counter));
    this.#loading.set(quota.counter, loading);
    return loading;
  }

  #keep(entry: Entry): Entry {
    if (this.#entries.size >= this.#sweepAt) this.#sweep();
    const { counter, scope, kind } = entry.quota;
    this.#entries.set(counter, entry);
    if (kind === 'budget') this.#byScope.set(scope, (this.#byScope.get(scope) ?? new Set()).add(entry));
    return entry;
  }

  #sweep(): void {
    const nowMs = this.#clock.nowMs();
    for (const [counter, entry] of this.#entries) {
      const { quota, reserved } = entry;
      if (reserved > 0 || (quota.endMs > nowMs && quota.kind !== 'budget')) continue;
      this.#entries.delete(counter);
      const same = this.#byScope.get(quota.scope);
      same?.delete(entry);
      if (same?.size === 0) this.#byScope.delete(quota.scope);
    }
    this.#sweepAt = Math.max(MAX_COUNTERS, 2 * this.#entries.size);
  }
}

function takeFrom(entry: Entry, quota: Quota, amount: number): Taken {
  const used = entry.used + entry.reserved;
  const fits = quota.kind === 'tokens' ? used < quota.max : used + amount <= quota.max + NOTHING;
  // A budget that is used up refuses also what costs nothing or whose price nobody knows yet.
  const isUp = quota.kind === 'budget' && used >= quota.max - NOTHING;
  if (!fits || isUp) return { isTaken: false, used };
  entry.reserved += amount;
  return {
    isTaken: true,
    settle: (spent) => {
      entry.reserved = Math.max(0, entry.reserved - amount);
      entry.used += spent;
    },
  };
}
