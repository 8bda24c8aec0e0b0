import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { chatUri, emptyChat, OneSessionHost, session } from './oneSessionHost.ts';

describe('an open chat of a session with several', () => {
  const second = 'host-chat:/d';
  const named = (resource: string, title: string) => ({
    resource,
    title,
    status: 33,
    modifiedAt: emptyChat.modifiedAt,
  });
  function openTwo() {
    const host = new OneSessionHost();
    const two = { ...session, title: 'Dates', chats: [named(chatUri, ''), named(second, 'Why?')] };
    host.set('host-session:/s', two);
    host.set(chatUri, { ...emptyChat, status: 33 });
    return { host, two, ...host.open({ session: 'host-session:/s' }) };
  }

  it('1a-15 shows another chat of its session once the host sent it, with attachments of its own', async () => {
    const { host, chat, ask } = openTwo();
    const file = { id: 'f', attachment: { type: 'simple' as const, label: 'f', modelRepresentation: 'f' } };
    chat.composed.attach([file]);
    await ask({ type: 'chat', chat: second, what: 'show' });
    assert.equal(chat.chatUri, chatUri, 'it is not there yet');
    host.set(second, { ...emptyChat, resource: second, title: 'Why?' });
    assert.deepEqual([chat.chatUri, chat.composed.attachments, chat.model().head.chat], [second, [], second]);
    await ask({ type: 'chat', chat: chatUri, what: 'show' });
    assert.deepEqual([chat.chatUri, chat.composed.attachments], [chatUri, [file]]);
    await ask({ type: 'chat', chat: 'host-chat:/elsewhere', what: 'show' });
    assert.equal(chat.chatUri, chatUri);
  });

  it('1a-15 keeps a draft for the chat that it was written in, whichever is shown by then', async () => {
    const { host, ask } = openTwo();
    host.set(second, { ...emptyChat, resource: second, title: 'Why?' });
    await ask({ type: 'chat', chat: second, what: 'show' });
    await ask({ type: 'draft', text: 'for the first', chat: chatUri });
    await ask({ type: 'draft', text: 'of a stranger', chat: 'host-chat:/elsewhere' });
    assert.deepEqual(host.said, [`chat/draftChanged ${chatUri}`]);
  });

  for (const { says, change } of [
    { says: 'that has a name', change: { title: 'Dates' } },
    { says: 'that has several chats', change: { chats: [named(chatUri, ''), named(second, '')] } },
  ])
    it(`1a-15 does not delete a session ${says}, although the chat that is shown is empty`, () => {
      const host = new OneSessionHost();
      host.set('host-session:/s', { ...session, ...change });
      host.set(chatUri, emptyChat);
      const { chat } = host.open({ session: 'host-session:/s' });
      assert.equal(chat.isUntouched, false);
      chat.dispose();
      assert.deepEqual(host.said, []);
    });
});
