import type { Runtime } from '../../platform/runtime.ts';
import type { ListenOptions } from '../http/listen.ts';
import { openWaitingRoom } from '../http/waitingRoom.ts';
import type { DatabaseAddress } from '../storage/database/database.ts';
import { reachPostgres } from '../storage/database/reachPostgres.ts';

const AGAIN_MS = 1_000;

/**
 * Comes back when the database answers. Until then every request gets 503 `no_db_connection` where the gateway will listen: a
 * team's gateway and its database may start in any order.
 *
 * @throws {Fault} `invalid_params` for an address that will never do, and as the listener
 */
export async function awaitDatabase(
  address: DatabaseAddress,
  listen: ListenOptions,
  version: string,
  { timers, log }: Pick<Runtime, 'timers' | 'log'>,
): Promise<void> {
  if (address.kind === 'sqlite') return;
  const first = await reachPostgres(address.url);
  if (first.isThere) return;
  log.warn({ thrown: first.thrown }, 'The database is not responding yet. The gateway retries every second.');
  const room = await openWaitingRoom(listen, version, timers);
  try {
    do await timers.wait(AGAIN_MS);
    while (!(await reachPostgres(address.url)).isThere);
  } finally {
    await room.close(0);
  }
  log.info({}, 'The database is available.');
}
