import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import type { ActionEnvelope, AnyAction } from '../../../../sidecar/protocol/envelope.ts';
import { errorCodes } from '../../../../sidecar/protocol/errors.ts';
import { ConnectionLost } from '../../../../src/client/connection.ts';
import type { ChannelView } from '../../../../src/client/port.ts';
import type { Requests } from '../../../../src/client/requests.ts';
import { Subscription } from '../../../../src/client/subscription.ts';
import { type Later, later } from '../../../support/later.ts';
import { emptySession } from '../../../support/protocol/arbitraryActions.ts';

const uri = 'host-session:/1';
const title = (text: string): AnyAction => ({ type: 'session/titleChanged', title: text }) as AnyAction;
const broken = { type: 'session/titleChanged' } as AnyAction;
const envelope = (serverSeq: number, action: AnyAction): ActionEnvelope => ({ channel: uri, action, serverSeq });
const moments = async () => {
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => void setImmediate(resolve));
};

/** The requests of one connection, each answered by hand. */
class Asked {
  readonly answers: Later<unknown>[] = [];
  readonly requests = {
    send: () => {
      this.answers.push(later());
      return this.answers.at(-1)!.promise;
    },
  } as Partial<Requests> as Requests;

  async answer(text: string, fromSeq: number, n = this.answers.length - 1): Promise<void> {
    this.answers[n]!.resolve({ snapshot: { resource: uri, state: { ...emptySession, title: text }, fromSeq } });
    await moments();
  }
  async refuse(error: unknown, n = this.answers.length - 1): Promise<void> {
    this.answers[n]!.reject(error);
    await moments();
  }
}

describe('the subscription to a channel', () => {
  let waiting: Set<() => void>;
  let warnings: string[];
  let changes: number;
  let first: Asked;
  let second: Asked;
  let subscription: Subscription;
  let view: ChannelView<SessionState>;
  beforeEach(() => {
    [waiting, warnings, changes, first, second] = [new Set(), [], 0, new Asked(), new Asked()];
    subscription = new Subscription(
      uri,
      {},
      {
        clientId: 'c1',
        now: () => '2030-01-01T00:00:00Z',
        schedule(work) {
          waiting.add(work);
          return { dispose: () => void waiting.delete(work) };
        },
        warn: (message) => void warnings.push(message),
      },
    );
    view = subscription.hold<SessionState>(() => undefined);
    view.onDidChange(() => (changes += 1));
  });
  const shown = () => view.shown?.title;
  const elapse = () => {
    for (const work of [...waiting]) {
      waiting.delete(work);
      work();
    }
  };

  it('shows what the connection of now said, whenever the one before answers', async () => {
    subscription.subscribe(first.requests);
    subscription.subscribe(second.requests);
    await second.answer('second', 10);
    await first.answer('first', 20);
    assert.equal(shown(), 'second');
    subscription.receive(envelope(11, title('next')));
    assert.equal(shown(), 'next');
  });

  for (const { says, answered } of [
    { says: 'answers', answered: (it: Asked) => it.answer('late', 20) },
    { says: 'refuses', answered: (it: Asked) => it.refuse(new Error('late')) },
    {
      says: 'does not know the channel',
      answered: (it: Asked) => it.refuse(Object.assign(new Error('gone'), { code: errorCodes.SessionNotFound })),
    },
  ]) {
    it(`stays as it is, and asks nothing, where a connection that is lost ${says}`, async () => {
      subscription.subscribe(first.requests);
      await first.answer('known', 10);
      subscription.refresh('a test');
      subscription.disconnect();
      const before = changes;
      await answered(first);
      assert.deepEqual([shown(), changes, waiting.size], ['known', before, 0]);
      assert.deepEqual(warnings, [`asking for ${uri} again: a test`]);
    });
  }

  it('shows nothing between a break and the next snapshot that only the lost connection said', async () => {
    subscription.subscribe(first.requests);
    await first.answer('known', 10);
    subscription.disconnect();
    subscription.receive(envelope(11, title('on the way')));
    assert.equal(shown(), 'known');
    subscription.subscribe(second.requests);
    await second.answer('of a new host', 3);
    subscription.receive(envelope(4, title('its next')));
    assert.equal(shown(), 'its next');
  });

  it('waits for the next connection where the one of now ended before it answered', async () => {
    subscription.subscribe(first.requests);
    await first.refuse(new ConnectionLost('cut'));
    assert.deepEqual([waiting.size, warnings], [0, []]);
  });

  it('asks once more after a while, however often it was refused meanwhile, and only the connection of now', async () => {
    subscription.subscribe(first.requests);
    await first.refuse(new Error('busy'));
    subscription.refresh('a test');
    await first.refuse(new Error('busy'));
    assert.equal(waiting.size, 1);
    subscription.subscribe(second.requests);
    elapse();
    assert.deepEqual([first.answers.length, second.answers.length], [2, 1]);
  });

  it('asks again where something broken came while it waited for the snapshot', async () => {
    subscription.subscribe(first.requests);
    subscription.receive(envelope(11, broken));
    await first.answer('first', 10);
    assert.equal(waiting.size, 1);
    elapse();
    await first.answer('whole', 12);
    subscription.receive(envelope(13, title('next')));
    assert.deepEqual([shown(), first.answers.length], ['next', 2]);
  });

  it('asks at once where something broken comes, and keeps what follows for the answer', async () => {
    subscription.subscribe(first.requests);
    await first.answer('first', 10);
    subscription.receive(envelope(11, broken));
    subscription.receive(envelope(12, title('behind')));
    assert.equal(shown(), 'first');
    await first.answer('whole', 11);
    assert.deepEqual([shown(), first.answers.length], ['behind', 2]);
  });

  it('tells its holders of every change, and none who left', async () => {
    let left = 0;
    const other = subscription.hold<SessionState>(() => assert.fail('somebody holds it'));
    other.onDidChange(() => (left += 1));
    subscription.subscribe(first.requests);
    await first.answer('first', 10);
    assert.deepEqual([changes, left], [1, 1]);
    other.dispose();
    other.dispose();
    subscription.expect(1, title('mine'));
    subscription.forget(1);
    subscription.forget(1);
    assert.deepEqual([changes, left, shown()], [3, 1, 'first']);
    subscription.clear();
    assert.deepEqual([changes, shown()], [4, undefined]);
  });

  it('says that it was refused until it asks again, and when its channel is gone', async () => {
    const said = [view.isRefused];
    const note = () => said.push(view.isRefused);
    subscription.subscribe(first.requests);
    note();
    for (const error of [new Error('busy'), Object.assign(new Error('gone'), { code: errorCodes.SessionNotFound })]) {
      await first.refuse(error);
      note();
      subscription.refresh('a test');
      note();
    }
    subscription.refresh('a test');
    await first.refuse(new Error('busy'), first.answers.length - 2);
    await first.answer('first', 10);
    note();
    subscription.clear();
    note();
    assert.deepEqual(said, [false, false, true, false, true, false, false, true]);
  });

  it('asks no more once the last holder left', async () => {
    subscription.subscribe(first.requests);
    await first.refuse(new Error('busy'));
    view.dispose();
    assert.equal(waiting.size, 0);
    assert.equal(first.answers.length, 1);
  });
});
