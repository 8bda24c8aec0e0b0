import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'mocha';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

/** Pages that one connection may go on from. */
const MOST_PAGES = 200;

describe('pages of sessions', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  /** A client, and as many sessions as are wanted, each with a turn. */
  async function open(count: number): Promise<HostPeer> {
    place = await openHostPlace([scriptedProvider(async function* () {})]);
    const peer = await place.connect();
    for (let n = 0; n < count; n += 1) {
      const { chat } = await peer.newSession();
      await peer.ended(chat, await peer.prompt(chat, `session ${n}`));
    }
    return peer;
  }
  const titles = ({ items }: { items: readonly { title: string }[] }) => items.map((it) => it.title);

  it('go on from where they ended, also twice, on the connection that has the first one alone', async () => {
    const peer = await open(3);
    const first = await peer.request('listSessions', { limit: 2 });
    assert.deepEqual(titles(first), ['session 2', 'session 1']);
    const cursor = first.nextCursor!;
    for (const _ of [1, 2]) {
      const rest = await peer.request('listSessions', { limit: 2, cursor });
      assert.deepEqual([titles(rest), rest.nextCursor], [['session 0'], undefined]);
    }
    const other = await place.connect('c2');
    await assert.rejects(other.request('listSessions', { cursor }), {
      code: -32602,
      message: 'cursor: unknown or expired',
    });
    const whole = await peer.request('listSessions', { limit: 3 });
    assert.deepEqual([whole.items.length, 'nextCursor' in whole], [3, false]);
  });

  it(`are remembered for the last ${MOST_PAGES} that were asked for`, async () => {
    const peer = await open(2);
    const cursors: string[] = [];
    for (let n = 0; n <= MOST_PAGES; n += 1)
      cursors.push((await peer.request('listSessions', { limit: 1 })).nextCursor!);
    const [oldest, next, newest] = [cursors[0]!, cursors[1]!, cursors.at(-1)!];
    await assert.rejects(peer.request('listSessions', { cursor: oldest }), { code: -32602 });
    for (const cursor of [next, newest])
      assert.deepEqual(titles(await peer.request('listSessions', { cursor })), ['session 0']);
  });
});

describe('a host that is asked to stop', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  it('stops for whoever asks after its answer, but not in the middle of a turn unless that is said to be meant', async () => {
    const stops: boolean[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => void (release = resolve));
    const agent = scriptedProvider(async function* () {
      await held;
    });
    place = await openHostPlace([agent], { onStopRequested: (restart) => void stops.push(restart) });
    const peer = await place.connect();
    const { chat } = await peer.newSession();
    const turnId = await peer.prompt(chat, 'go');
    const stop = (restart: boolean, more: object = {}) => peer.request('x-switchboard/stopHost', { restart, ...more });
    for (const more of [{}, { force: false }])
      await assert.rejects(stop(true, more), { message: 'an agent is working' });
    await peer.request('ping', {});
    assert.deepEqual(stops, []);
    assert.equal(await stop(true, { force: true }), null);
    release();
    await peer.ended(chat, turnId);
    assert.equal(await stop(false), null);
    while (stops.length < 2) await new Promise((resolve) => void setImmediate(resolve));
    assert.deepEqual(stops, [true, false]);
  });
});

describe('what a client may put into a chat', () => {
  let place: HostPlace;
  let release = () => {};
  afterEach(async () => {
    release();
    await place.close();
  });

  it('is limited in messages that wait, drafts and attachments; what takes the place of another is no more', async () => {
    const held = new Promise<void>((resolve) => void (release = resolve));
    const agent = scriptedProvider(async function* () {
      await held;
    });
    place = await openHostPlace([agent]);
    const peer = await place.connect('c1', testWindow);
    const { chat } = await peer.newSession();
    await peer.prompt(chat, 'go');
    const message = (text: string, attachments = 0) => ({
      text,
      origin: { kind: 'user' },
      ...(attachments > 0 && {
        attachments: Array.from({ length: attachments }, (_, n) => ({ type: 'simple', label: `a${n}` })),
      }),
    });
    const act = async (action: object) => (await peer.act(chat, action as AnyAction)).rejectionReason;
    const queue = (id: string, text = 'later') =>
      act({ type: 'chat/pendingMessageSet', kind: 'queued', id, message: message(text) });
    for (let n = 0; n < 100; n += 1) assert.equal(await queue(`m${n}`), undefined);
    assert.equal(await queue('one-more'), 'too many queued messages (limit: 100)');
    assert.equal(await queue('m7', 'changed'), undefined);
    const steer = { type: 'chat/pendingMessageSet', kind: 'steering', id: 's', message: message('now') };
    assert.equal(await act(steer), undefined);

    const draft = (text: string, attachments = 0) =>
      act({ type: 'chat/draftChanged', draft: message(text, attachments) });
    const around = JSON.stringify(message('')).length;
    const most = 1024 * 1024;
    assert.equal(await draft('x'.repeat(most - around)), undefined);
    assert.equal(await draft('x'.repeat(most - around + 1)), `draft: must have at most ${most} characters`);
    assert.equal(await draft('', 100), undefined);
    assert.equal(await draft('', 101), 'draft.attachments: must have at most 100 entries');
    const start = { type: 'chat/turnStarted', turnId: randomUUID(), startedAt: '2026-01-01T00:00:00Z' };
    assert.equal(
      await act({ ...start, message: message('go', 101) }),
      'message.attachments: must have at most 100 entries',
    );
  });
});
