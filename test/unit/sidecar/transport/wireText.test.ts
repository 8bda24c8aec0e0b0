import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { SharedNotification } from '../../../../sidecar/transport/wireText.ts';

describe('the text of a notification in other words', () => {
  const action = { type: 'chat/titleChanged' };
  const params = { channel: 'host-chat:/c', action, serverSeq: 7 };
  /** Has a space that JSON.stringify does not write, so what is kept can be told from what is written again. */
  const text = '{"channel":"host-chat:/c","action":{"type": "chat/titleChanged"},"serverSeq":7}';
  const messageOf = (paramsText: string) => `{"jsonrpc":"2.0","method":"action","params":${paramsText}}`;
  const channel = 'ahp-chat:/c';

  it('is the text that was made already, where the channel alone differs', () => {
    const shown = { channel, action, serverSeq: 7 };
    const told = new SharedNotification('action', params, text).wireOf(shown);
    assert.equal(told.text, messageOf(text.replace('host-chat:/c', channel)));
  });

  for (const [what, shown, made] of [
    ['another value differs', { channel, action: { ...action }, serverSeq: 7 }, text],
    ['a member is missing', { channel, action }, text],
    ['a member is added', { channel, action, serverSeq: 7, origin: null }, text],
    ['the order differs', { channel, serverSeq: 7, action }, text],
    ['the text does not begin with the channel', { channel, action, serverSeq: 7 }, text.replace('{', '{ ')],
    ['no text was made', { channel, action, serverSeq: 7 }, undefined],
  ] as const)
    it(`is written anew where ${what}`, () => {
      const told = new SharedNotification('action', params, made).wireOf(shown);
      assert.equal(told.text, messageOf(JSON.stringify(shown)));
    });
});
