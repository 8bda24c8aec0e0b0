import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../faults.ts';
import type { Children } from './children.ts';

/** How long the end waits for programs that are starting. */
const STARTING_MS = 5_000;

/**
 * The children of a host or gateway. After {@link Children.stopAll}, no child starts. A child that is starting is in no list yet and would
 * outlive its owner, so it is awaited and stopped too.
 */
export function endingChildren(children: Children): Children {
  let isStopped = false;
  const starting = new Set<Promise<unknown>>();
  const start = async <T>(open: () => Promise<T>): Promise<T> => {
    if (isStopped)
      throw new Fault('unavailable', 'The program was not started because its host or gateway is stopping.');
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
