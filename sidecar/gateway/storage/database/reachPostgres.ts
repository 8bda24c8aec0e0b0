import { Fault } from '../../../platform/faults.ts';

/** Classes of SQLSTATE that waiting does not change: who we are is refused, or there is no such database. */
const FINAL = /^(?:28|3D)/;
const CONNECT_MS = 5_000;

/**
 * Whether PostgreSQL answers at an address. @returns what came of it where it does not
 * @throws {Fault} `invalid_params` where it does and refuses the user, the password or the name of the database
 */
export async function reachPostgres(url: string): Promise<{ readonly isThere: boolean; readonly thrown?: unknown }> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined); // the call that it breaks reports the error
  try {
    await client.connect();
    await client.query('select 1');
    return { isThere: true };
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
    if (!FINAL.test(code)) return { isThere: false, thrown };
    const data = { field: '--database-file' };
    throw new Fault('invalid_params', 'PostgreSQL rejected the user, password, or database in --database-file.', {
      data,
      cause: thrown,
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}
