import { setImmediate as nextTick } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { ownMemory } from '../../../../sidecar/platform/memory/idleMemory.ts';
import { boundYoungHeap } from '../../../../sidecar/platform/youngHeap.ts';

const [, , bound] = process.argv;
if (bound === 'at once') boundYoungHeap(process);
await allocate();
if (bound === 'late') {
  boundYoungHeap(process);
  ownMemory().collect();
  await allocate();
}

/** A million objects, of which the last 60,000 live. */
async function allocate(): Promise<void> {
  const living: object[] = [];
  for (let count = 0; count < 1_000_000; count += 1) {
    living[count % 60_000] = { count, text: `${count}` };
    if (count % 1_000 === 0) await nextTick();
  }
}

/** How large each half has become, in MB. */
const { space_size = 0 } = getHeapSpaceStatistics().find((it) => it.space_name === 'new_space') ?? {};
process.stdout.write(`${Math.round(space_size / 2 / 1024 / 1024)}`);
