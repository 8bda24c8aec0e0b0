import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { type Script, scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../../support/verifies.ts';

const says: Script = async function* (turn) {
  yield { kind: 'text', partId: 'a', text: `You said: ${turn.text}` };
};

describe('x-switchboard/searchTranscripts', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  async function open(): Promise<HostPeer> {
    place = await openHostPlace([scriptedProvider(says)]);
    return place.connect();
  }
  async function played(peer: HostPeer, texts: readonly string[]) {
    const made = await peer.newSession();
    const turns: string[] = [];
    for (const it of texts) {
      const turn = await peer.prompt(made.chat, it);
      await peer.ended(made.chat, turn);
      turns.push(turn);
    }
    return { ...made, turns };
  }
  const search = (peer: HostPeer, query: string, limit?: number) =>
    peer.request('x-switchboard/searchTranscripts', { query, ...(limit !== undefined && { limit }) });
  const linesOf = async (peer: HostPeer, query: string) => (await search(peer, query)).items.map((it) => it.line);

  it('finds turns of all sessions as soon as they have ended, newest first', async () => {
    verifies('host.search.at-once');
    const peer = await open();
    const one = await played(peer, ['repair the login', 'thanks']);
    const two = await played(peer, ['describe the login']);
    const { items, isIndexing } = await search(peer, 'THE login');
    assert.equal(isIndexing, false);
    assert.deepEqual(
      items.map((it) => [it.session, it.chat, it.turnId, it.line, it.ranges]),
      [
        [
          two.session,
          two.chat,
          two.turns[0],
          'describe the login',
          [
            { start: 9, end: 12 },
            { start: 13, end: 18 },
          ],
        ],
        [
          one.session,
          one.chat,
          one.turns[0],
          'repair the login',
          [
            { start: 7, end: 10 },
            { start: 11, end: 16 },
          ],
        ],
      ],
    );
  });

  it('finds nothing of a session that was deleted', async () => {
    verifies('host.search.deleted');
    const peer = await open();
    const { session } = await played(peer, ['repair the login']);
    await played(peer, ['another login']);
    assert.equal((await search(peer, 'login')).items.length, 2);
    await peer.request('disposeSession', { channel: session });
    assert.deepEqual(await linesOf(peer, 'login'), ['another login']);
  });

  it('finds after a restart what was said before it, with an index that is damaged too', async () => {
    verifies('host.search.made-anew');
    const peer = await open();
    await played(peer, ['repair the login']);
    assert.equal((await search(peer, 'login')).items.length, 1);
    await place.restart();
    assert.deepEqual(await linesOf(await place.connect('c2'), 'login'), ['repair the login']);
    await place.restart(); // it opens the index when somebody searches
    writeFileSync(join(place.dataDir, 'search.db'), 'damaged '.repeat(1_000));
    const last = await place.connect('c3');
    assert.deepEqual(await linesOf(last, 'login'), ['repair the login']);
  });

  it('refuses a query that is empty or too long, a page that is too large, and a cursor of somebody else', async () => {
    const peer = await open();
    const wrong = [
      { query: '' },
      { query: 'x'.repeat(257) },
      { query: 'x', limit: 51 },
      { query: 'x', cursor: 'next' },
    ];
    for (const it of wrong) await assert.rejects(peer.request('x-switchboard/searchTranscripts', it), { code: -32602 });
  });

  it('does not wait for a search that was cancelled', async () => {
    const peer = await open();
    await played(peer, ['repair the login']);
    const cancelled = new AbortController();
    const first = peer.peer.sendRequest(
      'x-switchboard/searchTranscripts',
      { query: 'repair' },
      { signal: cancelled.signal },
    );
    cancelled.abort();
    await assert.rejects(first);
    assert.deepEqual(await linesOf(peer, 'login'), ['repair the login']);
  });
});
