import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type Driven, drive } from '../../../../support/messages/drive.ts';
import { modelRoads } from '../../../../support/messages/modelRoads.ts';
import {
  a2aRoads,
  asker,
  mcpRoads,
  type Recorded,
  recordingGateway,
  relayOfBytes,
} from '../../../../support/messages/roads.ts';
import { twinKinds } from '../../../../support/messages/twins.ts';
import { verifies } from '../../../../support/verifies.ts';

/** On each road; `npm run fuzz:messages` sends a hundred thousand. */
const perRoad = 2_500;
const seed = 20_261_122;

describe('generated calls, in one process', () => {
  let recorded: Recorded;
  before(async () => {
    recorded = await recordingGateway();
  });
  after(() => recorded.gateway.close());

  it('leave as the call that was judged, whoever reads them, or not at all', async () => {
    verifies('gateway.messages.repeats', 'gateway.messages.twins');
    const all: Driven[] = [];
    for (const road of [...(await mcpRoads(recorded, asker(recorded))), ...a2aRoads(), ...modelRoads()]) {
      const driven = await drive(road, perRoad, seed);
      assert.equal(driven.hole, undefined, `${road.name}: ${JSON.stringify(driven.hole)}`);
      assert.equal(driven.calls, perRoad);
      assert.ok(driven.refused >= perRoad / 5, `${road.name}: ${driven.refused} refused`);
      assert.ok(driven.allowed >= perRoad / 5, `${road.name}: ${driven.allowed} allowed`);
      all.push(driven);
    }
    for (const kind of twinKinds) {
      const made = all.reduce((sum, it) => sum + (it.twins[kind] ?? 0), 0);
      assert.ok(made >= 1_000, `${made} of ${kind}`);
    }
  });

  it('find a relay that sends the bytes of its caller within 1,000', async () => {
    const { hole } = await drive(relayOfBytes(), 1_000, seed);
    assert.ok(hole && hole.at < 1_000);
  });
});
