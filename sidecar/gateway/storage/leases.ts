import type { Kysely } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Tables } from './database/tables.ts';
import { asking } from './storeFault.ts';

/** Where replicas agree on who does something: once for ever, or one at a time. */
export class Leases {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #holder: string;
  #works = 0;

  /** @param holder names this process, or one piece of its work; unlike that of every other */
  constructor(db: Kysely<Tables>, clock: Clock, holder: string) {
    this.#db = db;
    this.#clock = clock;
    this.#holder = holder;
  }

  /** For one piece of work: what others of the same process took is not its own. */
  forWork(): Pick<Leases, 'take' | 'release'> {
    this.#works += 1;
    return new Leases(this.#db, this.#clock, `${this.#holder} ${this.#works}`);
  }

  /** True for the first who asks, false for everybody after. Forgotten after `expiresAtMs`. */
  async claim(id: string, expiresAtMs: number): Promise<boolean> {
    const now = this.#clock.nowMs();
    return asking(async () => {
      await this.#db.deleteFrom('claims').where('expires_at_ms', '<', now).execute();
      const row = await this.#db
        .insertInto('claims')
        .values({ id, expires_at_ms: expiresAtMs })
        .onConflict((it) => it.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    });
  }

  /** Whether somebody claimed it, and it is not forgotten yet. */
  async isClaimed(id: string): Promise<boolean> {
    const now = this.#clock.nowMs();
    const row = await asking(() =>
      this.#db
        .selectFrom('claims')
        .select('id')
        .where('id', '=', id)
        .where('expires_at_ms', '>=', now)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  /** Takes or keeps a lease; it ends by itself after `forMs`. @returns whether it is ours */
  async take(name: string, forMs: number): Promise<boolean> {
    const now = this.#clock.nowMs();
    const holder = this.#holder;
    const row = await asking(() =>
      this.#db
        .insertInto('leases')
        .values({ name, holder, expires_at_ms: now + forMs })
        .onConflict((it) =>
          it
            .column('name')
            .doUpdateSet({ holder, expires_at_ms: now + forMs })
            .where((row) => row.or([row('leases.holder', '=', holder), row('leases.expires_at_ms', '<', now)])),
        )
        .returning('name')
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  async release(name: string): Promise<void> {
    await asking(() =>
      this.#db.deleteFrom('leases').where('name', '=', name).where('holder', '=', this.#holder).execute(),
    );
  }
}
