import { Fault } from '../../platform/faults.ts';

/** What a caller is told when the database does not answer; nothing is ever allowed because of it (completion 1.17.5). */
export const storeUnavailable = (cause: unknown): Fault =>
  new Fault('unavailable', 'The database of the gateway does not answer. Try again in a moment.', {
    data: { reason: 'no_db_connection' },
    cause,
  });

/** Runs a query; what the database throws becomes one kind of fault. Faults pass. */
export async function asking<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown : storeUnavailable(thrown);
  }
}
