import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Backoff } from '../../../../src/sidecar/backoff.ts';

describe('starting the relay again', () => {
  it('waits longer each time and gives up after five failures in a row', () => {
    const backoff = new Backoff(() => 1);
    assert.deepEqual(
      Array.from({ length: 6 }, () => backoff.next(0)),
      [250, 500, 1000, 2000, 4000, undefined],
    );
  });

  it('spreads windows over half of the wait', () => {
    assert.equal(new Backoff(() => 0).next(0), 125);
  });

  it('counts afresh after a minute of work', () => {
    const backoff = new Backoff(() => 1);
    for (let index = 0; index < 4; index += 1) backoff.next(0);
    assert.equal(backoff.next(60_000), 250);
  });

  it('counts afresh where a person asks for it, also after it gave up', () => {
    const backoff = new Backoff(() => 1);
    for (let index = 0; index < 6; index += 1) backoff.next(0);
    backoff.reset();
    assert.equal(backoff.next(0), 250);
  });
});
