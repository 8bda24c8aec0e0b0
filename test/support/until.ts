import { setTimeout as wait } from 'node:timers/promises';

/** Looks until it holds; for what another process does, which cannot be awaited. @throws after the limit, which is below that of a test */
export async function until(says: string, holds: () => boolean | Promise<boolean>, limitMs = 25_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`still not so after ${limitMs} ms: ${says}`);
    await wait(10);
  }
}
