import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../../platform/logger.ts';

/**
 * Cleaners of temporary folders remove sockets that are in use, and a host without one can be neither reached nor
 * replaced, because it still holds the lock. Calls `restore` each time the socket is gone. @returns ends the watch
 */
export function guardSocket(socket: string, log: Log, restore: () => Promise<void>): () => void {
  let watcher: FSWatcher | undefined;
  let isEnded = false;
  const stop = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const look = (): void => {
    if (isEnded || !watcher || existsSync(socket)) return;
    stop();
    log.warn({ socket }, 'the socket was removed and is being re-created');
    restore().then(start, (thrown: unknown) => log.error({ thrown }, 'the socket cannot be re-created'));
  };
  const start = (): void => {
    if (isEnded) return;
    try {
      watcher = watch(dirname(socket), { persistent: false }, look);
      watcher.on('error', look);
    } catch (thrown) {
      // Out of watches: the host works, it is only not guarded.
      log.warn({ thrown }, 'the socket cannot be watched');
    }
  };
  start();
  return () => {
    isEnded = true;
    stop();
  };
}
