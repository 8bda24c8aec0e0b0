import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { line, linesOf } from '../support/gateway/activityLines.ts';
import { openGatewayPlace, ownedId, TEAM } from '../support/power/gatewayPlace.ts';

/**
 * The gateway's own store at work, one write after another with pauses: `ack N` for each record and each batch of calls, and
 * `soon N` for each owner of a context of an A2A agent, once the store has answered.
 */
const [dataDir, steps] = process.argv.slice(2) as [string, string];
const store = await openGatewayPlace(dataDir);
const at = '2026-01-02T03:04:05.678Z';
const atMs = Date.parse(at);
const team = (team_id: string) => ({ team_id, created_at: at, updated_at: at, metadata: { count: 0 } });
await store.team.insert(team(TEAM));

for (let n = 1; n <= Number(steps); n += 1) {
  if (n % 2 === 1) {
    await store.team.insert(team(`t${n}`));
    await store.team.update(TEAM, (it) => ({ ...it, metadata: { count: n } }));
  } else {
    const call = linesOf([line(`r${n}`, at, 0.5)]);
    await store.activityWrites.write({ writer: 'w', seq: n, atMs, spendings: [], used: [], ...call });
  }
  writeSync(1, `ack ${n}\n`);
  // What does not wait for the disk is not carried along by what does: nothing is written behind some of it.
  for (let more = 0; more < (n % 20 === 0 ? 5 : 1); more += 1)
    await store.a2aOwners.claim([ownedId(n, more)], 'o', atMs);
  writeSync(1, `soon ${n}\n`);
  await wait(n % 20 === 0 ? 1_500 : 8);
}
process.exit(0);
