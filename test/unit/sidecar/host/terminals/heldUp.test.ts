import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { Terminal } from '../../../../../sidecar/host/terminals/terminal.ts';
import type { PtyChild } from '../../../../../sidecar/platform/children/pty.ts';
import type { TerminalAction } from '../../../../../sidecar/protocol/channels/terminal/schema.ts';
import { type Later, later } from '../../../../support/later.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a terminal while the disk takes nothing', () => {
  let writable: Later<void>;
  let exited: Later<number>;
  let print: (data: string) => void;
  let held: string[];
  let committed: TerminalAction[];
  let due: (() => void)[];
  beforeEach(() => {
    writable = later();
    exited = later();
    [held, committed, due] = [[], [], []];
    const store = {
      whenWritable: () => writable.promise,
      has: () => true,
      state: () => undefined,
      replaceState: () => undefined,
      commit: (_channel: string, action: TerminalAction) => void committed.push(action),
    };
    const after = (_delayMs: number, work: () => void) => {
      due.push(work);
      return () => undefined;
    };
    const deps = { store, timers: { after }, newId: () => 'id' };
    const child: Partial<PtyChild> = {
      exited: exited.promise,
      onData: (listener) => {
        print = listener;
      },
      pause: () => void held.push('paused'),
      resume: () => void held.push('resumed'),
    };
    const parts = { onExit: () => undefined, mostOutput: () => 1_000_000 };
    const terminal = new Terminal(deps as unknown as EffectDeps, 'host-terminal:/t', child as PtyChild, 'nonce', parts);
    assert.ok(terminal);
  });
  const chunks = Array.from({ length: 200 }, (_, at) => `${at} `.padEnd(1_000, 'x'));
  /** Prints all, and lets the time pass in which output is gathered after each. */
  const printAll = () => {
    for (const it of chunks) {
      print(it);
      for (const work of due.splice(0)) work();
    }
  };
  const text = () => committed.map((it) => (it.type === 'terminal/data' ? it.data : it.type)).join('');

  it('holds the program up, and lets it go on with all that it wrote once the disk takes it', async () => {
    verifies('host.terminals.held-up');
    printAll();
    await Promise.resolve();
    assert.deepEqual([held, committed], [['paused'], []]);
    writable.resolve();
    await new Promise(setImmediate);
    assert.deepEqual(held, ['paused', 'resumed']);
    assert.equal(text(), chunks.join(''));
  });

  it('has all that the program wrote before its end', async () => {
    verifies('host.terminals.held-up');
    printAll();
    exited.resolve(0);
    await new Promise(setImmediate);
    writable.resolve();
    await new Promise(setImmediate);
    assert.equal(text(), `${chunks.join('')}terminal/exited`);
  });
});
