import { Fault } from '../../platform/faults.ts';

/** The fault for a database that does not answer. Such a failure never allows anything. */
export const storeUnavailable = (cause: unknown): Fault =>
  new Fault('unavailable', 'The gateway database is not responding. Try again in a moment.', {
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
