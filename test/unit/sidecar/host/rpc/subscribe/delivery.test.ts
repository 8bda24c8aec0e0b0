import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('the words of an agent', () => {
  let place: HostPlace;
  beforeEach(async () => {
    const agent = scriptedProvider(async function* () {
      for (const text of ['one ', 'two ', 'three']) yield { kind: 'text', partId: 'a', text };
    });
    place = await openHostPlace([agent]);
  });
  afterEach(() => place.close());
  const deltas = (peer: HostPeer) =>
    peer.envelopes.flatMap(({ action }) => (action.type === 'chat/delta' ? [(action as never)['content']] : []));

  it('leave together, and one by one as long as somebody subscribes who does not want to wait', async () => {
    verifies('host.command.subscribe');
    const peer = await place.connect();
    const { chat } = await peer.newSession();
    const turn = async (who = peer) => who.ended(chat, await peer.prompt(chat, 'go'));
    await turn();
    assert.deepEqual(deltas(peer), ['one two three']);
    const hasty = await place.connect('c2');
    const { snapshot } = await hasty.request('subscribe', { channel: chat, delivery: { maxLatencyMs: 0 } });
    hasty.reset(snapshot!);
    await turn();
    assert.deepEqual(deltas(peer).slice(1), ['one ', 'two ', 'three']);
    hasty.peer.sendNotification('unsubscribe', { channel: chat });
    await hasty.request('ping', {});
    await turn();
    assert.deepEqual(deltas(peer).slice(4), ['one two three']);
  });
});
