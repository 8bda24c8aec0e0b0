import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { type HostPlace, openHostPlace } from '../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../support/scriptedProvider.ts';

describe('a host with one agent', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });

  it('streams a turn into the chat, and has it on disk', async () => {
    place = await openHostPlace([
      scriptedProvider(async function* () {
        yield { kind: 'text', partId: 'a', text: 'Hello, ' };
        yield { kind: 'text', partId: 'a', text: 'world.' };
      }),
    ]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession();
    const turnId = await peer.prompt(chat, 'Greet the world\nplease');
    const turn = await peer.ended(chat, turnId);
    assert.deepEqual(turn.responseParts, [{ kind: 'markdown', id: 'a', content: 'Hello, world.' }]);
    assert.equal(turn.state, 'complete');
    assert.equal(peer.session(session).title, 'Greet the world');
    await place.restart();
    const later = await place.connect('c2');
    const state = await later.subscribe(chat);
    assert.deepEqual(state, peer.chat(chat));
    assert.deepEqual(await later.subscribe(session), peer.session(session));
    const { items } = await later.request('root/listSessions', {});
    assert.deepEqual(
      items.map((it) => it.title),
      ['Greet the world'],
    );
  });
});
