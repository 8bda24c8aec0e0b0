import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { ChatState } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { ConnectionLost, NoAnswer } from '../../../../src/client/connection.ts';
import { HostClient, type Rejection } from '../../../../src/client/hostClient.ts';
import { FakeHost } from '../../../support/fakeHost.ts';
import { emptyChat, emptySession } from '../../../support/protocol/arbitraryActions.ts';
import { verifies } from '../../../support/verifies.ts';

const chat = emptyChat.resource;
const session = 'host-session:/1';
const draft = (text: string) => ({ type: 'chat/draftChanged', draft: { text, origin: { kind: 'user' } } }) as const;
const titled = (title: string) => ({ type: 'session/titleChanged', title }) as const;
const soon = () => new Promise((resolve) => void setImmediate(resolve));

function start() {
  const host = new FakeHost();
  host.states.set(chat, emptyChat);
  host.states.set(session, emptySession);
  const timers = new Set<{ work: () => void; delayMs: number }>();
  const rejections: Rejection[] = [];
  const warnings: string[] = [];
  const client = new HostClient({
    clientId: 'c1',
    now: () => '2030-01-01T00:00:00Z',
    connect: async () => client.attach(host.connect()),
    warn: (message) => void warnings.push(message),
    schedule(work, delayMs) {
      const timer = { work, delayMs };
      timers.add(timer);
      return { dispose: () => void timers.delete(timer) };
    },
  });
  client.onDidReject((it) => rejections.push(it));
  const elapse = (ms: number) => {
    for (const it of [...timers]) if (it.delayMs <= ms && timers.delete(it)) it.work();
  };
  /** Until nothing is under way any more. */
  const drain = async () => {
    for (let idle = 0; idle < 2; ) {
      const moved = host.deliver(100, 100);
      await soon();
      elapse(1_000);
      idle = moved === 0 ? idle + 1 : 0;
    }
  };
  return { host, client, rejections, elapse, drain, timers, warnings };
}

type Step =
  | { do: 'draft' | 'title' | 'refused' | 'host' | 'corrupt' | 'cut' | 'connect' | 'wait' | 'reopen' }
  | { do: 'deliver'; up: number; down: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('deliver' as const), up: fc.nat(3), down: fc.nat(3) }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Step>(
      { do: 'draft' },
      { do: 'draft' },
      { do: 'title' },
      { do: 'refused' },
      { do: 'host' },
      { do: 'host' },
      { do: 'corrupt' },
      { do: 'cut' },
      { do: 'connect' },
      { do: 'wait' },
      { do: 'wait' },
      { do: 'reopen' },
    ),
  },
);

describe('HostClient', () => {
  it('ends with the state of the host and every dispatch applied once, in order, wherever the wire was cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const { host, client, rejections, drain } = start();
        client.attach(host.connect());
        let chatView = client.open<ChatState>(chat);
        const sessionView = client.open<SessionState>(session);
        const accepted: string[] = [];
        const refused: number[] = [];
        for (const [n, it] of steps.entries()) {
          if (it.do === 'draft') accepted.push(`c1 ${client.dispatch(chat, draft(`${n}`))}`);
          if (it.do === 'title') accepted.push(`c1 ${client.dispatch(session, titled(`${n}`))}`);
          if (it.do === 'refused') refused.push(client.dispatch(session, titled('refuse me')));
          if (it.do === 'host') host.commit(session, { type: 'session/activityChanged', activity: `${n}` } as never);
          if (it.do === 'corrupt') host.corrupt(chat);
          if (it.do === 'cut') host.cut('cut');
          if (it.do === 'connect') client.attach(host.connect());
          if (it.do === 'wait') await soon();
          if (it.do === 'deliver') host.deliver(it.up, it.down);
          if (it.do === 'reopen') {
            chatView.dispose();
            chatView = client.open<ChatState>(chat);
          }
        }
        if (!host.connected) client.attach(host.connect());
        await drain();
        assert.deepEqual(host.applied, accepted);
        assert.deepEqual(
          rejections.map((it) => it.clientSeq),
          refused,
        );
        assert.deepEqual(client.unanswered, []);
        assert.deepEqual(chatView.shown, host.states.get(chat));
        assert.deepEqual(sessionView.shown, host.states.get(session));
      }),
      { numRuns: 200 },
    );
  });

  it('connects by itself for the first request, dispatch or open', async () => {
    for (const need of ['request', 'dispatch', 'open'] as const) {
      const { host, client, drain } = start();
      const answered = need === 'request' ? client.request('ping', {}) : undefined;
      if (need === 'dispatch') client.dispatch(chat, draft('x'));
      if (need === 'open') client.open(chat);
      await soon();
      assert.ok(host.connected);
      await drain();
      assert.equal(await (answered ?? null), null);
    }
  });

  it('fails every waiting request at once when the connection ends, with the reason', async () => {
    const { host, client } = start();
    client.attach(host.connect());
    const waiting = [client.request('ping', {}), client.request('disposeChat', { channel: chat })];
    const settled = Promise.allSettled(waiting);
    host.cut('the host was stopped');
    for (const it of await settled) {
      assert.ok(it.status === 'rejected' && it.reason instanceof ConnectionLost);
      assert.equal(it.reason.message, 'the host was stopped');
    }
    assert.equal(client.handshake, undefined);
  });

  it('waits for no request without a limit, and stops on a signal', async () => {
    const { host, client, elapse, timers } = start();
    client.attach(host.connect());
    const slow = assert.rejects(client.request('ping', {}), NoAnswer);
    elapse(30_000);
    await slow;
    const abort = new AbortController();
    const stopped = assert.rejects(client.request('ping', {}, { signal: abort.signal }), { message: 'enough' });
    abort.abort(new Error('enough'));
    await stopped;
    assert.equal(timers.size, 0, 'nothing is left behind');
  });

  it('refuses an answer that is not what the method promises', async () => {
    const { host, client, drain } = start();
    client.attach(host.connect());
    const answered = assert.rejects(client.request('root/listSessions', {}), /root\/listSessions/);
    await drain();
    await answered;
  });

  it('shares one subscription among its holders and ends it with the last', async () => {
    const { host, client, drain } = start();
    client.attach(host.connect());
    const [one, two] = [client.open<ChatState>(chat), client.open<ChatState>(chat)];
    await drain();
    one.dispose();
    one.dispose();
    host.commit(chat, draft('still heard'));
    await drain();
    assert.equal(two.shown?.draft?.text, 'still heard');
    two.dispose();
    await drain();
    host.commit(chat, draft('not heard'));
    assert.equal(host.deliver(100, 100), 0);
  });

  it('takes no snapshot over a connection that ended in the tick in which it came', async () => {
    const { host, client, drain } = start();
    client.attach(host.connect());
    const view = client.open<ChatState>(chat);
    let changes = 0;
    view.onDidChange(() => (changes += 1));
    host.deliver(1, 1);
    host.cut('gone');
    await soon();
    assert.deepEqual([view.shown, changes], [undefined, 0]);
    host.states.set(chat, { ...emptyChat, title: 'of the host that came next' });
    client.attach(host.connect());
    await drain();
    assert.equal(view.shown?.title, 'of the host that came next');
  });

  it('takes no snapshot for which nobody waits any more, and does not ask again for a malformed one', async () => {
    const { host, client, drain, timers, warnings } = start();
    client.attach(host.connect());
    host.states.set(chat, { title: 'half a state' });
    const view = client.open<ChatState>(chat);
    host.deliver(1, 0);
    view.dispose();
    host.deliver(0, 1);
    await soon();
    assert.deepEqual([timers.size, warnings], [0, []]);
    await drain();
    assert.equal(view.shown, undefined);
  });

  it('asks again after a while for a snapshot that was malformed, until it is left or there is another connection', async () => {
    const { host, client, drain, timers, warnings } = start();
    client.attach(host.connect());
    host.states.set(chat, { title: 'half a state' });
    const view = client.open<ChatState>(chat);
    const attempt = async () => {
      host.deliver(100, 100);
      await soon();
    };
    await attempt();
    assert.deepEqual([warnings.length, timers.size, view.shown], [1, 1, undefined]);
    host.states.set(chat, emptyChat);
    await drain();
    assert.deepEqual([view.shown, timers.size], [emptyChat, 0]);

    for (const leave of [() => host.cut('gone'), () => view.dispose()]) {
      host.states.set(chat, { title: 'half a state' });
      client.attach(host.connect());
      await attempt();
      assert.equal(timers.size, 1);
      leave();
      assert.equal(timers.size, 0);
      assert.equal(host.deliver(100, 100), host.connected ? 1 : 0, 'it asks for nothing; it takes leave where it can');
    }
  });

  it('shows a dispatch at once, and takes it back with the reason when the host refuses', async () => {
    const { host, client, rejections, drain } = start();
    client.attach(host.connect());
    const view = client.open<SessionState>(session);
    await drain();
    const clientSeq = client.dispatch(session, titled('refuse me'));
    assert.equal(view.shown?.title, 'refuse me');
    await drain();
    assert.equal(view.shown?.title, emptySession.title);
    assert.deepEqual(rejections, [{ channel: session, clientSeq, action: titled('refuse me'), reason: 'refused' }]);
  });

  it('gives a dispatch up that the host never answers', async () => {
    const { host, client, rejections, elapse, drain } = start();
    client.attach(host.connect());
    client.dispatch('host-chat:/gone', draft('x'));
    await drain();
    assert.equal(client.unanswered.length, 1);
    elapse(30_000);
    assert.deepEqual(
      rejections.map((it) => it.reason),
      ['the host did not answer'],
    );
    assert.deepEqual(client.unanswered, []);
  });

  it('does not give up while it has no connection what it will send again', async () => {
    const { host, client, rejections, elapse, drain } = start();
    client.attach(host.connect());
    const view = client.open<SessionState>(session);
    await drain();
    client.dispatch(session, titled('after the break'));
    host.cut('gone');
    elapse(30_000);
    assert.deepEqual([client.unanswered.length, rejections], [1, []]);
    client.attach(host.connect());
    await drain();
    assert.deepEqual([client.unanswered, rejections], [[], []]);
    assert.equal(view.shown?.title, 'after the break');
    assert.equal((host.states.get(session) as SessionState).title, 'after the break');
  });

  it('throws for an action that its channel does not have', () => {
    const { client } = start();
    assert.throws(() => client.dispatch(chat, { type: 'chat/tomorrow' }), /no such action/);
    assert.throws(() => client.dispatch(chat, { type: 'chat/draftChanged', draft: {} } as never), /draft\.text/);
    assert.throws(() => client.dispatch('file:///x', draft('x')), TypeError);
  });

  it('shows nothing of a channel that is gone', async () => {
    const { host, client, drain } = start();
    client.attach(host.connect());
    host.states.set(session, {
      ...emptySession,
      chats: [{ resource: chat, title: '', status: 1, modifiedAt: emptyChat.modifiedAt }],
    });
    const views = [client.open<ChatState>(chat), client.open<SessionState>(session), client.open('host-chat:/none')];
    await drain();
    assert.deepEqual(
      views.map((it) => it.shown !== undefined),
      [true, true, false],
    );
    host.notify('root/sessionRemoved', { channel: 'host-root://', session });
    await drain();
    assert.deepEqual(
      views.map((it) => it.shown),
      [undefined, undefined, undefined],
    );
  });

  it('keeps the latest notices and tells of well-formed notifications only', async () => {
    const { host, client, drain } = start();
    client.attach(host.connect());
    const removed: string[] = [];
    client.onNotification('root/sessionRemoved', (it) => removed.push(`${it.session} on ${it.channel}`));
    host.notify('root/sessionRemoved', { session: '' });
    host.notify('root/sessionRemoved', { session });
    host.notify('x-switchboard/noticesChanged', { items: [{ id: 'n', kind: 'diskFull', message: 'full' }] });
    await drain();
    assert.deepEqual(removed, [`${session} on host-root://`]);
    assert.deepEqual(
      client.notices.map((it) => it.kind),
      ['diskFull'],
    );
    host.cut('gone');
    assert.deepEqual(client.notices, []);
  });

  describe('and a dispatch that is larger than the host reads', () => {
    const limit = 2_000;
    const sized = (bytes: number) => draft('ä'.repeat(bytes / 2));

    for (const { says, isConnected } of [
      { says: 'at once', isConnected: true },
      { says: 'once there is a connection', isConnected: false },
    ]) {
      it(`refuses it with both sizes ${says}, and sends what is smaller`, async () => {
        verifies('host.client.message-limit');
        const { host, client, rejections, drain } = start();
        host.initializeMeta = { messageBytes: limit };
        client.attach(host.connect());
        const view = client.open<ChatState>(chat);
        if (!isConnected) host.cut('gone'); // the next dispatch connects again
        const large = client.dispatch(chat, sized(limit));
        const small = client.dispatch(chat, draft('small'));
        await soon();
        assert.deepEqual(
          rejections.map((it) => it.clientSeq),
          [large],
        );
        assert.match(rejections[0]!.reason, /2\.\d KB.*2\.0 KB/);
        await drain();
        client.attach(host.connect());
        await drain();
        assert.deepEqual(host.applied, [`c1 ${small}`]);
        assert.equal(host.received.get(`c1 ${large}`), undefined);
        assert.equal(view.shown?.draft?.text, 'small');
        assert.deepEqual(client.unanswered, []);
      });
    }

    it('does not send one again for which the host closed the connection, and sends the others', async () => {
      verifies('host.client.message-limit');
      const { host, client, rejections, drain } = start();
      client.attach(host.connect());
      const before = client.dispatch(session, titled('before'));
      const large = client.dispatch(chat, sized(limit));
      const after = client.dispatch(session, titled('after'));
      host.cut('a message was larger than 2000 bytes', 'messageTooLarge');
      client.attach(host.connect());
      await drain();
      assert.deepEqual(
        rejections.map((it) => it.clientSeq),
        [large],
      );
      assert.match(rejections[0]!.reason, /closed the connection/);
      assert.deepEqual(host.applied, [`c1 ${before}`, `c1 ${after}`]);
    });

    it('sends all again where a request was what the host did not take', async () => {
      verifies('host.client.message-limit');
      const { host, client, rejections, drain } = start();
      client.attach(host.connect());
      const seq = client.dispatch(session, titled('kept'));
      const asked = client.request('resourceRead', { channel: 'host-root://', uri: `file:///${'x'.repeat(limit)}` });
      host.cut('a message was larger than 2000 bytes', 'messageTooLarge');
      await assert.rejects(asked, ConnectionLost);
      client.attach(host.connect());
      await drain();
      assert.deepEqual(rejections, []);
      assert.deepEqual(host.applied, [`c1 ${seq}`]);
    });
  });
});
