import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { IdleMemory } from '../../../../../sidecar/platform/memory/idleMemory.ts';

/** Of a process that lives on 100 MB. */
function openMemory() {
  const state = { residentMb: 100, share: 0, collected: 0 };
  const memory = new IdleMemory({
    workedShare: () => state.share,
    residentBytes: () => state.residentMb * 1e6,
    collect() {
      state.collected += 1;
      state.residentMb = Math.min(state.residentMb, 105);
    },
  });
  const look = (residentMb: number, share = 0) => {
    Object.assign(state, { residentMb, share });
    memory.look();
    return state.collected;
  };
  return { look };
}

describe('the memory of a gateway after a load', () => {
  it('is given back once when the process is idle, and not while it works', () => {
    const { look } = openMemory();
    assert.equal(look(300, 0.5), 0);
    assert.equal(look(300, 0.02), 0, 'a hundred calls a second');
    assert.equal(look(300), 0, 'a short break');
    assert.equal(look(300), 1);
    assert.equal(look(105), 1);
    assert.equal(look(300, 0.5), 1);
    assert.equal(look(300), 1);
    assert.equal(look(300), 2, 'after the next load');
  });

  it('stays while each break between calls is short, because the code for calls would be compiled again', () => {
    const { look } = openMemory();
    for (let breaks = 0; breaks < 10; breaks += 1) {
      assert.equal(look(300, 0.5), 0);
      assert.equal(look(300), 0);
    }
  });

  it('is given back after the start, and then left alone where little was added, also beside what other threads keep', () => {
    const { look } = openMemory();
    assert.equal(look(115), 0);
    assert.equal(look(115), 1, 'what only the start needed');
    assert.equal(look(118), 1);
    assert.equal(look(80), 1);
    assert.equal(look(97), 2, 'more than the least that it was');
  });

  it('is smaller in a real process, whose garbage nobody else collects', () => {
    const file = join(import.meta.dirname, 'idleMemory.child.ts');
    const { before, after } = JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' })) as Figures;
    assert.ok(after < before - 20, `${before} MB before, ${after} MB after`);
  });
});

interface Figures {
  readonly before: number;
  readonly after: number;
}
