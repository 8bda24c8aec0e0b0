import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { Terminal } from '../../../../../sidecar/host/terminals/terminal.ts';
import type { PtyChild } from '../../../../../sidecar/platform/children/pty.ts';
import type { TerminalAction, TerminalState } from '../../../../../sidecar/protocol/channels/terminal/schema.ts';
import { type Later, later } from '../../../../support/later.ts';

const MOST = 40;
const says = (body: string) => `\u001b]633;nonce;${body}\u0007`;

describe('the output of a terminal', () => {
  let exited: Later<number>;
  let print: (data: string) => void;
  let held: string[];
  let committed: TerminalAction[];
  let due: (() => void)[];
  let nowMs: number;
  let trimmed: number;
  let state: Partial<TerminalState>;
  let isThere: boolean;
  let terminal: Terminal;
  beforeEach(() => {
    exited = later();
    [held, committed, due, nowMs, trimmed, state, isThere] = [[], [], [], 1_000, 0, {}, true];
    let ids = 0;
    const store = {
      whenWritable: () => Promise.resolve(),
      has: () => isThere,
      state: () => state,
      replaceState: () => void (trimmed += 1),
      commit: (_channel: string, action: TerminalAction) => void committed.push(action),
    };
    const after = (_delayMs: number, work: () => void) => {
      due.push(work);
      return () => void due.splice(due.indexOf(work), 1);
    };
    const deps = { store, timers: { after }, clock: { nowMs: () => nowMs }, newId: () => `id${(ids += 1)}` };
    const child: Partial<PtyChild> = {
      exited: exited.promise,
      onData: (listener) => {
        print = listener;
      },
      pause: () => void held.push('paused'),
      resume: () => void held.push('resumed'),
      stop: () => Promise.resolve(),
    };
    const parts = { onExit: () => void held.push('ended'), mostOutput: () => MOST };
    terminal = new Terminal(deps as unknown as EffectDeps, 'host-terminal:/t', child as PtyChild, 'nonce', parts);
  });
  const flush = async () => {
    for (const work of due.splice(0)) work();
    for (let n = 0; n < 5; n += 1) await Promise.resolve();
  };
  const output = async (...texts: string[]) => {
    for (const text of texts) print(text);
    await flush();
  };

  it('comes together in one action, and the next one after a time of its own', async () => {
    await output('a', 'b');
    await output('c');
    assert.deepEqual(committed, [
      { type: 'terminal/data', data: 'ab' },
      { type: 'terminal/data', data: 'c' },
    ]);
    assert.deepEqual(due, []);
  });

  it('holds its program up once when too much of it waits, and again the next time', async () => {
    const much = 'x'.repeat(128 * 1024);
    await output(much);
    assert.deepEqual(held, []);
    await output(much, 'y', 'z');
    assert.deepEqual(held, ['paused', 'resumed']);
    await output(much, 'y');
    assert.deepEqual(held, ['paused', 'resumed', 'paused', 'resumed']);
  });

  it('is trimmed after each quarter of what is kept, and not with each piece', async () => {
    for (const [text, times] of [
      ['x'.repeat(9), 0],
      ['x', 1],
      ['x', 1],
      ['x'.repeat(9), 2],
    ] as const) {
      await output(text);
      assert.equal(trimmed, times);
    }
  });

  it('tells of each command once: its text, its end and how long it took', async () => {
    await output(says('E;make'));
    nowMs += 250;
    await output(says('D;2'));
    await output(says('D;2'));
    state = { supportsCommandDetection: true };
    await output(says('D;'));
    await output(says('E;ls'));
    nowMs -= 5_000; // the clock was set back
    await output(says('D;'));
    assert.deepEqual(committed, [
      { type: 'terminal/commandExecuted', commandId: 'id1', commandLine: 'make', timestamp: 1_000 },
      { type: 'terminal/commandFinished', commandId: 'id1', durationMs: 250, exitCode: 2 },
      { type: 'terminal/commandDetectionAvailable' },
      { type: 'terminal/commandExecuted', commandId: 'id2', commandLine: 'ls', timestamp: 1_250 },
      { type: 'terminal/commandFinished', commandId: 'id2', durationMs: 0 },
    ]);
  });

  it('tells of a folder when it is another one, and never of one that is none', async () => {
    state = { cwd: 'file:///a' };
    for (const path of ['/a', 'b', '/c']) await output(says(`P;${path}`));
    assert.deepEqual(committed, [{ type: 'terminal/cwdChanged', cwd: 'file:///c' }]);
  });

  it('is whole before the end, with what no escape came of, and nothing comes after it', async () => {
    print('last');
    print('\u001b]633;nonce;E;half');
    exited.resolve(3);
    await flush();
    assert.deepEqual(committed, [
      { type: 'terminal/data', data: 'last' },
      { type: 'terminal/data', data: '\u001b]633;nonce;E;half' },
      { type: 'terminal/exited', exitCode: 3 },
    ]);
    await flush();
    assert.deepEqual([committed.length, held, due], [3, ['ended'], []]);
  });

  it('leaves no timer when its program is stopped, and goes nowhere when its channel is gone', async () => {
    print('a');
    await terminal.stop();
    assert.deepEqual(due, []);
    isThere = false;
    exited.resolve(0);
    await flush();
    assert.deepEqual([committed, held], [[], ['ended']]);
  });
});
