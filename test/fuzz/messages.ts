import { parseArgs } from 'node:util';
import { drive } from '../support/messages/drive.ts';
import { modelRoads } from '../support/messages/modelRoads.ts';
import { a2aRoads, asker, mcpRoads, recordingGateway, relayOfBytes } from '../support/messages/roads.ts';
import { twinKinds } from '../support/messages/twins.ts';
import { say } from '../support/say.ts';

/**
 * `npm run fuzz:messages -- --calls N --seed S`: sends generated calls on every road in one process and reads what leaves
 * with three readers; exit code 1 where one of them reads another call than the one that was judged.
 */
const { values } = parseArgs({
  options: { calls: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const calls = Number(values.calls);
const seed = Number(values.seed);
if (!Number.isSafeInteger(calls) || calls < 1 || !Number.isSafeInteger(seed))
  throw new Error('--calls and --seed are whole numbers');

const recorded = await recordingGateway();
const made = new Map<string, number>(twinKinds.map((it) => [it, 0]));
try {
  for (const road of [...(await mcpRoads(recorded, asker(recorded))), ...a2aRoads(), ...modelRoads()]) {
    const { refused, allowed, twins, hole } = await drive(road, calls, seed);
    for (const [kind, count] of Object.entries(twins)) made.set(kind, (made.get(kind) ?? 0) + count);
    say(
      `${road.name}: ${allowed} sent, ${refused} refused${hole ? `, a hole at call ${hole.at}: ${JSON.stringify(hole)}` : ''}`,
    );
    if (hole || refused < calls / 5 || allowed < calls / 5) process.exitCode = 1;
  }
  say(`twins: ${[...made].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  const relay = await drive(relayOfBytes(), 1_000, seed);
  say(`a relay that sends the bytes of its caller: ${relay.hole ? `found at call ${relay.hole.at}` : 'not found'}`);
  if (!relay.hole) process.exitCode = 1;
} finally {
  await recorded.gateway.close();
}
