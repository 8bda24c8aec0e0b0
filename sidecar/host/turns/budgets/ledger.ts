import type { Spent } from '../../../protocol/channels/session/budgets.ts';
import type { Store } from '../../state/store.ts';
import type { HostStorage } from '../../storage/hostStorage.ts';

/** Whose calls are added up, and of which day. */
export interface Account {
  /** `session <uri>`, `folder <uri>` or `all`. */
  readonly name: string;
  /** `2026-01-31`; empty: of all days. */
  readonly day: string;
}

export interface LedgerDeps {
  readonly store: Pick<Store, 'writeRows'>;
  readonly storage: Pick<HostStorage, 'spending'>;
}

/**
 * What calls to models cost, by account. What a call can cost at most is set aside before it, so that calls at the same time do
 * not pass a budget together. An account costs the same to read and to write however many calls it has.
 */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #spent = new Map<string, Spent>();
  readonly #reserved = new Map<string, Spent>();
  #day = '';

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
  }

  /** Of calls that are over. */
  spent(account: Account): Spent {
    const known = this.#spent.get(keyOf(account)) ?? this.#deps.storage.spending.get(account.name, account.day);
    return known ?? nothing;
  }

  /** Set aside for calls that run. */
  reserved(account: Account): Spent {
    return this.#reserved.get(keyOf(account)) ?? nothing;
  }

  /** @returns ends the call, once, with what it cost; `undefined`: it was not made */
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
        else this.#reserved.delete(keyOf(it)); // and with it the dust of adding prices
        if (cost !== undefined) this.#write(it, sum(this.spent(it), { calls: 1, dollars: cost }));
      }
    };
  }

  /** An account that nobody asks about any more. */
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

  /** A call that began yesterday may still end: its day is written again, and goes with the next one. */
  #begin(day: string): void {
    this.#day = day;
    for (const key of this.#spent.keys()) {
      const of = key.slice(0, key.indexOf(' '));
      if (of !== '' && of < day) this.#spent.delete(key);
    }
    this.#deps.store.writeRows(() => this.#deps.storage.spending.removeBefore(day));
  }
}

export const keyOf = ({ name, day }: Account) => `${day} ${name}`;
const nothing: Spent = { calls: 0, dollars: 0 };
const sum = (one: Spent, other: Spent): Spent => ({
  calls: one.calls + other.calls,
  dollars: Math.max(0, one.dollars + other.dollars),
});

/** The day in the time zone of this machine, where the person is. */
export function dayOf(nowMs: number, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return format.format(nowMs);
}
