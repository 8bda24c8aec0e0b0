import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemTimers } from '../../../../sidecar/platform/timers.ts';

describe('timers of the machine', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('run once after their delay, and not when they were stopped before', () => {
    const ran: string[] = [];
    systemTimers.after(100, () => ran.push('kept'));
    const stop = systemTimers.after(100, () => ran.push('stopped'));
    mock.timers.tick(99);
    assert.deepEqual(ran, []);
    stop();
    stop();
    mock.timers.tick(500);
    assert.deepEqual(ran, ['kept']);
  });

  it('run again and again until they are stopped', () => {
    let count = 0;
    const stop = systemTimers.every(50, () => {
      count += 1;
    });
    mock.timers.tick(160);
    stop();
    mock.timers.tick(500);
    assert.equal(count, 3);
  });
});

describe('a wait', () => {
  it('ends with the reason of its signal when that aborts first', async () => {
    const reason = new Error('left');
    await assert.rejects(systemTimers.wait(60_000, AbortSignal.abort(reason)), { name: 'AbortError', cause: reason });
  });

  it('is over when its time is, and a deadline says so as TimeoutError', async () => {
    await systemTimers.wait(1);
    const deadline = systemTimers.deadline(1);
    await new Promise((resolve) => {
      deadline.addEventListener('abort', resolve);
    });
    assert.equal((deadline.reason as Error).name, 'TimeoutError');
  });
});
