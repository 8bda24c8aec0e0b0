import { RaisedBudgets } from '../../../protocol/channels/session/budgets.ts';
import type { Store } from '../../state/store.ts';
import type { HostStorage } from '../../storage/hostStorage.ts';
import { type Account, keyOf } from './accounts.ts';

/** Where the raises of budgets are stored, and those of limits on numbers. */
type Key = 'budget.raised' | 'limit.raised';

export interface RaisesDeps {
  readonly store: Pick<Store, 'writeRows'>;
  readonly storage: Pick<HostStorage, 'small'>;
}

/**
 * The values to which a person raised budgets or limits on numbers from the settings. A raise lasts until the setting changes. For a
 * daily budget, it also ends with the day.
 */
export class Raises {
  readonly #deps: RaisesDeps;
  readonly #key: Key;
  #known: RaisedBudgets | undefined;

  constructor(deps: RaisesDeps, key: Key) {
    this.#deps = deps;
    this.#key = key;
  }

  limitOf(account: Account, setting: number): number {
    const raised = this.#all[keyOf(account)];
    return raised?.from === setting ? raised.to : setting;
  }

  /** @param setting the limit in the settings, regardless of earlier raises */
  raise(account: Account, setting: number, to: number): void {
    const others = Object.entries(this.#all).filter(([key]) => {
      const day = key.slice(0, key.indexOf(' '));
      return day === '' || account.day === '' || day >= account.day;
    });
    this.#write({ ...Object.fromEntries(others), [keyOf(account)]: { from: setting, to } });
  }

  /** Removes an account that is no longer needed. */
  forget(account: Account): void {
    const { [keyOf(account)]: known, ...others } = this.#all;
    if (known) this.#write(others);
  }

  #write(all: RaisedBudgets): void {
    this.#known = all;
    const { store, storage } = this.#deps;
    store.writeRows(() => storage.small.putText(this.#key, JSON.stringify(all)));
  }

  get #all(): RaisedBudgets {
    return (this.#known ??= RaisedBudgets.parse(JSON.parse(this.#deps.storage.small.text(this.#key) ?? '{}')));
  }
}
