import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ChatPage } from '../../../../../src/webviews/chat/chatPage.ts';
import type { ChatToPage } from '../../../../../src/webviews/contract/chat.ts';
import type { ChatModel } from '../../../../../src/webviews/contract/chatModel.ts';

function setUp() {
  const posted: ChatToPage[] = [];
  const waiting: (() => void)[] = [];
  const state = { text: 'a', isVisible: true, isThere: false };
  const page = new ChatPage({
    post: (message) => posted.push(message),
    model: () =>
      ({ head: {}, rows: [{ kind: 'markdown', id: 'm', turnId: 't', text: state.text }] }) as unknown as ChatModel,
    isVisible: () => state.isVisible,
    isThere: () => state.isThere,
    strings: undefined,
    schedule: (work) => {
      waiting.push(work);
      return { dispose: () => {} };
    },
  });
  const nextFrame = () => {
    for (const work of waiting.splice(0)) work();
  };
  return { page, posted, waiting, state, nextFrame };
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

  it('sends a page that is loading its model as soon as there is one, and no second one when it asks', () => {
    const { page, posted, state } = setUp();
    page.begin();
    assert.equal(posted.length, 0);
    state.isThere = true;
    page.changed();
    page.ready();
    assert.deepEqual(
      posted.map((it) => it.type),
      ['model'],
    );
  });

  it('answers a page that asks before there is what it shows', () => {
    const { page, posted } = setUp();
    page.begin();
    page.ready();
    assert.equal(posted.length, 1);
  });

  it('sends the whole model again when the page was hidden while it loaded', () => {
    const { page, posted, state } = setUp();
    state.isThere = true;
    page.begin();
    state.isVisible = false;
    page.changed();
    state.isVisible = true;
    page.ready();
    assert.deepEqual(
      posted.map((it) => it.type),
      ['model', 'model'],
    );
  });
});
