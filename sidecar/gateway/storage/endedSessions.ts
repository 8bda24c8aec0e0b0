import type { Kysely } from 'kysely';
import type { Changes } from './changes.ts';
import type { Tables } from './database/tables.ts';
import type { Leases } from './leases.ts';
import { asking } from './storeFault.ts';

/** MCP sessions that ended before their ids ran out: over at every replica, and after a restart. */
export class EndedSessions {
  readonly #db: Kysely<Tables>;
  readonly #leases: Pick<Leases, 'isClaimed'>;
  readonly #changes: Changes;
  /** Other replicas may have a session open that is idle here. */
  readonly hasOthers: boolean;

  constructor(db: Kysely<Tables>, leases: Pick<Leases, 'isClaimed'>, changes: Changes, isShared: boolean) {
    this.#db = db;
    this.#leases = leases;
    this.#changes = changes;
    this.hasOthers = isShared;
  }

  /** @param untilMs when its id is worth nothing by itself @throws {Fault} `unavailable`: then it goes on */
  async add(id: string, untilMs: number): Promise<void> {
    await asking(() =>
      this.#db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('claims')
          .values({ id: claimOf(id), expires_at_ms: untilMs })
          .onConflict((it) => it.column('id').doNothing())
          .execute();
        await this.#changes.mark(transaction, 'ended_session', id);
      }),
    );
  }

  /** @throws {Fault} `unavailable` */
  has(id: string): Promise<boolean> {
    return this.#leases.isClaimed(claimOf(id));
  }

  /** Hears of those that other replicas ended. */
  listen(ended: (id: string) => void): void {
    this.#changes.listenEnded(ended);
  }
}

const claimOf = (id: string) => `mcp session ${id}`;
