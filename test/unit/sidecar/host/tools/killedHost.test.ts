import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { offer, toolUser } from '../../../../support/host/clientTools.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';

describe('active clients of a host that was killed', () => {
  let place: HostPlace;
  const left = () => join(place.dataDir, '..', `${basename(place.dataDir)}-left`);
  afterEach(async () => {
    rmSync(left(), { recursive: true, force: true });
    await place.close();
  });

  /** What a killed host leaves: its files as they are now, without what it would write when it closes. */
  async function openAnother(): Promise<HostPlace> {
    cpSync(place.dataDir, left(), { recursive: true });
    return openHostPlace([toolUser([])], { dataDir: left() });
  }

  it('are active no more in the next one, which nobody connected to again', async () => {
    place = await openHostPlace([toolUser([])]);
    const peer = await place.connect('c1');
    const { session } = await peer.newSession();
    await offer(peer, session, [{ name: 'count' }]);
    const clients = ({ activeClients }: SessionState) => activeClients.map((it) => it.clientId);
    assert.deepEqual(clients(peer.session(session)), ['c1']);
    const next = await openAnother();
    try {
      const other = await next.connect('c2');
      assert.deepEqual(clients(await other.subscribe<SessionState>(session)), []);
    } finally {
      await next.close();
    }
  });
});
