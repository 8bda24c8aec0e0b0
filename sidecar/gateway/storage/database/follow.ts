import type { Timers } from '../../../platform/timers.ts';

/** The channel on which writers of all replicas notify that there is something to read. */
export const CHANNEL = 'switchboard_changes';
const RETRY_MS = 1_000;

export interface Follower {
  close(): Promise<void>;
}

/**
 * A connection of its own on which PostgreSQL notifies of changes as they are committed. One that breaks is opened again. What
 * was sent meanwhile is lost, so `onNotified` is called with every new connection too, about nothing that it could name; poolers that share connections between
 * transactions pass nothing on, so nobody may count on it.
 */
export async function followPostgres(
  url: string,
  onNotified: (about: string | undefined) => void,
  timers: Pick<Timers, 'after'>,
): Promise<Follower> {
  const { default: pg } = await import('pg');
  let client: InstanceType<typeof pg.Client> | undefined;
  let stopRetry: (() => void) | undefined;
  let isClosed = false;
  let opening: Promise<void> | undefined;

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true });
    let isLost = false;
    const lost = () => {
      if (isLost) return;
      isLost = true;
      if (client === next) client = undefined;
      void next.end().catch(() => undefined); // it is gone already
      if (!isClosed) stopRetry = timers.after(RETRY_MS, open);
    };
    next
      .on('error', lost)
      .on('end', lost)
      .on('notification', ({ payload }) => onNotified(payload));
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      client = next;
      onNotified(undefined);
    } catch {
      lost(); // whoever asks the database for anything else says what is wrong with it
    }
  }

  function open(): void {
    opening = connect();
  }

  open();
  return {
    async close() {
      isClosed = true;
      stopRetry?.();
      await opening;
      await client?.end().catch(() => undefined);
    },
  };
}
