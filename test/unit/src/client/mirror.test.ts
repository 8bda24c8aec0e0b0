import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { chatChannel } from '../../../../sidecar/protocol/channels/chat/channel.ts';
import type { ChatState } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import { sessionChannel } from '../../../../sidecar/protocol/channels/session/channel.ts';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import type { TerminalState } from '../../../../sidecar/protocol/channels/terminal/schema.ts';
import type { ActionEnvelope, AnyAction } from '../../../../sidecar/protocol/envelope.ts';
import { settleSession } from '../../../../sidecar/protocol/settleSession.ts';
import { ChannelMirror } from '../../../../src/client/mirror.ts';
import { chatAction, emptyChat, emptySession, sessionAction } from '../../../support/protocol/arbitraryActions.ts';

const mine = { clientId: 'c1', clientSeq: 1 };
const title = (text: string): AnyAction => ({ type: 'session/titleChanged', title: text }) as AnyAction;
function make<S>(uri: string): ChannelMirror<S> {
  return new ChannelMirror<S>({ uri, clientId: 'c1', now: () => '2030-01-01T00:00:00Z' });
}
function session(): ChannelMirror<SessionState> {
  const mirror = make<SessionState>('host-session:/1');
  mirror.reset({ state: emptySession, fromSeq: 10 });
  return mirror;
}
const envelope = (serverSeq: number, action: AnyAction, more: Partial<ActionEnvelope> = {}): ActionEnvelope => ({
  channel: 'host-session:/1',
  action,
  serverSeq,
  _meta: { at: '2026-01-01T00:00:00Z' },
  ...more,
});

describe('ChannelMirror', () => {
  it('equals the host wherever the snapshot was taken, with the time of the host', () => {
    const actions = fc.array(chatAction, { maxLength: 40, size: 'max' });
    fc.assert(
      fc.property(actions, fc.nat(40), fc.nat(40), (all, asked, taken) => {
        const mirror = make<ChatState>('host-chat:/a');
        const at = (n: number) => new Date(n * 1_000).toISOString();
        const states = [emptyChat];
        for (const [n, it] of all.entries()) states.push(chatChannel.reduce(states[n]!, it, { now: at(n) }));
        const fromSeq = Math.min(Math.max(asked, taken), all.length);
        const send = (n: number) =>
          mirror.receive({ channel: 'host-chat:/a', action: all[n]!, serverSeq: n + 1, _meta: { at: at(n) } });
        for (let n = Math.min(asked, all.length); n < fromSeq; n++) send(n);
        mirror.reset({ state: states[fromSeq]!, fromSeq });
        for (let n = fromSeq; n < all.length; n++) send(n);
        assert.deepEqual(mirror.shown, states.at(-1));
      }),
    );
  });

  it('gives a session the activity that no action carries', () => {
    fc.assert(
      fc.property(fc.array(sessionAction, { maxLength: 40, size: 'max' }), (actions) => {
        const mirror = session();
        const context = { now: '2026-01-01T00:00:00Z' };
        const host = actions.reduce(
          (it, action) => settleSession(sessionChannel.reduce(it, action, context)),
          emptySession,
        );
        for (const [n, action] of actions.entries()) mirror.receive(envelope(11 + n, action));
        assert.deepEqual(mirror.shown, host);
      }),
    );
  });

  it('keeps what came before the snapshot and drops what the snapshot contains', () => {
    const mirror = make<SessionState>('host-session:/1');
    const nothing: unknown = mirror.shown;
    assert.equal(nothing, undefined);
    for (const [seq, text] of [
      [9, 'old'],
      [10, 'contained'],
      [11, 'new'],
    ] as const) {
      assert.equal(mirror.receive(envelope(seq, title(text))), 'buffered');
    }
    mirror.reset({ state: { ...emptySession, title: 'contained' }, fromSeq: 10 });
    assert.equal(mirror.shown?.title, 'new');
  });

  it('applies each number once: not the one that its snapshot ends with, and none twice', () => {
    const mirror = make<TerminalState>('host-terminal:/1');
    const data = (serverSeq: number, text: string) =>
      mirror.receive({
        ...envelope(serverSeq, { type: 'terminal/data', data: text } as AnyAction),
        channel: 'host-terminal:/1',
      });
    mirror.awaitSnapshot();
    data(10, 'a');
    data(11, 'b');
    const claim = { kind: 'client', clientId: 'c1' } as const;
    mirror.reset({ state: { title: '', claim, content: [{ type: 'unclassified', value: 'a' }] }, fromSeq: 10 });
    data(10, 'a');
    data(11, 'b');
    data(12, 'c');
    assert.deepEqual(mirror.shown?.content, [{ type: 'unclassified', value: 'abc' }]);
  });

  it('shows an expected action at once, and once the host said it too', () => {
    const mirror = session();
    mirror.expect(1, title('mine'));
    assert.equal(mirror.shown?.title, 'mine');
    assert.equal(mirror.confirmed?.title, emptySession.title);
    mirror.receive(envelope(11, title('theirs')));
    assert.equal(mirror.shown?.title, 'mine', 'ours is replayed on top');
    mirror.receive(envelope(12, title('mine'), { origin: mine }));
    assert.equal(mirror.shown, mirror.confirmed);
  });

  it('takes a refused action back and applies nothing', () => {
    const mirror = session();
    mirror.expect(1, title('mine'));
    assert.equal(mirror.receive(envelope(11, title('mine'), { origin: mine, rejectionReason: 'no' })), 'changed');
    assert.equal(mirror.shown?.title, emptySession.title);
  });

  it('takes the repeated receipt of what its snapshot contains', () => {
    const mirror = session();
    mirror.expect(1, title('mine'));
    mirror.receive(envelope(12, title('later')));
    assert.equal(mirror.receive(envelope(5, title('mine'), { origin: mine })), 'changed');
    assert.equal(mirror.shown?.title, 'later');
  });

  it('does not take the receipt of another client for its own', () => {
    const mirror = session();
    mirror.expect(1, title('mine'));
    mirror.receive(envelope(11, title('theirs'), { origin: { clientId: 'c2', clientSeq: 1 } }));
    assert.equal(mirror.shown?.title, 'mine');
  });

  it('skips types of tomorrow, and wants a snapshot after a broken one of today', () => {
    const mirror = session();
    assert.equal(mirror.receive(envelope(11, { type: 'session/tomorrow' })), 'unchanged');
    assert.equal(mirror.receive(envelope(12, { type: 'session/titleChanged' })), 'needsSnapshot');
    assert.equal(mirror.receive(envelope(13, title('kept aside'))), 'buffered');
    assert.equal(mirror.shown?.title, emptySession.title);
    mirror.reset({ state: emptySession, fromSeq: 12 });
    assert.equal(mirror.shown?.title, 'kept aside');
  });

  it('computes what it shows once for each change', () => {
    const mirror = session();
    mirror.expect(1, title('mine'));
    assert.equal(mirror.shown, mirror.shown);
  });

  it('takes the receipt that waited behind a broken action, so that its own is not shown on top for ever', () => {
    const mirror = session();
    mirror.expect(1, title('mine'));
    mirror.awaitSnapshot();
    mirror.receive(envelope(12, { type: 'session/titleChanged' }));
    mirror.receive(envelope(13, title('mine'), { origin: mine }));
    assert.equal(mirror.reset({ state: emptySession, fromSeq: 11 }), 'needsSnapshot');
    mirror.reset({ state: { ...emptySession, title: 'later' }, fromSeq: 14 });
    assert.equal(mirror.shown?.title, 'later');
  });

  it('keeps its own when the receipt of another client was kept for a snapshot that never came', () => {
    const mirror = session();
    mirror.expect(1, title('mine'));
    mirror.awaitSnapshot();
    mirror.receive(envelope(11, title('theirs'), { origin: { clientId: 'c2', clientSeq: 1 } }));
    mirror.awaitSnapshot();
    assert.equal(mirror.shown?.title, 'mine');
    mirror.receive(envelope(12, title('mine'), { origin: mine }));
    mirror.awaitSnapshot();
    assert.equal(mirror.shown?.title, emptySession.title);
  });

  it('shows nothing of what it expected of a channel that is gone when there is one of that name again', () => {
    const mirror = session();
    mirror.expect(1, title('mine'));
    mirror.clear();
    assert.equal(mirror.shown, undefined);
    mirror.reset({ state: emptySession, fromSeq: 1 });
    assert.equal(mirror.shown, emptySession);
  });

  it('shows what it expects with the time at which that was sent, however often it is computed', () => {
    let minute = 10;
    const now = () => `2030-01-01T00:${minute}:00Z`;
    const mirror = new ChannelMirror<ChatState>({ uri: 'host-chat:/a', clientId: 'c1', now });
    mirror.reset({ state: emptyChat, fromSeq: 0 });
    const message = { text: 'go', origin: { kind: 'user' } };
    mirror.expect(1, { type: 'chat/turnStarted', turnId: 't', message } as AnyAction);
    const sentAt = mirror.shown?.modifiedAt;
    assert.match(sentAt ?? '', /00:10:00/);
    minute = 20;
    const draft = { type: 'chat/draftChanged', draft: { text: 'x', origin: { kind: 'user' } } } as AnyAction;
    mirror.receive({ channel: 'host-chat:/a', action: draft, serverSeq: 1, _meta: { at: sentAt! } });
    assert.equal(mirror.shown?.draft?.text, 'x');
    assert.equal(mirror.shown?.modifiedAt, sentAt);
  });
});
