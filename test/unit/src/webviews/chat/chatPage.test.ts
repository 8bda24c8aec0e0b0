import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ChatPage } from '../../../../../src/webviews/chat/chatPage.ts';
import type { ChatToPage } from '../../../../../src/webviews/contract/chat.ts';
import type { ChatModel } from '../../../../../src/webviews/contract/chatModel.ts';

function setUp() {
  const posted: ChatToPage[] = [];
  const waiting: (() => void)[] = [];
  const state = { text: 'a', isVisible: true };
  const page = new ChatPage({
    post: (message) => posted.push(message),
    model: () =>
      ({ head: {}, rows: [{ kind: 'markdown', id: 'm', turnId: 't', text: state.text }] }) as unknown as ChatModel,
    isVisible: () => state.isVisible,
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
});
