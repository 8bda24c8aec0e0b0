import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { HostStorage } from '../../sidecar/host/storage/hostStorage.ts';
import { openHostPlace } from '../support/host/hostPlace.ts';
import { say } from '../support/say.ts';
import { scriptedProvider } from '../support/scriptedProvider.ts';
import { seeded } from './plan.ts';

const ROUNDS = 5;

describe('a disk that is full for a while', () => {
  it('costs no character of what an agent says', async () => {
    let missing = 0;
    for (let round = 0; round < ROUNDS; round += 1) missing += await playOnFullDisk(seeded(round));
    say(`${missing} characters missing after space returned`);
    assert.equal(missing, 0);
  });
});

/** Fills the disk somewhere in a turn, frees it after a notice, and counts what the turn lacks, also after a restart. */
async function playOnFullDisk(random: () => number): Promise<number> {
  let storage: HostStorage | undefined;
  const fullAt = Math.floor(random() * 150);
  let said = '';
  const provider = scriptedProvider(async function* () {
    for (let n = 0; n < 200; n += 1) {
      if (n === fullAt) storage!.limitPages(1);
      const text = `${n}:${'y'.repeat(Math.floor(random() * 3_000))} `;
      said += text;
      yield { kind: 'text', partId: 'a', text };
      if (random() < 0.3) await new Promise((resolve) => void setImmediate(resolve));
    }
  });
  const place = await openHostPlace([provider], { onStorage: (opened) => (storage = opened) });
  try {
    const peer = await place.connect();
    const { chat } = await peer.newSession();
    const turnId = await peer.prompt(chat, 'talk');
    await peer.until(() => JSON.stringify(peer.notified).includes('diskFull'));
    storage!.limitPages(0);
    await peer.ended(chat, turnId);
    await place.restart();
    const later = await place.connect('c2');
    await later.subscribe(chat);
    const part = later.chat(chat).turns[0]?.responseParts[0];
    const kept = part?.kind === 'markdown' ? part.content : '';
    return kept === said ? 0 : Math.max(1, said.length - kept.length);
  } finally {
    await place.close();
  }
}
