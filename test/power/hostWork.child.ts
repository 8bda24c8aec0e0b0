import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ContentStore } from '../../sidecar/host/changes/snapshots/contentStore.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { CHAT, openPlace, SESSION } from '../support/power/hostPlace.ts';

/** The host's own store at work, in bursts with pauses: one line `ack N` for each commit that it tells others about. */
const [dataDir, durability, turns] = process.argv.slice(2) as [string, 'normal' | 'full', string];
const NOW = '2026-01-02T03:04:05.678Z';
const { store, storage } = openPlace(dataDir);
const content = new ContentStore({ folder: join(dataDir, 'content') });
storage.setDurability(durability);
let count = 0;
store.onWritten(({ envelope }) => {
  const { content: text } = envelope.action as { content?: string };
  if (text !== undefined) writeSync(1, `ack ${text.slice(0, -1)}\n`);
});
store.create('session', SESSION, {
  provider: 'p',
  title: '',
  status: 1,
  lifecycle: 'ready',
  chats: [],
  activeClients: [],
});
store.create('chat', CHAT, { resource: CHAT, title: '', status: 1, modifiedAt: NOW, turns: [] }, { firstTurn: 0 });
store.flush();

const commit = (action: object) => void store.commit(CHAT, action as AnyAction);
for (let turn = 0; turn < Number(turns); turn += 1) {
  const turnId = `t${turn}`;
  commit({ type: 'chat/turnStarted', turnId, startedAt: NOW, message: { text: turnId, origin: { kind: 'user' } } });
  commit({ type: 'chat/responsePart', turnId, part: { kind: 'markdown', id: 'p', content: '' } });
  const { sha, size } = await content.put(Buffer.alloc(3_000 + 700 * turn, turnId));
  store.writeRows(() => storage.small.rememberContent(SESSION, sha, size));
  for (let n = 0; n < 30; n += 1) {
    count += 1;
    commit({ type: 'chat/delta', turnId, partId: 'p', content: `${count};` });
    await wait(turn % 2 === 0 ? 2 : 12);
  }
  if (turn % 3 === 2) await wait(1_300); // in the middle of a turn, with nothing that follows
  commit({ type: 'chat/turnComplete', turnId, duration: 1 });
  await wait(turn % 3 === 0 ? 1_200 : 5);
}
await wait(1_500);
process.exit(0);
