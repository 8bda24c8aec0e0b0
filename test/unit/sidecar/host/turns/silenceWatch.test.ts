import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { SilenceWatch } from '../../../../../sidecar/host/turns/silence.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';

const MINUTE_MS = 60_000;

describe('the watch over a silent agent', () => {
  let timers: ManualTimers;
  let shown: string[];
  let isAsking: boolean;
  let lastWords: string | undefined;
  beforeEach(() => {
    [timers, shown, isAsking, lastWords] = [new ManualTimers(), [], false, undefined];
  });
  const open = () =>
    new SilenceWatch({
      timers,
      writer: {
        activity: (words) => void shown.push(words ?? 'nothing'),
        problem: (problem) => {
          shown.push(problem?.kind ?? 'no problem');
          if (problem?.message) shown.push(problem.message);
        },
      },
      displayName: 'Scripted',
      silentAfterMs: undefined,
      isAsking: () => isAsking,
      lastWords: () => lastWords,
    });
  const silent = ['Scripted has not responded for a minute.', 'agentSilent'];
  const heard = ['nothing', 'no problem'];

  it('says it once for one silence, and again for the next one', () => {
    const watch = open();
    timers.pass(MINUTE_MS);
    timers.pass(MINUTE_MS);
    assert.deepEqual(shown, silent);
    watch.received();
    watch.received();
    assert.deepEqual(shown, [...silent, ...heard]);
    timers.pass(MINUTE_MS);
    assert.deepEqual(shown, [...silent, ...heard, ...silent]);
  });

  it('says what the agent wrote last of a fault, where it wrote such', () => {
    lastWords = 'connect ECONNREFUSED';
    open();
    timers.pass(MINUTE_MS);
    assert.deepEqual(shown, [...silent, 'connect ECONNREFUSED']);
  });

  it('counts from what was heard last, with one timer at a time', () => {
    const watch = open();
    for (let n = 0; n < 3; n += 1) {
      watch.received();
      assert.equal(timers.count(MINUTE_MS), 1);
    }
    timers.pass(MINUTE_MS);
    assert.equal(timers.count(MINUTE_MS), 1);
  });

  it('begins its time anew with each word of the agent', () => {
    const begun: number[] = [];
    const stopped: number[] = [];
    const after = () => {
      const at = begun.push(begun.length);
      return () => void stopped.push(at - 1);
    };
    const writer = { activity: () => undefined, problem: () => undefined };
    const parts = {
      writer,
      displayName: 'Scripted',
      silentAfterMs: 1,
      lastWords: () => undefined,
      isAsking: () => false,
    };
    const watch = new SilenceWatch({ ...parts, timers: { after } });
    watch.received();
    watch.received();
    watch.stop();
    assert.deepEqual(
      [begun, stopped],
      [
        [0, 1, 2],
        [0, 1, 2],
      ],
    );
  });

  it('goes on where somebody was asked while its time passed', () => {
    isAsking = true;
    open();
    timers.pass(MINUTE_MS);
    assert.deepEqual(shown, []);
    isAsking = false;
    timers.pass(MINUTE_MS);
    assert.deepEqual(shown, silent);
  });

  for (const { says, pass, expected } of [
    { says: 'takes back what it said', pass: true, expected: [...silent, ...heard] },
    { says: 'says nothing', pass: false, expected: [] },
  ])
    it(`${says} with the end of the turn, and nothing after it`, () => {
      const watch = open();
      if (pass) timers.pass(MINUTE_MS);
      watch.stop();
      assert.deepEqual(shown, expected);
      assert.equal(timers.count(MINUTE_MS), 0);
      watch.stop();
      assert.deepEqual(shown, expected);
    });
});
