import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { status } from '../../../../sidecar/protocol/status.ts';
import { countActivity, statusText } from '../../../../src/requests/statusText.ts';
import { english, summary } from '../../../support/extensionStates.ts';

describe('the status bar item', () => {
  it('counts a session either as running or as waiting for a person', () => {
    const sessions = [
      summary({ status: status.InProgress }),
      summary({ status: status.InputNeeded }),
      summary({ status: status.Idle }),
      summary({ status: status.InputNeeded | status.IsArchived }),
    ];
    assert.deepEqual(countActivity(sessions, 1), { running: 1, needsYou: 1 });
    assert.deepEqual(countActivity(sessions, 3), { running: 1, needsYou: 3 });
  });

  it('says what runs and what waits', () => {
    const text = (running: number, needsYou: number) =>
      statusText(english, { running, needsYou, host: 'running' }).text;
    assert.equal(text(0, 0), 'Switchboard');
    assert.equal(text(1, 0), '1 running');
    assert.equal(text(2, 1), '2 running · 1 needs you');
    assert.equal(text(2, 2), '2 running · 2 need you');
    assert.equal(
      statusText(english, { running: 1, needsYou: 1, host: 'failed' }).text,
      'Switchboard: host not running',
    );
    assert.deepEqual(statusText(english, { running: 1, needsYou: 1, host: 'stopped' }), {
      text: 'Switchboard: host not running',
      spoken: 'The host is stopped.',
    });
  });
});
