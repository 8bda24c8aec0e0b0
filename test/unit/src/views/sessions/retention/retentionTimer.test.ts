import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  AFTER_CHANGE_MS,
  EVERY_MS,
  RetentionTimer,
} from '../../../../../../src/views/sessions/retention/retentionTimer.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('the time at which old sessions are deleted', () => {
  let timer: RetentionTimer;
  let runs: number;
  /** Ends the run that is under way. */
  let end: () => void;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    runs = 0;
    timer = new RetentionTimer(() => {
      runs += 1;
      return new Promise((resolve) => {
        end = resolve;
      });
    });
  });
  afterEach(() => {
    timer.dispose();
    mock.timers.reset();
  });
  async function ended() {
    end();
    await Promise.resolve();
    await Promise.resolve();
  }
  const passed = (ms: number) => {
    mock.timers.tick(ms);
    return runs;
  };

  it('never comes while the setting is off, whatever connects', () => {
    verifies('host.retention.sessions');
    timer.begin();
    timer.days = 0;
    assert.equal(passed(10 * EVERY_MS), 0);
  });

  it('comes a while after the last change of the setting, and again every few hours', async () => {
    verifies('host.retention.sessions');
    timer.days = 3;
    assert.equal(passed(AFTER_CHANGE_MS - 1), 0);
    timer.days = 30;
    assert.equal(passed(AFTER_CHANGE_MS - 1), 0, 'the number was still being typed');
    assert.equal(passed(1), 1);
    await ended();
    assert.equal(passed(EVERY_MS - 1), 1);
    assert.equal(passed(1), 2);
  });

  it('does not come once the setting was turned off', () => {
    verifies('host.retention.sessions');
    timer.days = 30;
    timer.days = 0;
    assert.equal(passed(10 * EVERY_MS), 0);
  });

  it('is set by a change during a run, and not by the end of the run', async () => {
    timer.days = 30;
    passed(AFTER_CHANGE_MS);
    timer.days = 60;
    await ended();
    assert.equal(passed(AFTER_CHANGE_MS), 2);
  });

  it('does not come after the window closed, also during a run', async () => {
    timer.days = 30;
    passed(AFTER_CHANGE_MS);
    timer.dispose();
    await ended();
    assert.equal(passed(10 * EVERY_MS), 1);
  });
});
