import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, it } from 'mocha';
import type { ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT, uncommittedChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import { testWindow } from '../../../../support/host/hostPlace.ts';
import { openRepositoryPlace, type RepositoryPlace } from '../../../../support/host/repositoryPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a view of changes that a handshake names', () => {
  let at: RepositoryPlace;
  afterEach(() => at.close());

  /** A session of two turns, and the views that nobody looked at yet. */
  async function open() {
    at = await openRepositoryPlace({ 'a.txt': 'one\n' });
    const [first, second] = [await at.turn('b.txt=b'), await at.turn('c.txt=c')];
    return {
      uncommitted: uncommittedChangesetUri(at.uuid),
      compared: `host-changeset:/${at.uuid}/compare/${first}/${second}`,
      none: `host-changeset:/${at.uuid}/compare/${first}/none`,
    };
  }
  const names = (state: unknown) => (state as ChangesetState).files.map((it) => it.id).sort();
  const uris = (...those: string[]) => those.map((it) => at.workspace.uriOf(it)).sort();

  it('is made by initialize as subscribe makes it, and followed', async () => {
    const { uncommitted, compared, none } = await open();
    const peer = at.place.connectSilently();
    const hello = peer.initialize('c2', testWindow, [ROOT, uncommitted, compared, none]);
    // A request behind the handshake that is refused at once is answered too.
    const refused = assert.rejects(peer.request('listSessions', { cursor: 'mine' }), {
      message: 'cursor: unknown or expired',
    });
    const { snapshots } = await hello;
    await refused;
    assert.deepEqual(
      snapshots.map((it) => it.resource),
      [ROOT, uncommitted, compared],
    );
    const shows = (channel: string, expected: readonly string[]) =>
      peer.until(() => JSON.stringify(names(peer.states.get(channel))) === JSON.stringify(expected));
    await shows(uncommitted, uris('b.txt', 'c.txt'));
    await shows(compared, uris('c.txt'));
    at.workspace.write({ 'd.txt': 'd\n' });
    await shows(uncommitted, uris('b.txt', 'c.txt', 'd.txt'));
    // What comes long after the handshake waits for nothing.
    await peer.subscribe(at.session);
    const { origin } = await peer.act(at.session, { type: 'session/titleChanged', title: 'Later' } as AnyAction);
    assert.equal(origin?.clientId, 'c2');
    peer.peer.sendNotification('unsubscribe', { channel: compared });
    await peer.request('ping', {});
    await assert.rejects(at.invoke(compared, 'patch'), /./);
  });

  it('is made by reconnect, which then gives states and not what was missed', async () => {
    const { uncommitted, compared, none } = await open();
    const seen = at.peer.envelopes.at(-1)!.serverSeq;
    at.peer.close();
    const back = at.place.connectSilently();
    const wanted = [ROOT, at.session, uncommitted, compared, none];
    const result = await back.request('reconnect', { clientId: 'c1', lastSeenServerSeq: seen, subscriptions: wanted });
    assert.ok(result.type === 'snapshot');
    assert.deepEqual(
      result.snapshots.map((it) => it.resource),
      wanted.slice(0, -1),
    );
    for (const it of result.snapshots) back.reset(it);
    await back.until(
      () => names(back.states.get(compared)).length === 1 && names(back.states.get(uncommitted)).length === 2,
    );
  });

  it('that cannot be made is missing, and all else is replayed', async () => {
    const { none } = await open();
    const seen = at.peer.envelopes.at(-1)!.serverSeq;
    at.peer.close();
    const back = at.place.connectSilently();
    const subscriptions = [ROOT, at.session, none];
    const result = await back.request('reconnect', { clientId: 'c1', lastSeenServerSeq: seen, subscriptions });
    assert.ok(result.type === 'replay', result.type);
    assert.deepEqual([result.missing, result.actions.every((it) => it.serverSeq > seen)], [[none], true]);
  });

  it('that was let go of meanwhile comes back whole, and one that stayed is replayed', async () => {
    const { uncommitted, compared } = await open();
    for (const it of [uncommitted, compared]) await at.peer.subscribe(it);
    await at.shows(compared, ['c.txt']);
    await at.shows(uncommitted, ['b.txt', 'c.txt']);
    const seen = at.peer.envelopes.at(-1)!.serverSeq;
    const comeBack = async (...subscriptions: string[]) => {
      const back = at.place.connectSilently();
      return {
        back,
        result: await back.request('reconnect', { clientId: 'c1', lastSeenServerSeq: seen, subscriptions }),
      };
    };
    at.peer.close();
    const { back, result } = await comeBack(ROOT, uncommitted);
    assert.equal(result.type, 'replay');
    back.close();
    const { back: again, result: whole } = await comeBack(ROOT, uncommitted, compared);
    assert.ok(whole.type === 'snapshot');
    for (const it of whole.snapshots) again.reset(it);
    await again.until(() => JSON.stringify(names(again.states.get(compared))) === JSON.stringify(uris('c.txt')));
  });

  it('that was made anew while its only client was away comes back whole, though it had it', async () => {
    verifies('host.reconnect.made-again');
    const { compared } = await open();
    await at.peer.subscribe(compared);
    await at.shows(compared, ['c.txt']);
    const seen = at.peer.envelopes.at(-1)!.serverSeq;
    at.peer.close();
    // Somebody else looks at it, and no more: with the last look it goes, and the next one makes it anew.
    const other = await at.place.connect('c3');
    await other.subscribe(compared);
    other.peer.sendNotification('unsubscribe', { channel: compared });
    await other.request('ping', { channel: ROOT });
    const back = at.place.connectSilently();
    const subscriptions = [ROOT, compared];
    const result = await back.request('reconnect', { clientId: 'c1', lastSeenServerSeq: seen, subscriptions });
    assert.ok(result.type === 'snapshot');
    for (const it of result.snapshots) back.reset(it);
    await back.until(() => JSON.stringify(names(back.states.get(compared))) === JSON.stringify(uris('c.txt')));
  });

  for (const way of ['initialize', 'reconnect'] as const) {
    it(`is answered by ${way} before what the client sent behind it comes back`, async () => {
      verifies('host.handshake.order');
      const { compared } = await open();
      const peer = at.place.connectSilently();
      const channels = [ROOT, at.session, compared];
      if (way === 'reconnect') at.peer.close();
      const answered =
        way === 'initialize'
          ? peer.initialize('c2', testWindow, channels)
          : peer.request('reconnect', { clientId: 'c1', lastSeenServerSeq: 0, subscriptions: channels });
      const order: string[] = [];
      const early = answered.then(() => {
        order.push(way);
        return peer.envelopes.length;
      });
      const rename = (title: string, clientSeq: number) =>
        peer.dispatch(at.session, { type: 'session/titleChanged', title } as AnyAction, clientSeq);
      rename('First', 1_001);
      // A refused request is one that was looked at: each waits its turn, whatever becomes of it.
      const asked = (['listSessions', 'disposeSession'] as const).map((method) =>
        peer.request(method, { channel: 'host-session:/none' }).then(
          () => void order.push(method),
          () => void order.push(method),
        ),
      );
      assert.equal(await peer.request('ping', {}), null);
      assert.deepEqual(order, []);
      rename('Second', 1_002);
      peer.peer.sendNotification('unsubscribe', { channel: at.session });
      rename('Third', 1_003);
      assert.equal(await early, 0);
      await Promise.all(asked);
      assert.deepEqual(order, [way, 'listSessions', 'disposeSession']);
      await peer.until(() => peer.envelopes.some((it) => it.origin?.clientSeq === 1_003));
      const own = peer.envelopes.filter((it) => it.channel === at.session);
      assert.deepEqual(
        own.flatMap((it) => it.origin?.clientSeq ?? []),
        [1_001, 1_002, 1_003],
      );
      assert.deepEqual(
        own.flatMap((it) => it.rejectionReason ?? []),
        [],
      );
    });
  }

  it('is dropped, and kept nowhere, where the client left while it was made', async () => {
    verifies('host.handshake.left-view');
    const { compared, uncommitted } = await open();
    const peer = at.place.connectSilently();
    const hello = peer.initialize('c2', testWindow, [ROOT, compared]);
    peer.close();
    await assert.rejects(hello);
    // A view that takes longer and begins later: when it is there, the first one was made.
    await at.peer.subscribe(uncommitted);
    await at.shows(uncommitted, ['b.txt', 'c.txt']);
    const sql = new DatabaseSync(join(at.place.dataDir, 'host.db'), { readOnly: true });
    const stored = sql.prepare('SELECT uri FROM changeset').all();
    sql.close();
    const kept = stored.map((it) => String(it['uri']));
    assert.ok(kept.includes(uncommitted));
    assert.ok(!kept.includes(compared), kept.join(' '));
  });

  it('leaves no subscription behind where the client left while it was made', async () => {
    const { compared } = await open();
    const peer = at.place.connectSilently();
    const hello = peer.initialize('c2', testWindow, [ROOT, compared]);
    peer.close();
    await assert.rejects(hello);
    const other = await at.place.connect('c3');
    await other.subscribe(compared);
    await other.until(() => names(other.states.get(compared)).length === 1);
    other.peer.sendNotification('unsubscribe', { channel: compared });
    await other.request('ping', { channel: ROOT });
    await assert.rejects(other.request('invokeChangesetOperation', { channel: compared, operationId: 'patch' }), {
      message: 'changeset not found',
    });
  });
});
