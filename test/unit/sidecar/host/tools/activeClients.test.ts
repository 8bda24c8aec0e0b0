import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { OfferedResult } from '../../../../../sidecar/agents/provider.ts';
import { CLIENT_GRACE_MS as REMEMBERED_MS } from '../../../../../sidecar/host/rpc/clients.ts';
import { CLIENT_GRACE_MS } from '../../../../../sidecar/host/tools/activeClients.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import { approve, entryOf, offer, onlyCall, toolUser } from '../../../../support/host/clientTools.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { verifies } from '../../../../support/verifies.ts';

const tools = [{ name: 'count' }];

describe('active clients', () => {
  let place: HostPlace;
  let timers: ManualTimers;
  afterEach(() => place.close());
  const results: OfferedResult[] = [];

  /** A client that offers a tool, and another one that looks on. */
  async function open() {
    results.length = 0;
    timers = new ManualTimers();
    place = await openHostPlace([toolUser(results)], { timers });
    const onlooker = await place.connect('c2');
    const { session, chat } = await onlooker.newSession();
    const peer = await place.connect('c1');
    await peer.subscribe(session);
    await peer.subscribe(chat);
    await offer(peer, session, tools);
    await onlooker.until(() => clientsOf(onlooker, session).length === 1);
    return { peer, onlooker, session, chat };
  }
  const clientsOf = (peer: HostPeer, session: string) => peer.session(session).activeClients.map((it) => it.clientId);
  const removeMe = (clientId: string) => ({ type: 'session/activeClientRemoved', clientId }) as AnyAction;
  const reconnect = async (before: HostPeer, subscriptions: string[]) => {
    const next = place.connectSilently();
    next.clientId = before.clientId;
    await next.request('reconnect', { clientId: before.clientId, lastSeenServerSeq: 0, subscriptions });
    return next;
  };
  const broken = async (peer: HostPeer) => {
    peer.close();
    while (!timers.has(CLIENT_GRACE_MS)) await new Promise((resolve) => void setImmediate(resolve));
  };

  it('speak for themselves only, name each tool once, and replace their whole entry', async () => {
    verifies('host.move.client-set', 'host.event.client-set', 'host.client.several');
    const { peer, onlooker, session } = await open();
    const foreign = { type: 'session/activeClientSet', activeClient: { clientId: 'c2', tools: [] } } as AnyAction;
    assert.equal(
      (await peer.act(session, foreign)).rejectionReason,
      'activeClient.clientId: must be your own client ID',
    );
    assert.equal((await peer.act(session, removeMe('c2'))).rejectionReason, 'clientId: must be your own client ID');
    const twice = await offer(peer, session, [...tools, ...tools]);
    assert.equal(twice.rejectionReason, 'activeClient.tools.1.name: appears more than once');
    await offer(peer, session, [{ name: 'other' }], { displayName: 'Editor' });
    await offer(onlooker, session, []);
    assert.deepEqual(onlooker.session(session).activeClients, [
      { clientId: 'c1', tools: [{ name: 'other' }], displayName: 'Editor' },
      { clientId: 'c2', tools: [] },
    ]);
  });

  it('come with the session that they create', async () => {
    const { peer, onlooker } = await open();
    const { session } = await peer.newSession({ activeClient: { clientId: 'c1', tools } });
    assert.deepEqual(clientsOf(peer, session), ['c1']);
    const again = { clientId: 'c1', tools: [...tools, ...tools] };
    await assert.rejects(peer.newSession({ activeClient: again }), /activeClient.tools.1.name/);
    await onlooker.subscribe(session);
    peer.peer.sendNotification('unsubscribe', { channel: session });
    await onlooker.until(() => clientsOf(onlooker, session).length === 0);
  });

  for (const { how, leave } of [
    { how: 'say so', leave: async (peer: HostPeer, session: string) => void (await peer.act(session, removeMe('c1'))) },
    {
      how: 'do not look any more',
      leave: async (peer: HostPeer, session: string) => peer.peer.sendNotification('unsubscribe', { channel: session }),
    },
    {
      how: 'stay away longer than the time of grace',
      leave: async (peer: HostPeer) => {
        await broken(peer);
        timers.pass(CLIENT_GRACE_MS);
      },
    },
    {
      how: 'come back without the session',
      leave: async (peer: HostPeer) => {
        await broken(peer);
        await reconnect(peer, [ROOT]);
      },
    },
  ]) {
    it(`that ${how} leave, and then their running call fails and its entry goes`, async () => {
      verifies(
        'host.move.client-unsubscribed',
        'host.move.client-disconnected',
        'host.move.client-elsewhere',
        'host.event.client-removed',
      );
      const { peer, onlooker, session, chat } = await open();
      const turnId = await onlooker.prompt(chat, 'count');
      await approve(onlooker, session, chat, turnId);
      await entryOf(onlooker, session, 'toolClientExecution');
      await leave(peer, session);
      await onlooker.ended(chat, turnId);
      assert.deepEqual(clientsOf(onlooker, session), []);
      const call = onlyCall(onlooker, chat);
      assert.ok(call.status === 'completed' && !call.success, 'it ended, and was not cancelled by a person');
      assert.deepEqual(results, [{ success: false, content: [], error: 'The window that runs this tool was closed.' }]);
      const types = onlooker.envelopes.map((it) => it.action.type);
      const order = ['session/activeClientRemoved', 'chat/toolCallComplete', 'session/inputNeededRemoved'];
      assert.deepEqual(
        order.map((it) => types.lastIndexOf(it)).sort((a, b) => a - b),
        order.map((it) => types.lastIndexOf(it)),
      );
    });
  }

  it('whose call still waits for a person leave without an open question', async () => {
    const { peer, onlooker, session, chat } = await open();
    const turnId = await onlooker.prompt(chat, 'count');
    await entryOf(onlooker, session, 'toolConfirmation');
    await peer.act(session, removeMe('c1'));
    await onlooker.ended(chat, turnId);
    assert.equal(onlooker.session(session).inputNeeded, undefined);
    assert.equal(results[0]?.error, 'The window that runs this tool was closed.');
  });

  it('that come back in time with the session stay, and finish their call', async () => {
    const { peer, onlooker, session, chat } = await open();
    const turnId = await onlooker.prompt(chat, 'count');
    const toolCallId = await approve(onlooker, session, chat, turnId);
    await broken(peer);
    const again = await reconnect(peer, [ROOT, session, chat]);
    timers.pass(CLIENT_GRACE_MS);
    const result = { success: true, pastTenseMessage: 'Counted' };
    const action = { type: 'chat/toolCallComplete', turnId, toolCallId, result } as AnyAction;
    again.dispatch(chat, action, 100); // its numbers go on from those of the connection that broke
    await onlooker.ended(chat, turnId);
    assert.deepEqual(clientsOf(onlooker, session), ['c1']);
    assert.deepEqual(results, [{ success: true, content: [] }]);
  });

  it('that say hello again and subscribe stay; the time of grace begins when they were last there', async () => {
    const { peer, onlooker, session } = await open();
    await broken(peer);
    const again = await place.connect('c1');
    await again.subscribe(session);
    timers.pass(CLIENT_GRACE_MS);
    await onlooker.request('ping', {});
    assert.deepEqual(clientsOf(onlooker, session), ['c1']);
    await broken(again);
    timers.pass(CLIENT_GRACE_MS);
    await onlooker.until(() => clientsOf(onlooker, session).length === 0);
  });

  it('that break off twice have one time of grace, which begins with the second break', async () => {
    const { peer, onlooker, session } = await open();
    await broken(peer);
    const again = await reconnect(peer, [ROOT, session]);
    again.close();
    while (!timers.has(REMEMBERED_MS)) await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(timers.count(CLIENT_GRACE_MS), 1);
    timers.pass(CLIENT_GRACE_MS);
    await onlooker.until(() => clientsOf(onlooker, session).length === 0);
    assert.equal(timers.count(CLIENT_GRACE_MS), 0);
  });
});
