import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ChatPage } from '../../../../../src/webviews/chat/chatPage.ts';
import type { ChatToPage, ModelMessage } from '../../../../../src/webviews/contract/chat.ts';
import type { ChatModel } from '../../../../../src/webviews/contract/chatModel.ts';

function setUp() {
  const posted: ChatToPage[] = [];
  const shown: (ModelMessage | undefined)[] = [];
  const waiting: (() => void)[] = [];
  const state = { text: 'a', isVisible: true, isThere: false, earlier: [] as readonly object[] };
  // As their builder does it: a row that did not change is the same object.
  const made = new Map<string, object>();
  const rowOf = (text: string) => {
    const row = made.get(text) ?? { kind: 'markdown', id: 'm', turnId: 't', text };
    made.set(text, row);
    return row;
  };
  const page = new ChatPage({
    post: (message) => posted.push(message),
    model: () =>
      ({
        head: {},
        rows: [...state.earlier, rowOf(state.text)],
      }) as unknown as ChatModel,
    show: (first) => shown.push(first),
    isVisible: () => state.isVisible,
    isThere: () => state.isThere,
    strings: undefined,
    schedule: (work) => {
      waiting.push(work);
      return { dispose: () => void waiting.splice(waiting.indexOf(work), 1) };
    },
  });
  const nextFrame = () => {
    for (const work of waiting.splice(0)) work();
  };
  return { page, posted, shown, waiting, state, nextFrame };
}

describe('the road to a chat page', () => {
  it('sends nothing before the page asked', () => {
    const { page, posted, waiting } = setUp();
    page.changed();
    assert.deepEqual([posted.length, waiting.length], [0, 0]);
  });

  it('answers with the whole model, and afterwards with one patch a frame', () => {
    const { page, posted, state, nextFrame } = setUp();
    page.ready();
    for (const text of ['ab', 'abc', 'abcd']) {
      state.text = text;
      page.changed();
    }
    nextFrame();
    assert.deepEqual(posted.slice(1), [{ type: 'patch', seq: 2, texts: [{ partId: 'm', offset: 1, text: 'bcd' }] }]);
  });

  it('sends a hidden page nothing, and what it missed when it comes back', () => {
    const { page, posted, waiting, state, nextFrame } = setUp();
    page.ready();
    state.isVisible = false;
    state.text = 'ab';
    page.changed();
    assert.equal(waiting.length, 0);
    state.isVisible = true;
    page.changed();
    nextFrame();
    assert.equal(posted.length, 2);
  });

  it('counts on when a page asks again', () => {
    const { page, posted } = setUp();
    page.ready();
    page.ready();
    assert.deepEqual(
      posted.map((it) => 'seq' in it && it.seq),
      [1, 2],
    );
  });

  it('shows the page with its model as soon as there is one, and does not send the model again when the page asks', () => {
    const { page, posted, shown, state, nextFrame } = setUp();
    page.begin(true);
    state.isThere = true;
    page.changed();
    assert.equal(shown.length, 0);
    nextFrame();
    page.ready();
    assert.deepEqual(
      shown.map((it) => it?.seq),
      [1],
    );
    assert.deepEqual(posted, []);
  });

  it('does not show the page later because its model changes while the page is due', () => {
    const { page, waiting, state } = setUp();
    page.begin(true);
    state.isThere = true;
    page.changed();
    const due = [...waiting];
    page.changed();
    assert.deepEqual(waiting, due);
  });

  it('sends patches for the model that is in the page', () => {
    const { page, posted, state, nextFrame } = setUp();
    state.isThere = true;
    page.begin(true);
    nextFrame();
    state.text = 'ab';
    page.changed();
    nextFrame();
    assert.deepEqual(posted, [{ type: 'patch', seq: 2, texts: [{ partId: 'm', offset: 1, text: 'b' }] }]);
  });

  it('sends earlier turns when the page asks, because it shows the last ones first', () => {
    const { page, posted, shown, state, nextFrame } = setUp();
    const row = { kind: 'markdown', id: 'e', turnId: 'earlier', text: 'An earlier answer.' };
    state.earlier = [row];
    state.text = 'x'.repeat(20_000);
    state.isThere = true;
    page.begin(true);
    nextFrame();
    assert.deepEqual(
      shown[0]?.model.rows.map((it) => it.id),
      ['m'],
    );
    page.changed();
    nextFrame();
    assert.deepEqual(posted, []);
    page.ready();
    nextFrame();
    assert.deepEqual(posted, [{ type: 'patch', seq: 2, splice: { at: 0, remove: 0, insert: ['e'] }, rows: [row] }]);
  });

  it('shows the page without its model if that takes too long, and sends the model later', () => {
    const { page, posted, shown, state, nextFrame } = setUp();
    page.begin(true);
    nextFrame();
    assert.deepEqual(shown, [undefined]);
    state.isThere = true;
    page.changed();
    page.ready();
    assert.deepEqual(
      posted.map((it) => it.type),
      ['model'],
    );
  });

  it('shows the page immediately if it replaces another one', () => {
    const { page, shown } = setUp();
    page.begin(false);
    assert.deepEqual(shown, [undefined]);
  });

  it('answers a page that asks before there is what it shows', () => {
    const { page, posted } = setUp();
    page.begin(false);
    page.ready();
    assert.equal(posted.length, 1);
  });

  it('removes the model from a page that is hidden before it asks, and sends the whole model when it asks', () => {
    const { page, posted, shown, state } = setUp();
    state.isThere = true;
    page.begin(false);
    state.isVisible = false;
    page.changed();
    page.changed();
    state.isVisible = true;
    page.ready();
    assert.deepEqual(
      shown.map((it) => it?.seq),
      [1, undefined],
    );
    assert.deepEqual(
      posted.map((it) => 'seq' in it && it.seq),
      [2],
    );
  });

  it('puts no model into a hidden page, and answers the page when it is visible again', () => {
    const { page, posted, shown, state, nextFrame } = setUp();
    state.isThere = true;
    state.isVisible = false;
    page.begin(true);
    nextFrame();
    assert.deepEqual(shown, [undefined]);
    state.isVisible = true;
    page.ready();
    assert.equal(posted.length, 1);
  });
});
