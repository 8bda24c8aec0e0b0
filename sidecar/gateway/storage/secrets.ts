import type { Kysely } from 'kysely';
import type { SecretSealer } from './seal.ts';
import { asking } from './storeFault.ts';
import type { Tables } from './tables.ts';

/** Texts that are sealed at rest, by kind, id and name; they open only for the place they were written to. */
export class Secrets {
  readonly #db: Kysely<Tables>;
  readonly #sealer: SecretSealer;

  constructor(db: Kysely<Tables>, sealer: SecretSealer) {
    this.#db = db;
    this.#sealer = sealer;
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
    return row && this.#sealer.open(placeOf(kind, id, name), row.sealed);
  }

  async put(kind: string, id: string, name: string, clear: string): Promise<void> {
    const sealed = this.#sealer.seal(placeOf(kind, id, name), clear);
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

const placeOf = (...parts: readonly string[]) => parts.map((it) => encodeURIComponent(it)).join('/');
