import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../support/host/repositoryPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('what a client wants of a view of changes takes effect in its order', () => {
  let at: RepositoryPlace;
  afterEach(() => at.close());

  /** A comparison of two turns, at which nobody looked yet. */
  async function open(): Promise<string> {
    at = await openRepositoryPlace({ 'a.txt': 'one\n' });
    const [first, second] = [await at.turn('b.txt=b'), await at.turn('c.txt=c')];
    return `host-changeset:/${at.uuid}/compare/${first}/${second}`;
  }
  const leave = (channel: string) => at.peer.peer.sendNotification('unsubscribe', { channel });
  const makePatch = (channel: string) => at.invoke(channel, 'patch');
  const gone = { message: 'changeset not found' };

  it('where it is let go of and opened again at once', async () => {
    verifies('host.command.subscribe', 'host.command.unsubscribe');
    const compared = await open();
    await at.peer.subscribe(compared);
    await at.shows(compared, ['c.txt']);
    leave(compared);
    assert.equal((await at.peer.subscribe<ChangesetState>(compared)).status, 'computing');
    await at.shows(compared, ['c.txt']);
  });

  it('where it is let go of before it is made: nothing of it stays', async () => {
    const compared = await open();
    const wanted = at.peer.subscribe(compared);
    leave(compared);
    await wanted;
    await at.peer.request('ping', {});
    await assert.rejects(makePatch(compared), gone);
  });

  it('where it is let go of and opened again before it is made', async () => {
    const compared = await open();
    const wanted = at.peer.subscribe(compared);
    leave(compared);
    await Promise.all([wanted, at.peer.subscribe(compared)]);
    await at.shows(compared, ['c.txt']);
    leave(compared);
    await at.peer.request('ping', {});
    await assert.rejects(makePatch(compared), gone);
  });
});
