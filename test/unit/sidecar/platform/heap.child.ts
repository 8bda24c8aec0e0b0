import { cachedDataVersionTag } from 'node:v8';
import { keepCompiledCode, keepHeapTight, skipMaglev } from '../../../../sidecar/platform/heap.ts';

/** Says which of these functions change a flag of V8, which ignores those that it does not know. */
const effective = [keepHeapTight, skipMaglev, keepCompiledCode].filter((set) => {
  const before = cachedDataVersionTag();
  set();
  return cachedDataVersionTag() !== before;
});
process.stdout.write(effective.map((it) => it.name).join(' '));
