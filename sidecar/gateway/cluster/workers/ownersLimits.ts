import { BoundedMap } from '../../../platform/boundedMap.ts';
import type { LimitLevel } from '../../activity/limits/levels.ts';
import type { LimitedCall, Limits, Permit } from '../../activity/limits/limits.ts';
import type { Channel } from './channel.ts';
import type { OwnerSide, WorkerSide } from './contract.ts';
import { Numbers } from './numbered.ts';

/** Keys whose spending is remembered, for the headers of their responses. */
const KEPT = 10_000;
const anyServer: readonly string[] = [];

/** The limits of the owner, as a worker asks them: budgets are as exact as with one process, because one process counts. */
export class OwnersLimits implements Limits {
  readonly #owner: Channel<OwnerSide, WorkerSide>;
  readonly #levels = new Numbers<readonly LimitLevel[]>();
  readonly #servers = new Numbers<readonly string[]>();
  /** US dollars, by key. */
  readonly #spent = new BoundedMap<string, number>(KEPT);

  constructor(owner: Channel<OwnerSide, WorkerSide>) {
    this.#owner = owner;
  }

  async admit(levels: readonly LimitLevel[], { cost, servers = anyServer }: LimitedCall): Promise<Permit> {
    const owner = this.#owner;
    const asked = { cost, servers: this.#servers.of(servers) };
    const { permit, rates, spent } = await owner.ask('admit', this.#levels.of(levels), asked);
    const key = levels.find((it) => it.type === 'key');
    if (key && spent !== undefined) this.#spent.set(key.id, spent);
    return {
      settle: (spend, tokens = 0) => {
        if (key && spend > 0) this.#spent.set(key.id, (this.#spent.get(key.id) ?? 0) + spend);
        owner.tell('settle', permit, spend, tokens);
      },
      release: () => owner.tell('release', permit),
      rates: () => rates,
    };
  }

  spent(level: LimitLevel): Promise<number> {
    return this.#owner.ask('spent', level);
  }

  spentSoFar({ type, id }: LimitLevel): number | undefined {
    return type === 'key' ? this.#spent.get(id) : undefined;
  }

  reset(): never {
    throw new Error('Only the owner resets spending.');
  }

  async close(): Promise<void> {
    return; // the owner gives back what was set aside
  }
}
