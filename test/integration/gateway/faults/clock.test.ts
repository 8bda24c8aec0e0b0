import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callOn, registerBad } from '../../../support/gateway/callSurfaces.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';

const surfaces = ['mcp', 'a2a', 'a2aStream', 'cloud'] as const;

/** Issue C, done when 3: the wall clock jumps while the gateway runs. */
describe('a clock that jumps', () => {
  let clock: StandingClock;
  let stand: Stand;
  let key: string;

  beforeEach(async () => {
    clock = new StandingClock('2026-03-04T10:00:00.000Z');
    stand = await openStand({ clock });
    await registerBad(stand);
    key = await stand.addKey({ expires: '2026-03-05T00:00:00.000Z' });
  });
  afterEach(() => stand.close());

  for (const [says, to] of [
    ['a year back', '2025-03-04T10:00:00.000Z'],
    ['an hour back', '2026-03-04T09:00:00.000Z'],
    ['an hour on', '2026-03-04T11:00:00.000Z'],
  ] as const) {
    for (const surface of surfaces) {
      it(`by ${says} in the middle of a call leaves ${surface} its answer, and one record that ends after it began`, async () => {
        const { answer } = stand.backend;
        stand.backend.answer = (heard, response) => {
          clock.setTo(to);
          answer(heard, response);
        };
        assert.equal((await callOn(stand, surface, key)).status, 200);
        const [record] = await stand.records(1);
        assert.equal(record?.status, 'success');
        assert.ok((record?.request_duration_ms ?? -1) >= 0);
        assert.ok(Date.parse(record?.endTime ?? '') >= Date.parse(record?.startTime ?? ''));
      });
    }

    it(`by ${says} leaves a session its owner, and nobody else`, async () => {
      const session = await stand.mcp('/bad/mcp', key).initialized();
      clock.setTo(to);
      assert.equal((await session.call('echo')).status, 200);
      const other = await stand.addKey();
      assert.equal((await session.with({ authorization: `Bearer ${other}` }).call('echo')).status, 404);
    });
  }

  it('by a day on ends keys and sessions that are over by then, and back again brings the key back alone', async () => {
    const session = await stand.mcp('/bad/mcp', key).initialized();
    clock.setTo('2026-03-06T10:00:00.000Z');
    for (const surface of surfaces) assert.equal((await callOn(stand, surface, key)).status, 401, surface);
    assert.equal((await session.call('echo')).status, 401);
    clock.setTo('2026-03-04T10:00:00.000Z');
    for (const surface of surfaces) assert.equal((await callOn(stand, surface, key)).status, 200, surface);
  });

  it('back gives no budget again that was spent, and no rate limit twice in its window', async () => {
    const poor = await stand.addKey({ rpm_limit: 2 });
    const statuses = [];
    for (const at of ['10:00:00', '10:00:01', '09:59:59', '10:00:02']) {
      clock.setTo(`2026-03-04T${at}.000Z`);
      statuses.push((await callOn(stand, 'a2a', poor)).status);
    }
    assert.deepEqual(statuses.slice(0, 2), [200, 200]);
    assert.equal(statuses.at(-1), 429);
  });
});
