import { type Kysely, sql } from 'kysely';
import * as z from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/seal.ts';
import { CHANNEL } from './database/follow.ts';
import type { Tables } from './database/tables.ts';
import { asking } from './storeFault.ts';

/** How long a replica counts as serving after it last announced that. */
const SERVING_MS = 5_000;
/** After this time, the recipient has stopped, or the sender no longer waits. */
const KEPT_MS = 5 * 60_000;
const PREFIX = 'replica ';

/** A question of one replica to another, or the answer to one. */
const ReplicaMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ask'), id: z.string(), from: z.string(), body: z.unknown() }),
  z.object({ kind: z.literal('answer'), id: z.string(), body: z.unknown() }),
]);
export type ReplicaMessage = z.infer<typeof ReplicaMessage>;

/**
 * Messages from one replica to another. The sender writes a row and sends a notification, and the recipient deletes the row.
 * Messages are sealed because they may contain clients' answers.
 */
export class ReplicaMessages {
  /** The ID of this replica. */
  readonly id: string;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #sealer: Sealer;

  constructor(db: Kysely<Tables>, clock: Clock, sealer: Sealer, id: string) {
    this.#db = db;
    this.#clock = clock;
    this.#sealer = sealer;
    this.id = id;
  }

  /** Announces that this replica serves, for {@link SERVING_MS}. @throws {Fault} `unavailable` */
  async serve(): Promise<void> {
    const holder = this.id;
    const expires_at_ms = this.#clock.nowMs() + SERVING_MS;
    await asking(() =>
      this.#db
        .insertInto('leases')
        .values({ name: `${PREFIX}${this.id}`, holder, expires_at_ms })
        .onConflict((it) => it.column('name').doUpdateSet({ holder, expires_at_ms }))
        .execute(),
    );
  }

  /** Announces that this replica no longer serves. @throws {Fault} `unavailable` */
  async leave(): Promise<void> {
    await asking(() => this.#db.deleteFrom('leases').where('name', '=', `${PREFIX}${this.id}`).execute());
  }

  /** The other replicas that serve. @throws {Fault} `unavailable` */
  async others(): Promise<readonly string[]> {
    const rows = await asking(() =>
      this.#db
        .selectFrom('leases')
        .select('holder')
        .where('name', 'like', `${PREFIX}%`)
        .where('holder', '!=', this.id)
        .where('expires_at_ms', '>=', this.#clock.nowMs())
        .execute(),
    );
    return rows.map((it) => it.holder);
  }

  /** Whether a replica serves. After it was killed, it counts as serving for {@link SERVING_MS}. @throws {Fault} `unavailable` */
  async serves(replica: string): Promise<boolean> {
    const found = await asking(() =>
      this.#db
        .selectFrom('leases')
        .select('holder')
        .where('name', '=', `${PREFIX}${replica}`)
        .where('expires_at_ms', '>=', this.#clock.nowMs())
        .executeTakeFirst(),
    );
    return found !== undefined;
  }

  /** @returns false if that replica does not serve, and nothing was sent @throws {Fault} `unavailable` */
  async send(to: string, message: ReplicaMessage): Promise<boolean> {
    const sealed = this.#sealer.seal(message, subjectOf(to));
    const now = this.#clock.nowMs();
    const { rows } = await asking(() =>
      sql`with sent as (
            insert into replica_messages (replica, sealed, at_ms)
            select holder, ${sealed}, ${now} from leases where name = ${`${PREFIX}${to}`} and expires_at_ms >= ${now}
            returning replica
          )
          select pg_notify(${CHANNEL}, replica) from sent`.execute(this.#db),
    );
    return rows.length > 0;
  }

  /**
   * Takes the messages for this replica, in the order in which they were written. Leaves out messages of later versions that it
   * cannot read: their sender gets no answer in time.
   *
   * @throws {Fault} `unavailable`
   */
  async take(): Promise<readonly ReplicaMessage[]> {
    const rows = await asking(() =>
      this.#db.deleteFrom('replica_messages').where('replica', '=', this.id).returning(['seq', 'sealed']).execute(),
    );
    return rows
      .toSorted((a, b) => a.seq - b.seq)
      .map(({ sealed }) => ReplicaMessage.safeParse(this.#sealer.open(sealed, subjectOf(this.id))))
      .flatMap((it) => (it.success ? [it.data] : []));
  }

  /** Deletes messages that nobody took, and replicas that stopped without announcing it. */
  async tidy(): Promise<void> {
    const now = this.#clock.nowMs();
    await this.#db
      .deleteFrom('replica_messages')
      .where('at_ms', '<', now - KEPT_MS)
      .execute();
    await this.#db
      .deleteFrom('leases')
      .where('name', 'like', `${PREFIX}%`)
      .where('expires_at_ms', '<', now - KEPT_MS)
      .execute();
  }
}

const subjectOf = (to: string) => `replica-message\u0000${to}`;
