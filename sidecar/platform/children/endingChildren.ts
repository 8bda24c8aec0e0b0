import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../faults.ts';
import type { Children } from './children.ts';

/** How long a start may hold up the end. */
const STARTING_MS = 5_000;

/**
 * The children of something that stops for good. After {@link Children.stopAll} none starts. One that is just starting is awaited and
 * stopped too: it is in no list yet, so it would outlive its owner.
 */
export function endingChildren(children: Children): Children {
  let isStopped = false;
  const starting = new Set<Promise<unknown>>();
  const start = async <T>(open: () => Promise<T>): Promise<T> => {
    if (isStopped)
      throw new Fault('unavailable', 'No program is started, because the process that would start it is stopping.');
    const opened = open();
    starting.add(opened);
    try {
      return await opened;
    } finally {
      starting.delete(opened);
    }
  };
  return {
    ...children,
    spawn: (request) => start(() => children.spawn(request)),
    openPty: (request) => start(() => children.openPty(request)),
    async stopAll() {
      isStopped = true;
      await children.stopAll();
      if (starting.size === 0) return;
      await Promise.race([Promise.allSettled(starting), wait(STARTING_MS, undefined, { ref: false })]);
      await children.stopAll();
    },
  };
}
