import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'mocha';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a client that comes back', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const start = (turnId: string) =>
    ({
      type: 'chat/turnStarted',
      turnId,
      startedAt: '2026-01-01T00:00:00Z',
      message: { text: 'go', origin: { kind: 'user' } },
    }) as AnyAction;

  it('gets what it missed, and the states of what it never had', async () => {
    verifies(
      'host.command.reconnect',
      'host.service.snapshot',
      'host.service.after-snapshot',
      'host.event.server-seq',
      'host.error.-32008',
    );
    place = await openHostPlace([
      scriptedProvider(async function* () {
        yield { kind: 'text', partId: 'a', text: 'done' };
      }),
    ]);
    const peer = await place.connect('c1');
    const { session, chat } = await peer.newSession();
    const seen = peer.envelopes.at(-1)!.serverSeq;
    const other = await place.connect('c2');
    await other.subscribe(chat);
    peer.close();
    const turnId = await other.prompt(chat, 'hello');
    await other.ended(chat, turnId);
    const back = place.connectSilently();
    const result = await back.request('reconnect', {
      clientId: 'c1',
      lastSeenServerSeq: seen,
      subscriptions: [ROOT, session, chat, 'host-chat:/none'],
    });
    assert.equal(result.type, 'replay');
    assert.ok(result.type === 'replay');
    assert.deepEqual(result.missing, ['host-chat:/none']);
    assert.ok(result.actions.some((it) => it.action.type === 'chat/turnComplete'));
    assert.ok(result.actions.every((it) => it.serverSeq > seen));
    const unknown = place.connectSilently();
    await assert.rejects(unknown.request('reconnect', { clientId: 'c9', lastSeenServerSeq: 0, subscriptions: [] }), {
      code: -32008,
    });
    other.close();
    const third = place.connectSilently();
    const states = await third.request('reconnect', {
      clientId: 'c2',
      lastSeenServerSeq: 0,
      subscriptions: [ROOT, chat, session],
    });
    assert.equal(states.type, 'snapshot');
    assert.equal(states.type === 'snapshot' && states.snapshots.length, 3);
  });

  it('and sends again what was not echoed, has it applied once', async () => {
    let runs = 0;
    place = await openHostPlace([
      scriptedProvider(async function* () {
        runs += 1;
      }),
    ]);
    const peer = await place.connect('c1');
    const { chat } = await peer.newSession();
    const turnId = randomUUID();
    const first = peer.dispatch(chat, start(turnId));
    await peer.ended(chat, turnId);
    const before = peer.envelopes.length;
    peer.dispatch(chat, start(turnId), first);
    await peer.until(() => peer.envelopes.length > before);
    const receipt = peer.envelopes.at(-1)!;
    assert.equal(receipt.origin?.clientSeq, first);
    assert.equal(receipt.serverSeq, peer.envelopes.find((it) => it.origin?.clientSeq === first)?.serverSeq);
    await place.restart();
    const later = await place.connect('c1');
    await later.subscribe(chat);
    later.dispatch(chat, start(turnId), first);
    await later.until(() =>
      later.envelopes.some((it) => it.origin?.clientSeq === first && it.rejectionReason === undefined),
    );
    assert.equal(later.chat(chat).activeTurn, undefined);
    later.dispatch(chat, start(turnId), 0);
    await later.until(() => later.envelopes.some((it) => it.rejectionReason === 'this turn has already run'));
    assert.equal(runs, 1);
  });
});

describe('a dispatch', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  it('is refused to its sender alone, with a reason; an unknown channel gets no answer', async () => {
    verifies('host.command.dispatchAction');
    place = await openHostPlace([scriptedProvider(async function* () {})]);
    const peer = await place.connect('c1');
    const { session, chat } = await peer.newSession();
    const other = await place.connect('c2');
    await other.subscribe(chat);
    await other.subscribe(session);
    const before = other.envelopes.length;
    for (const { channel, action, reason } of [
      {
        channel: chat,
        action: { type: 'chat/turnComplete', turnId: 't', duration: 1 } as AnyAction,
        reason: /clients must not dispatch this action/,
      },
      { channel: chat, action: { type: 'chat/turnStarted', turnId: '' } as AnyAction, reason: /turnId|message/ },
      { channel: chat, action: { type: 'chat/nonsense' }, reason: /clients must not dispatch this action/ },
      {
        channel: chat,
        action: { type: 'chat/turnCancelled', turnId: 'none', duration: 0 } as AnyAction,
        reason: /is not running/,
      },
      {
        channel: session,
        action: { type: 'session/configChanged', config: { a: 'b' } } as AnyAction,
        reason: /setting not found/,
      },
      {
        channel: session,
        action: { type: 'session/activeClientSet', activeClient: { clientId: 'c2', tools: [] } } as AnyAction,
        reason: /must be your own client ID/,
      },
    ]) {
      const { rejectionReason } = await peer.act(channel, action);
      assert.match(rejectionReason ?? '', reason);
    }
    peer.dispatch('host-chat:/none', { type: 'chat/draftChanged' });
    const last = await peer.act(session, { type: 'session/titleChanged', title: 'New' } as AnyAction);
    assert.equal(last.rejectionReason, undefined);
    await other.until(() => other.session(session).title === 'New');
    assert.equal(other.envelopes.length, before + 1);
  });

  it('is echoed once when it is sent twice before it was written', async () => {
    place = await openHostPlace([scriptedProvider(async function* () {})]);
    const peer = await place.connect();
    const { session } = await peer.newSession();
    const titled = { type: 'session/titleChanged', title: 'New' } as AnyAction;
    for (let n = 0; n < 2; n += 1) peer.dispatch(session, titled, 90);
    await peer.act(session, { ...titled, title: 'Newer' } as AnyAction);
    assert.equal(peer.envelopes.filter((it) => it.origin?.clientSeq === 90).length, 1);
  });
});

describe('a message that waits', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const queue = (id: string) =>
    ({
      type: 'chat/pendingMessageSet',
      kind: 'queued',
      id,
      message: { text: 'later', origin: { kind: 'user' } },
    }) as AnyAction;

  it('is played once, also when it is sent again, and whatever turn has its name', async () => {
    place = await openHostPlace([scriptedProvider(async function* () {})]);
    const peer = await place.connect('c1');
    const { chat } = await peer.newSession();
    assert.equal((await peer.act(chat, queue('m1'))).rejectionReason, undefined);
    await peer.ended(chat, 'from-m1');
    assert.equal((await peer.act(chat, queue('m1'))).rejectionReason, 'this message was already sent');
    await peer.ended(chat, await peer.prompt(chat, 'mine', 'from-m2'));
    assert.equal((await peer.act(chat, queue('m2'))).rejectionReason, 'this message was already sent');
    await peer.ended(chat, await peer.prompt(chat, 'still served'));
    assert.deepEqual(
      peer.chat(chat).turns.map((it) => it.message.text),
      ['later', 'mine', 'still served'],
    );
  });
});
