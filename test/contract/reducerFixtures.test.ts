import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { channels } from '../../sidecar/protocol/channels/index.ts';
import { judgeAction } from '../../sidecar/protocol/channels/judgeAction.ts';
import { reducerOf } from '../../sidecar/protocol/reduce.ts';
import { readFixtures } from '../support/protocol/reducerFixtures.ts';

const context = { now: '2026-01-01T00:00:00Z' };
const reduce = reducerOf(() => context.now);

/** Never part of the state: the first is written to the terminal, the second is news for subscribers. */
const changeNothing = ['terminal/input', 'resourceWatch/changed'];
/** It appends, whatever is there. */
const alwaysChange = ['terminal/commandExecuted'];

describe('reducers', () => {
  for (const channel of channels) {
    describe(channel.kind, () => {
      const fixtures = readFixtures(channel.kind);

      for (const { says, before, actions, after } of fixtures) {
        it(says, () => {
          channel.state.parse(before);
          channel.state.parse(after);
          const result = actions.reduce<unknown>((state, action) => {
            assert.deepEqual(judgeAction(channel, action), { verdict: 'ok' });
            const next = channel.reduce(state, deepFreeze(action), context);
            if (next !== state) assert.notDeepEqual(next, state, 'a no-op answers the same object');
            return next;
          }, deepFreeze(before));
          assert.deepEqual(result, after);
        });
      }

      it('have a fixture for every action type that changes the state, and one in which it changes nothing', () => {
        const changing = new Set<string>();
        const idle = new Set<string>();
        for (const { before, actions } of fixtures) {
          actions.reduce<unknown>((state, action) => {
            const next = channel.reduce(state, action, context);
            (next === state ? idle : changing).add(action.type);
            return next;
          }, before);
        }
        const but = (exceptions: readonly string[]) =>
          Object.keys(channel.actions)
            .filter((it) => !exceptions.includes(it))
            .toSorted();
        assert.deepEqual([...changing].toSorted(), but(changeNothing));
        assert.deepEqual([...idle].toSorted(), but(alwaysChange));
      });

      it('leave the state alone for an action of tomorrow', () => {
        const [{ before } = assert.fail('there are fixtures')] = fixtures;
        assert.deepEqual(judgeAction(channel, { type: `${channel.kind}/ofTomorrow` }), { verdict: 'unknown' });
        assert.equal(reduce(channel.kind, before, { type: `${channel.kind}/ofTomorrow` }), before);
      });
    });
  }
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
