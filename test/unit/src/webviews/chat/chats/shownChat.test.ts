import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { ChatState } from '../../../../../../sidecar/protocol/channels/chat/schema.ts';
import { ShownChat } from '../../../../../../src/webviews/chat/chats/shownChat.ts';
import { emptyChat } from '../oneSessionHost.ts';

describe('a chat that is requested together with its session', () => {
  const [likely, other] = ['host-chat:/likely', 'host-chat:/other'];
  let held: string[];
  let shown: ShownChat;
  beforeEach(() => {
    held = [];
    const open = (uri: string) => {
      held.push(uri);
      const dispose = () => void held.splice(held.indexOf(uri), 1);
      const onDidChange = () => ({ dispose: () => {} });
      return { shown: { ...emptyChat, resource: uri }, isRefused: false, onDidChange, dispose };
    };
    shown = new ShownChat({ open: open as <S>() => ReturnType<typeof open> & { shown: S } }, 1, () => {});
    shown.expect(likely);
  });

  it('is not shown before its session is known, and is then there at once', () => {
    assert.deepEqual([held, shown.uri, shown.state], [[likely], undefined, undefined]);
    shown.follow(likely);
    assert.deepEqual([held, shown.uri, (shown.state as ChatState).resource], [[likely], likely, likely]);
  });

  it('is let go of if the session shows another one', () => {
    shown.follow(other);
    assert.deepEqual([held, shown.uri], [[other], other]);
  });

  it('is let go of with its page', () => {
    shown.dispose();
    assert.deepEqual(held, []);
  });

  it('is not needed', () => {
    shown.expect(undefined);
    assert.deepEqual(held, []);
    shown.follow(other);
    assert.equal(shown.uri, other);
  });
});
