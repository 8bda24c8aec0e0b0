import type { Spent } from '../../../protocol/channels/session/budgets.ts';
import type { Store } from '../../state/store.ts';
import type { HostStorage } from '../../storage/hostStorage.ts';
import { type Account, keyOf } from './accounts.ts';

export interface LedgerDeps {
  readonly store: Pick<Store, 'writeRows'>;
  readonly storage: Pick<HostStorage, 'spending'>;
}

/**
 * The cost of calls to models, by account. The most that a call can cost is set aside before it starts, so that concurrent calls
 * cannot exceed a budget together. Reading and writing an account takes the same time however many calls it has.
 */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #spent = new Map<string, Spent>();
  readonly #reserved = new Map<string, Spent>();
  #day = '';

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
  }

  /** The sum of calls that have ended. */
  spent(account: Account): Spent {
    const known = this.#spent.get(keyOf(account)) ?? this.#deps.storage.spending.get(account.name, account.day);
    return known ?? nothing;
  }

  /** Set aside for running calls. */
  reserved(account: Account): Spent {
    return this.#reserved.get(keyOf(account)) ?? nothing;
  }

  /** @returns a function that ends the call with its cost; `undefined`: the call was not made. Later calls have no effect. */
  reserve(accounts: readonly Account[], dollars: number): (dollars: number | undefined) => void {
    const aside: Spent = { calls: 1, dollars };
    for (const it of accounts) this.#reserved.set(keyOf(it), sum(this.reserved(it), aside));
    let isOver = false;
    return (cost) => {
      if (isOver) return;
      isOver = true;
      for (const it of accounts) {
        const left = sum(this.reserved(it), { calls: -1, dollars: -dollars });
        if (left.calls > 0) this.#reserved.set(keyOf(it), left);
        else this.#reserved.delete(keyOf(it)); // also discards rounding errors
        if (cost !== undefined) this.#write(it, sum(this.spent(it), { calls: 1, dollars: cost }));
      }
    };
  }

  /** Removes an account that is no longer needed. */
  forget(name: string): void {
    this.#spent.delete(keyOf({ name, day: '' }));
    this.#deps.store.writeRows(() => this.#deps.storage.spending.remove(name));
  }

  #write(account: Account, spent: Spent): void {
    const { store, storage } = this.#deps;
    this.#spent.set(keyOf(account), spent);
    store.writeRows(() => storage.spending.put(account.name, account.day, spent));
    if (account.day > this.#day) this.#begin(account.day);
  }

  /** A call from an earlier day that ends later writes its day again. The next change of day removes that row. */
  #begin(day: string): void {
    this.#day = day;
    for (const key of this.#spent.keys()) {
      const of = key.slice(0, key.indexOf(' '));
      if (of !== '' && of < day) this.#spent.delete(key);
    }
    this.#deps.store.writeRows(() => this.#deps.storage.spending.removeBefore(day));
  }
}

const nothing: Spent = { calls: 0, dollars: 0 };
const sum = (one: Spent, other: Spent): Spent => ({
  calls: one.calls + other.calls,
  dollars: Math.max(0, one.dollars + other.dollars),
});

/** The day in the time zone of this machine, which is the person's. */
export function dayOf(nowMs: number, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return format.format(nowMs);
}
