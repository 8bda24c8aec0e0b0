import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatAction } from '../../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { Message, MessageAttachment } from '../../../../../../sidecar/protocol/shared.ts';
import { Composed } from '../../../../../../src/webviews/chat/attach/composed.ts';

const file = (label: string): MessageAttachment => ({ type: 'resource', label, uri: `file:///${label}` });
const kept = (label: string) => ({ id: label, attachment: file(label) });

/** A host that keeps one draft. */
function open({ draft, saved = [] }: { draft?: Message; saved?: readonly unknown[] } = {}) {
  const sent: ChatAction[] = [];
  const to: string[] = [];
  let now = draft;
  let ids = 0;
  const chat = {
    get chat() {
      return now && { draft: now };
    },
    chatUri: 'host-chat:/c',
    session: { chats: ['host-chat:/c', 'host-chat:/d'].map((resource) => ({ resource })) },
    deps: {
      newId: () => `id${++ids}`,
      port: {
        dispatch(channel: string, action: ChatAction) {
          sent.push(action);
          to.push(channel);
          if (action.type === 'chat/draftChanged') now = action.draft;
        },
      },
    },
    changed: () => {},
  };
  const composed = new Composed(chat, saved);
  return {
    composed,
    chat,
    sent,
    to,
    labels: () => composed.attachments.map((it) => it.attachment.label),
    draft: () => now,
  };
}

describe('1c-12 what is written and attached in a chat', () => {
  it('is kept by the host together, and stands there again when the chat is opened', () => {
    const first = open();
    first.composed.save('Look at');
    first.composed.attach([kept('a'), kept('b')]);
    first.composed.detach('a');
    assert.deepEqual(first.draft(), { text: 'Look at', origin: { kind: 'user' }, attachments: [file('b')] });
    const again = open({ draft: first.draft()! });
    again.composed.take();
    assert.deepEqual(again.labels(), ['b']);
    again.composed.save('Look at');
    assert.deepEqual(again.sent, []);
  });

  it('is not sent to the host again while nothing of it changed', () => {
    const { composed, sent } = open();
    composed.attach([kept('a')]);
    composed.save();
    composed.save('');
    assert.equal(sent.length, 1);
  });

  it('is gone from the host after it was sent', () => {
    const { composed, draft } = open();
    composed.attach([kept('a')]);
    composed.sent();
    composed.save('');
    assert.equal(draft(), undefined);
  });

  it('stays the draft while an earlier prompt stands in the composer with what was attached to that', () => {
    const { composed, draft, labels } = open();
    composed.attach([kept('a')]);
    composed.setAside([file('earlier')]);
    composed.save('Look');
    assert.deepEqual(labels(), ['earlier']);
    assert.deepEqual(draft()?.attachments, [file('a')]);
    composed.takeBack();
    assert.deepEqual(labels(), ['a']);
  });

  it('has what the page kept over a reload, and nothing else that a page may say', () => {
    assert.deepEqual(open({ saved: [file('a'), { type: 'resource' }, 7] }).labels(), ['a']);
  });

  it('does not give way to what the host kept', () => {
    const { composed, labels } = open({
      draft: { text: '', origin: { kind: 'user' }, attachments: [file('old')] },
      saved: [file('new')],
    });
    composed.take();
    assert.deepEqual(labels(), ['new']);
  });

  it('belongs to its chat, also text that is on its way when the page shows another one', () => {
    const { composed, chat, sent, to, labels } = open();
    composed.take();
    composed.attach([kept('a')]);
    chat.chatUri = 'host-chat:/other';
    composed.enter([]);
    assert.deepEqual(labels(), []);
    composed.save('Late', 'host-chat:/c');
    composed.save('Lost', 'host-chat:/never-shown');
    assert.deepEqual(to, ['host-chat:/c', 'host-chat:/c']);
    const draft = { text: 'Late', origin: { kind: 'user' }, attachments: [file('a')] };
    assert.deepEqual(sent.at(-1), { type: 'chat/draftChanged', draft });
  });

  it('does not write to a chat that was closed meanwhile', () => {
    const { composed, chat, sent } = open();
    composed.take();
    chat.chatUri = 'host-chat:/d';
    composed.enter([]);
    chat.session = { chats: [{ resource: 'host-chat:/d' }] };
    composed.save('Late', 'host-chat:/c');
    assert.deepEqual(sent, []);
  });

  it('holds the same thing once', () => {
    const { composed, labels } = open();
    composed.attach([kept('a')]);
    composed.attach([kept('a'), kept('b')]);
    assert.deepEqual(labels(), ['a', 'b']);
  });
});
