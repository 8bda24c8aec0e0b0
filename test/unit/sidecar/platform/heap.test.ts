import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'mocha';

describe('the heap of a server', () => {
  it('is set by flags that V8 knows', () => {
    const child = join(import.meta.dirname, 'heap.child.ts');
    const effective = execFileSync(process.execPath, [child], { encoding: 'utf8' });
    assert.equal(effective, 'keepHeapTight skipMaglev keepCompiledCode');
  });
});
