import { setImmediate as nextTick } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { boundYoungHeap } from '../../../../sidecar/platform/youngHeap.ts';

/** Allocates a million objects, of which the last 60,000 live, and says how large each half has become, in MB. */
if (process.argv[2] === 'bound') boundYoungHeap(process);
const living: object[] = [];
for (let count = 0; count < 1_000_000; count += 1) {
  living[count % 60_000] = { count, text: `${count}` };
  if (count % 1_000 === 0) await nextTick();
}
const { space_size = 0 } = getHeapSpaceStatistics().find((it) => it.space_name === 'new_space') ?? {};
process.stdout.write(`${Math.round(space_size / 2 / 1024 / 1024)}`);
