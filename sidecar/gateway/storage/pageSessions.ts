import type { Kysely } from 'kysely';
import type { Sealer } from '../../platform/seal.ts';
import type { Tables } from './database/tables.ts';
import { asking } from './storeFault.ts';

/** A browser in which a person signed in with an identity provider. */
export interface PageSessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly issuer: string;
  readonly subject: string;
  /** The session at the provider (`sid`); null where it names none. */
  readonly provider_session: string | null;
  /** When it ends, whatever the provider says. */
  readonly until_ms: number;
  /** When the provider was last asked, and when it last said that the session is valid. */
  readonly checked_ms: number;
  readonly confirmed_ms: number;
  /** JSON: what the person's groups gave at the last confirmation. */
  readonly rights: string;
  /** Tokens of the provider, sealed for this session. */
  readonly sealed: string;
}

export interface PageSession extends Omit<PageSessionRow, 'sealed'> {
  readonly tokens: unknown;
}

/** Whom a provider signs out: a session of it, or everything of a person. */
export interface SignedOut {
  readonly issuer: string;
  readonly subject?: string | undefined;
  readonly provider_session?: string | undefined;
}

/** Read for each request of a page, so that what one replica ended is over at every other one at once. */
export class PageSessions {
  readonly #db: Kysely<Tables>;
  readonly #sealer: Sealer;

  constructor(db: Kysely<Tables>, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  async add({ tokens, ...row }: PageSession): Promise<void> {
    const sealed = this.#sealer.seal(tokens, row.id);
    await asking(() =>
      this.#db
        .insertInto('page_sessions')
        .values({ ...row, sealed })
        .execute(),
    );
  }

  /** `undefined` also where its tokens were sealed with another secret. @throws {Fault} `unavailable` */
  async get(id: string): Promise<PageSession | undefined> {
    const row = await asking(() =>
      this.#db.selectFrom('page_sessions').selectAll().where('id', '=', id).executeTakeFirst(),
    );
    if (!row) return undefined;
    const { sealed, until_ms, checked_ms, confirmed_ms, ...rest } = row;
    const tokens = this.#sealer.open(sealed, id);
    // PostgreSQL returns numbers of 64 bits as text.
    const times = {
      until_ms: Number(until_ms),
      checked_ms: Number(checked_ms),
      confirmed_ms: Number(confirmed_ms),
    };
    return tokens === undefined ? undefined : { ...rest, ...times, tokens };
  }

  /** Of all who want to ask the provider at the same time, one does. @returns whether it is this one */
  async takeCheck(id: string, lastMs: number, nowMs: number): Promise<boolean> {
    const row = await asking(() =>
      this.#db
        .updateTable('page_sessions')
        .set({ checked_ms: nowMs })
        .where('id', '=', id)
        .where('checked_ms', '=', lastMs)
        .returning('id')
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  /** The provider said that it is valid. Does nothing for one that ended meanwhile. */
  async confirm(id: string, nowMs: number, rights: string, tokens: unknown): Promise<void> {
    const sealed = this.#sealer.seal(tokens, id);
    await asking(() =>
      this.#db.updateTable('page_sessions').set({ confirmed_ms: nowMs, rights, sealed }).where('id', '=', id).execute(),
    );
  }

  async remove(id: string): Promise<void> {
    await asking(() => this.#db.deleteFrom('page_sessions').where('id', '=', id).execute());
  }

  /** @returns how many ended */
  async removeOf({ issuer, subject, provider_session }: SignedOut): Promise<number> {
    let query = this.#db.deleteFrom('page_sessions').where('issuer', '=', issuer);
    if (subject !== undefined) query = query.where('subject', '=', subject);
    if (provider_session !== undefined) query = query.where('provider_session', '=', provider_session);
    return (await asking(() => query.returning('id').execute())).length;
  }

  /** A user who was deleted: whoever gets the ID later does not go on in their browsers. */
  async removeOfUser(userId: string): Promise<void> {
    await asking(() => this.#db.deleteFrom('page_sessions').where('user_id', '=', userId).execute());
  }

  /** Forgets those that are over. */
  async tidy(nowMs: number): Promise<void> {
    await asking(() => this.#db.deleteFrom('page_sessions').where('until_ms', '<', nowMs).execute());
  }
}
