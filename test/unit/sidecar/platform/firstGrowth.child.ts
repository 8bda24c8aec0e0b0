import { cachedDataVersionTag } from 'node:v8';
import { boundYoungHeap, withFirstGrowth } from '../../../../sidecar/platform/youngHeap.ts';

/** What V8 compares with the flags that the kept code had. */
const tags = [cachedDataVersionTag()];
boundYoungHeap(process);
tags.push(cachedDataVersionTag());
withFirstGrowth(process, () => tags.push(cachedDataVersionTag()));
tags.push(cachedDataVersionTag());
process.stdout.write(tags.join(' '));
