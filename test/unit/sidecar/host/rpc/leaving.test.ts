import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type HostPlace, openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

const nothing = { code: -32601 };

describe('a client that leaves as language clients do', () => {
  let place: HostPlace;
  beforeEach(async () => {
    place = await openHostPlace([]);
  });
  afterEach(() => place.close());

  const ways: readonly [
    who: string,
    credential: string | undefined,
    isReady: boolean,
    answer: null | typeof nothing,
  ][] = [
    ['answers null to a window', undefined, true, null],
    ['is unknown from a window before its handshake', undefined, false, nothing],
    ['is unknown from a client of serve', 'shared', true, nothing],
    ['is unknown from a client of serve before its handshake', 'shared', false, nothing],
  ];
  for (const [what, credential, isReady, answer] of ways) {
    it(`sends shutdown, which ${what}, and goes on being served, as all others`, async () => {
      verifies('host.served.protocol-alone');
      const other = await place.connect('other');
      const peer = place.connectSilently(credential);
      if (isReady) await peer.initialize('c1', testWindow);
      const asked = peer.peer.sendRequest('shutdown', {});
      if (answer === null) assert.equal(await asked, null);
      else await assert.rejects(asked, answer);
      assert.equal(await peer.request('ping', {}), null);
      assert.deepEqual(await other.request('listSessions', {}), { items: [] });
    });
  }

  for (const credential of [undefined, 'shared']) {
    it(`sends exit: ${credential === undefined ? 'the connection of a window ends' : 'a client of serve stays'}, and all others stay`, async () => {
      verifies('host.served.protocol-alone');
      const other = await place.connect('other');
      const peer = place.connectSilently(credential);
      await peer.initialize('c1', testWindow);
      const closed = new Promise((resolve) => void peer.peer.onClose(resolve));
      peer.peer.sendNotification('exit', {});
      if (credential === undefined) await closed;
      else assert.equal(await peer.request('ping', {}), null);
      assert.equal(peer.peer.isClosed, credential === undefined);
      assert.deepEqual(await other.request('listSessions', {}), { items: [] });
    });
  }
});
