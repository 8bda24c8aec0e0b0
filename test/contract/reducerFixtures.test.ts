import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import * as z from 'zod';
import { channels } from '../../sidecar/protocol/channels/index.ts';
import { judgeAction } from '../../sidecar/protocol/channels/judgeAction.ts';

const Fixture = z.strictObject({
  says: z.string(),
  before: z.unknown(),
  actions: z.array(z.looseObject({ type: z.string() })).min(1),
  after: z.unknown(),
  /** The very object comes back. */
  same: z.boolean().optional(),
});
const root = new URL('../fixtures/reducers/', import.meta.url);
const context = { now: '2026-01-01T00:00:00Z' };

describe('reducers', () => {
  for (const channel of channels) {
    describe(channel.kind, () => {
      const folder = new URL(`${channel.kind}/`, root);
      const files = existsSync(folder) ? readdirSync(folder).filter((it) => it.endsWith('.json')) : [];
      const fixtures = files.map((file) => Fixture.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))));

      it('uses every action type in a fixture', () => {
        const used = new Set(fixtures.flatMap((fixture) => fixture.actions.map((action) => action.type)));
        assert.deepEqual([...used].toSorted(), Object.keys(channel.actions).toSorted());
      });

      for (const { says, before, actions, after, same } of fixtures) {
        it(says, () => {
          channel.state.parse(before);
          channel.state.parse(after);
          const result = actions.reduce<unknown>((state, action) => {
            assert.deepEqual(judgeAction(channel, action), { verdict: 'ok' });
            return channel.reduce(state, deepFreeze(action), context);
          }, deepFreeze(before));
          assert.deepEqual(result, after);
          if (same) assert.equal(result, before, 'a no-op answers the same object');
        });
      }
    });
  }
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
