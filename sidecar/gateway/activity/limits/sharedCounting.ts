import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/logger.ts';
import type { BudgetReservations } from '../../storage/activity/budgetReservations.ts';
import type { Activity } from '../activity.ts';
import { type Counting, NOTHING, type Quota, type Taken } from './quotas.ts';

/**
 * The part of what is left of a limit that a replica sets aside at once. It is also the bound: a replica that is killed may
 * have spent, of each budget, at most what it had set aside (this part of what was left then, or the price of one call) and
 * not have written the spending of its last flush interval. Rate limits are never exceeded, and may refuse early by what the
 * other replicas have set aside.
 */
export const LEASE_SHARE = 0.1;
/** What a replica has set aside is free again so long after its last renewal. */
export const LEASE_MS = 30_000;
/** How often a replica says that it is there, and gives back what it did not use meanwhile. */
export const RENEW_MS = 10_000;
/** Clocks of replicas may differ by so much. */
const SKEW_MS = 5_000;
/** A limit that was found used up is not asked for again so soon. */
export const REFUSAL_MS = 250;

/** A call whose price nobody knows needs a budget that has something left: more than dust. */
const SOMETHING = 10 * NOTHING;

interface Entry {
  quota: Quota;
  available: number;
  /** What was left for all when a part was last set aside here. */
  elsewhere: number;
  reserved: number;
  validUntilMs: number;
  isUsed: boolean;
  /** The answer that is on its way. */
  asking: Promise<void> | undefined;
  refused: { readonly amount: number; readonly used: number; readonly untilMs: number } | undefined;
}

/** Counts for one of several replicas: sets aside a part of each limit in the database, and gives calls out of that. */
export class SharedCounting implements Counting {
  readonly #reservations: BudgetReservations;
  readonly #activity: Activity;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #entries = new Map<string, Entry>();
  /** What was spent, as it was last read, and what this replica spent since. */
  readonly #totals = new Map<string, { readonly quota: Quota; spent: number; readMs: number }>();

  constructor(reservations: BudgetReservations, activity: Activity, clock: Clock, log: Log) {
    this.#reservations = reservations;
    this.#activity = activity;
    this.#clock = clock;
    this.#log = log;
  }

  take(quota: Quota, amount: number): Taken | Promise<Taken> {
    const entry = this.#entry(quota);
    return this.#takeHere(entry, amount) ?? this.#takeThere(entry, amount);
  }

  async used(quota: Quota): Promise<number> {
    return this.#reservations.spent({ ...quota, owner: quota.level });
  }

  known(quota: Quota): number | undefined {
    const nowMs = this.#clock.nowMs();
    const total = this.#totals.get(quota.counter);
    if (!total || total.readMs + RENEW_MS <= nowMs) this.#readTotal(quota, nowMs);
    return total?.spent;
  }

  remaining(quota: Quota): number | undefined {
    const entry = this.#entries.get(quota.counter);
    return entry && entry.available + entry.elsewhere;
  }

  paid(scope: string, atMs: number, spend: number): void {
    for (const it of this.#totals.values()) {
      const { scope: its, startMs, endMs } = it.quota;
      if (its === scope && atMs >= startMs && atMs < endMs) it.spent += spend;
    }
  }

  /** In the background: what it is for can wait, and a database that is away is reported elsewhere. */
  #readTotal(quota: Quota, nowMs: number): void {
    const before = this.#totals.get(quota.counter);
    if (before) before.readMs = nowMs;
    this.#activity
      .exclusively(async () => {
        const written = await this.#reservations.spent({ ...quota, owner: quota.level });
        const waiting = this.#activity.queue.waitingFor(quota.scope, quota.startMs, quota.endMs);
        this.#totals.set(quota.counter, { quota, spent: written + waiting, readMs: nowMs });
      })
      .catch((thrown: unknown) => this.#log.debug({ thrown }, 'Spend could not be read.'));
  }

  forget(scope: string): void {
    for (const [counter, it] of this.#totals) if (it.quota.scope === scope) this.#totals.delete(counter);
    for (const it of this.#entries.values()) if (it.quota.scope === scope) it.refused = undefined;
  }

  async close(): Promise<void> {
    this.#entries.clear();
    this.#totals.clear();
    try {
      await this.#activity.flush();
      await this.#reservations.giveBack(this.#activity.writer);
    } catch (thrown) {
      this.#log.warn({ thrown }, 'Limit reservations could not be released. They will expire soon.');
    }
  }

  /** Says that this replica is there, and gives back what nobody used since the last time. */
  async renew(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    for (const [counter, it] of this.#entries) if (it.quota.endMs <= nowMs) this.#entries.delete(counter);
    // Whoever calls again is read again.
    for (const [counter, it] of this.#totals) if (it.readMs + RENEW_MS <= nowMs) this.#totals.delete(counter);
    const held = [...this.#entries.values()].filter((it) => isHeld(it.quota) && !it.asking);
    const idle = held.filter((it) => !it.isUsed && it.reserved < NOTHING);
    const busy = held.filter((it) => !idle.includes(it));
    const names = (entries: readonly Entry[]) => entries.map((it) => it.quota.counter);
    const { writer } = this.#activity;
    // Between batches, because both change several allowances: in different order they would stop each other.
    const answer = this.#activity.exclusively(async () => {
      await this.#reservations.giveBack(writer, names(idle));
      return this.#reservations.renew(writer, names(busy), nowMs, nowMs + LEASE_MS);
    });
    for (const it of busy) it.isUsed = false;
    for (const it of idle) {
      it.available = 0;
      it.asking = answer
        .then(
          () => undefined,
          () => undefined,
        )
        .finally(() => {
          it.asking = undefined;
        });
    }
    const kept = await answer;
    for (const it of busy) {
      if (kept.has(it.quota.counter)) it.validUntilMs = nowMs + LEASE_MS - SKEW_MS;
      else if (this.#entries.get(it.quota.counter) === it) this.#entries.delete(it.quota.counter);
    }
    for (const it of idle) if (!it.isUsed) this.#entries.delete(it.quota.counter);
  }

  #entry(quota: Quota): Entry {
    const known = this.#entries.get(quota.counter);
    const isLost = known && known.available + known.reserved > NOTHING && known.validUntilMs <= this.#clock.nowMs();
    if (known && !isLost) {
      if (known.quota.max !== quota.max) this.#change(known, quota);
      return known;
    }
    // What belongs to a lost lease is settled there, and gives nothing to this one.
    const entry: Entry = {
      quota,
      available: 0,
      elsewhere: 0,
      reserved: 0,
      validUntilMs: 0,
      isUsed: true,
      asking: undefined,
      refused: undefined,
    };
    this.#entries.set(quota.counter, entry);
    return entry;
  }

  /** What was set aside of the old limit, and is in no call's hands, goes back with the next batch. */
  #change(entry: Entry, quota: Quota): void {
    entry.quota = quota;
    entry.refused = undefined;
    if (entry.available <= 0) return;
    this.#activity.queue.use(quota.counter, entry.available);
    entry.available = 0;
    this.#activity.wake();
  }

  #takeHere(entry: Entry, amount: number): Taken | undefined {
    const { quota, refused } = entry;
    const isTokens = quota.kind === 'tokens';
    const fits = isTokens ? entry.available > 0 : entry.available + NOTHING >= amount;
    entry.isUsed = true;
    // A budget that is used up refuses also what costs nothing: that needs something left, here or there.
    const isFree = quota.kind === 'budget' && amount <= NOTHING && entry.available + entry.reserved <= NOTHING;
    if (fits && !isFree) return this.#taken(entry, amount);
    if (refused && refused.untilMs > this.#clock.nowMs() && amount >= refused.amount)
      return { isTaken: false, used: refused.used };
    return undefined;
  }

  #taken(entry: Entry, amount: number): Taken {
    entry.available -= amount;
    entry.reserved += amount;
    return {
      isTaken: true,
      settle: (used) => {
        entry.reserved -= amount;
        if (entry.quota.kind === 'tokens') {
          entry.available -= used;
          return;
        }
        // What it cost beyond what was reserved is taken from what is set aside, as far as that goes.
        const consumed = Math.min(used, amount + Math.max(0, entry.available));
        entry.available += amount - consumed;
        const isCurrent = this.#entries.get(entry.quota.counter) === entry;
        if (consumed > 0 && entry.quota.kind === 'budget' && isCurrent)
          this.#activity.queue.use(entry.quota.counter, consumed);
      },
    };
  }

  async #takeThere(entry: Entry, amount: number): Promise<Taken> {
    for (;;) {
      if (entry.asking) await entry.asking;
      else {
        entry.asking = this.#lease(entry, amount).finally(() => {
          entry.asking = undefined;
        });
        await entry.asking;
      }
      const taken = this.#takeHere(entry, amount);
      if (taken) return taken;
    }
  }

  async #lease(entry: Entry, amount: number): Promise<void> {
    const { quota } = entry;
    const isCount = quota.kind !== 'budget';
    if (quota.kind === 'budget') await this.#reservations.spent({ ...quota, owner: quota.level });
    const nowMs = this.#clock.nowMs();
    const atLeast = Math.max(isCount ? 1 : SOMETHING, (quota.kind === 'tokens' ? 1 : amount) - entry.available);
    const expiresAtMs = isHeld(quota) ? nowMs + LEASE_MS : quota.endMs + LEASE_MS;
    const { granted, remaining } = await this.#reservations.lease({
      counter: quota.counter,
      holder: this.#activity.writer,
      max: quota.max - this.#unwritten(quota),
      atLeast,
      share: LEASE_SHARE,
      isCount,
      nowMs,
      expiresAtMs,
    });
    if (granted > 0) {
      entry.available += granted;
      entry.elsewhere = remaining - granted;
      entry.validUntilMs = expiresAtMs - SKEW_MS;
      entry.refused = undefined;
      return;
    }
    // What this replica still has in hand is set aside, and not used; tokens may be owed.
    const used = quota.max - remaining - entry.available;
    entry.refused = { amount, used, untilMs: nowMs + REFUSAL_MS };
  }

  /** What calls cost beyond everything that was set aside, and no batch has written yet. */
  #unwritten({ kind, scope, startMs, endMs, counter }: Quota): number {
    if (kind !== 'budget') return 0;
    const { queue } = this.#activity;
    return Math.max(0, queue.waitingFor(scope, startMs, endMs) - queue.waitingUse(counter));
  }
}

/** Minutes end by themselves; budgets and places are held until they are given back. */
const isHeld = ({ kind }: Quota): boolean => kind === 'budget' || kind === 'parallel';
