import type { Kysely, Transaction } from 'kysely';
import { Fault } from '../../platform/faults.ts';
import type { Sealer } from '../../platform/seal.ts';
import type { Tables } from './database/tables.ts';
import { asking } from './storeFault.ts';

/** Texts that are sealed at rest, by kind, id and name; they open only for the place they were written to. */
export class Secrets {
  readonly #db: Kysely<Tables>;
  readonly #sealer: Sealer;

  constructor(db: Kysely<Tables>, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  /** The same secrets, inside the transaction of a write. */
  within(transaction: Transaction<Tables>): Secrets {
    return new Secrets(transaction, this.#sealer);
  }

  async get(kind: string, id: string, name: string): Promise<string | undefined> {
    const row = await asking(() =>
      this.#db
        .selectFrom('secrets')
        .select('sealed')
        .where('kind', '=', kind)
        .where('id', '=', id)
        .where('name', '=', name)
        .executeTakeFirst(),
    );
    if (!row) return undefined;
    const clear = this.#sealer.open(row.sealed, placeOf(kind, id, name));
    if (typeof clear === 'string') return clear;
    // Changed, of another row, or of another sealing secret.
    throw new Fault('internal', "A stored secret cannot be read with this gateway's sealing secret.");
  }

  async put(kind: string, id: string, name: string, clear: string): Promise<void> {
    const sealed = this.#sealer.seal(clear, placeOf(kind, id, name));
    await asking(() =>
      this.#db
        .insertInto('secrets')
        .values({ kind, id, name, sealed })
        .onConflict((it) => it.columns(['kind', 'id', 'name']).doUpdateSet({ sealed }))
        .execute(),
    );
  }

  /** @param name absent: all of this id */
  async remove(kind: string, id: string, name?: string): Promise<void> {
    let query = this.#db.deleteFrom('secrets').where('kind', '=', kind).where('id', '=', id);
    if (name !== undefined) query = query.where('name', '=', name);
    await asking(() => query.execute());
  }

  /** Which names an id has. @param id absent: of all ids */
  async names(kind: string, id?: string): Promise<readonly { readonly id: string; readonly name: string }[]> {
    let query = this.#db.selectFrom('secrets').select(['id', 'name']).where('kind', '=', kind);
    if (id !== undefined) query = query.where('id', '=', id);
    return asking(() => query.orderBy('id').orderBy('name').execute());
  }
}

/** What a secret is sealed for. */
export const placeOf = (...parts: readonly string[]) => parts.map((it) => encodeURIComponent(it)).join('/');
