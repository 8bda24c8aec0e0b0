import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults.ts';
import type { Log } from '../../platform/logger.ts';
import { Id } from '../../protocol/gateway/stamps.ts';
import type { GatewayStore } from '../storage/store.ts';

/** Waiting for the database at a time; who is not among them is provisioned with the next call. */
const WAITING = 1_000;

export interface EndUserProvisioningDeps {
  readonly store: Pick<GatewayStore, 'end_user'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes a record for each end user whom nobody registered, at their first spending and beside the calls. */
export class EndUserProvisioning {
  readonly #deps: EndUserProvisioningDeps;
  readonly #waiting = new Set<string>();
  #writing: Promise<void> | undefined;

  constructor(deps: EndUserProvisioningDeps) {
    this.#deps = deps;
  }

  /** @param id as the caller wrote it: one that no record can have gets none */
  provision(id: string): void {
    if (this.#waiting.size >= WAITING || !isStorable(id)) return;
    this.#waiting.add(id);
    this.#writing ??= this.#write();
  }

  /** Once those who wait have their records. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { store, clock, log } = this.#deps;
    const stamps = { created_by: 'gateway', updated_by: 'gateway' };
    try {
      for (const user_id of this.#waiting) {
        const now = clock.now();
        await store.end_user.insert({ user_id, ...stamps, created_at: now, updated_at: now }).catch(unlessThere);
        this.#waiting.delete(user_id);
      }
    } catch (thrown) {
      this.#waiting.clear();
      log.warn({ thrown }, 'New end users could not be saved. The gateway will try again on their next calls.');
    } finally {
      this.#writing = undefined;
    }
  }
}

/** PostgreSQL takes neither NUL nor half a surrogate pair. */
const isStorable = (id: string) => Id.safeParse(id).success && !/[\0\p{Surrogate}]/u.test(id);

/** Another replica, or a person, was faster. */
function unlessThere(thrown: unknown): void {
  if (!(thrown instanceof Fault) || thrown.code !== 'already_exists') throw thrown;
}
