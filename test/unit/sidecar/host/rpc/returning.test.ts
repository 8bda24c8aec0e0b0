import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'mocha';
import { CLIENT_GRACE_MS } from '../../../../../sidecar/host/rpc/clients.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { type ConnectionLimits, defaultLimits } from '../../../../../sidecar/protocol/limits.ts';
import { ROOT, sessionUri } from '../../../../../sidecar/protocol/uris.ts';
import { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { memoryPair } from '../../../../support/memoryPair.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a client and its connections', () => {
  let place: HostPlace;
  let timers: ManualTimers;
  afterEach(() => place.close());

  async function open(): Promise<void> {
    timers = new ManualTimers();
    place = await openHostPlace([scriptedProvider(async function* () {})], { timers });
  }
  async function back(lastSeenServerSeq: number, subscriptions: string[], more: object = {}) {
    const peer = place.connectSilently();
    peer.clientId = 'c1';
    const result = await peer.request('reconnect', { clientId: 'c1', lastSeenServerSeq, subscriptions, ...more });
    if (result.type === 'snapshot') for (const it of result.snapshots) peer.reset(it);
    return { peer, result };
  }
  const rename = (title: string) => ({ type: 'session/titleChanged', title }) as AnyAction;
  const notices = (peer: HostPeer) => peer.notified.filter((it) => it.method === 'x-switchboard/noticesChanged').length;
  function limited(limits: Partial<ConnectionLimits>): HostPeer {
    const [ours, theirs] = memoryPair();
    place.host.attach(theirs, { build: { version: '0.1.0', builtAtMs: 1 }, limits: { ...defaultLimits, ...limits } });
    return new HostPeer(ours);
  }

  it('is served over the one on which it came back; the one before is closed and costs it nothing later', async () => {
    verifies('host.command.reconnect');
    await open();
    const before = await place.connect('c1');
    const { session } = await before.newSession();
    const closed = new Promise((resolve) => void before.peer.onClose(resolve));
    const { peer } = await back(before.envelopes.at(-1)!.serverSeq, [session]);
    await closed;
    const seen = before.envelopes.length;
    timers.pass(CLIENT_GRACE_MS);
    assert.equal((await peer.act(session, rename('Still there'))).rejectionReason, undefined);
    await peer.until(() => notices(peer) === 1);
    assert.deepEqual([before.envelopes.length, notices(peer), place.host.clients], [seen, 1, 1]);
    await back(0, []); // it is known
  });

  it('hears of what it does over the later one of two with its name, also when the earlier one ends', async () => {
    await open();
    const before = await place.connect('c1');
    const { session } = await before.newSession();
    const now = await place.connect('c1');
    before.close();
    while (place.host.clients === 2) await new Promise((resolve) => void setImmediate(resolve));
    assert.equal((await now.act(session, rename('Its own'))).rejectionReason, undefined);
    timers.pass(CLIENT_GRACE_MS);
    assert.equal((await now.act(session, rename('Later'))).rejectionReason, undefined);
  });

  it('gets the state of a session that was made again under its name while it was away, not what happened in two', async () => {
    verifies('host.command.reconnect', 'host.reconnect.made-again');
    await open();
    const session = sessionUri(randomUUID());
    const away = await place.connect('c1');
    await away.request('createSession', { channel: session });
    await away.subscribe(session);
    const other = await place.connect('c2');
    await away.act(session, rename('The first'));
    const seen = away.envelopes.at(-1)!.serverSeq;
    away.close();
    await other.request('disposeSession', { channel: session });
    await other.request('createSession', { channel: session });
    await other.subscribe(session);
    await other.until(() => other.session(session).lifecycle === 'ready');
    const { peer, result } = await back(seen, [ROOT, session]);
    assert.equal(result.type, 'snapshot');
    assert.deepEqual(peer.session(session), other.session(session));
    const { result: again } = await back(seen, [session]);
    assert.equal(again.type, 'replay', 'now it has the one that is there');
    await other.request('disposeSession', { channel: session });
    const { result: gone } = await back(seen, [session]);
    assert.ok(gone.type === 'replay');
    assert.deepEqual(gone.missing, [session]);
  });

  it('keeps the window that it had when it names none, and has the new one when it does', async () => {
    await open();
    const before = await place.connect('c1');
    const answer = (peer: HostPeer) => peer.request('x-switchboard/accessAnswer', { id: 'none', allow: true });
    await assert.rejects(answer(before), { code: -32008 });
    const { peer } = await back(0, []);
    await assert.rejects(answer(peer), { code: -32008 });
    const window = { ...testWindow, answersQuestions: false };
    const { peer: unmanned } = await back(0, [], { initializationOptions: { window } });
    await assert.rejects(answer(unmanned), { code: -32009 });
  });

  it('is told what it missed in the channels that it names, and gets states where its number cannot be right', async () => {
    verifies('host.command.reconnect');
    await open();
    const before = await place.connect('c1');
    const { session, chat } = await before.newSession();
    const seen = before.envelopes.at(-1)!.serverSeq;
    await before.ended(chat, await before.prompt(chat, 'hello'));
    const last = before.envelopes.at(-1)!.serverSeq;
    const { result } = await back(seen, [chat, chat]);
    assert.ok(result.type === 'replay');
    assert.deepEqual([new Set(result.actions.map((it) => it.channel)), result.missing], [new Set([chat]), []]);
    const { result: whole } = await back(last + 1_000, [chat]);
    assert.equal(whole.type, 'snapshot');
    const { result: more } = await back(last, [chat, session]);
    assert.equal(more.type, 'snapshot', 'it let go of the session, and has no state of it');
  });

  it('belongs to the credential that used its name first: another one gets nothing, and ends nothing', async () => {
    verifies('host.client.id-bound');
    await open();
    const owner = place.connectSilently('one');
    await owner.initialize('c1', testWindow);
    const refused = { code: -32009, message: 'clientId: belongs to another client; choose a different ID' };
    for (const credential of ['two', undefined]) {
      const thief = () => place.connectSilently(credential);
      await assert.rejects(thief().initialize('c1', testWindow), refused);
      const comeBack = { clientId: 'c1', lastSeenServerSeq: 0, subscriptions: [ROOT] };
      await assert.rejects(thief().request('reconnect', comeBack), refused);
    }
    assert.equal(await owner.request('ping', {}), null);
    owner.close();
    const again = place.connectSilently('one');
    await again.request('reconnect', { clientId: 'c1', lastSeenServerSeq: 0, subscriptions: [] });
  });

  it('is subscribed to as many channels as its limit says, each counted once, and what is gone counts no more', async () => {
    await open();
    const host = await place.connect('owner');
    const those = [await host.newSession(), await host.newSession()];
    const [one, two] = those.map((it) => it.session) as [string, string];
    const tooMany = { code: -32602, message: 'channel: too many subscriptions (limit: 2)' };
    const peer = limited({ subscriptions: 2 });
    const { snapshots } = await peer.initialize('c1', testWindow, [ROOT, ROOT, one, two]);
    assert.deepEqual(
      snapshots.map((it) => it.resource),
      [ROOT, one],
    );
    await peer.subscribe(one);
    await assert.rejects(peer.subscribe(two), tooMany);
    await assert.rejects(peer.request('subscribe', { channel: 'host-otlp:/logs' }), tooMany);
    await host.act(two, { type: 'session/titleChanged', title: 'not for it' } as AnyAction);
    await peer.request('ping', {});
    assert.ok(!peer.envelopes.some((it) => it.channel === two), 'what was refused is not delivered');
    await host.request('disposeSession', { channel: one });
    await peer.subscribe(two);
    await assert.rejects(peer.subscribe(those[1]!.chat), tooMany);
    peer.peer.sendNotification('unsubscribe', { channel: ROOT });
    await peer.subscribe(those[1]!.chat);
    peer.close();
    const again = limited({ subscriptions: 2 });
    const asked = { clientId: 'c1', lastSeenServerSeq: host.envelopes.at(-1)!.serverSeq };
    const result = await again.request('reconnect', { ...asked, subscriptions: [two, two, those[1]!.chat, ROOT] });
    assert.ok(result.type === 'replay');
    assert.deepEqual(result.missing, [ROOT]);
  });
});
