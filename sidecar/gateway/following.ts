import type { Log } from '../platform/logger.ts';
import type { GatewayStore } from './storage/store.ts';

/** How soon a replica learns of what another one wrote, where the database does not say so at once. */
export const POLL_MS = 1_000;

/** Learns of what other replicas wrote: at once when the database says so, and by looking. @returns ends it */
export async function followChanges({ changes, database }: GatewayStore, log: Log): Promise<() => Promise<void>> {
  let isFailing = false;
  const look = () =>
    changes.poll().then(
      () => {
        if (isFailing) log.info({}, 'Changes of other replicas can be read again.');
        isFailing = false;
      },
      (thrown: unknown) => {
        if (!isFailing) log.warn({ thrown }, 'Changes of other replicas cannot be read. They are looked for again.');
        isFailing = true;
      },
    );
  const follower = await database.follow(() => void look());
  const poll = setInterval(() => void look(), POLL_MS);
  poll.unref();
  return async () => {
    clearInterval(poll);
    await follower?.close();
  };
}
