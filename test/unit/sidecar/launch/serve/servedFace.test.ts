import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ServedFace } from '../../../../../sidecar/launch/serve/servedFace.ts';
import type { WindowInfo } from '../../../../../sidecar/protocol/window.ts';

const window: WindowInfo = {
  trusted: true,
  folders: [],
  env: { PATH: '/served' },
  agents: [{ id: 'own', displayName: 'Own', command: 'own', args: [], env: [] }],
  rules: [],
  idleExitMinutes: 10,
  durability: 'normal',
  answersQuestions: false,
};
const hello = (initializationOptions: unknown, method = 'initialize') =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { clientId: 'far', initializationOptions } });

describe('a window elsewhere that asks for the window of whoever serves', () => {
  for (const method of ['initialize', 'reconnect']) {
    it(`gets it with ${method}, as one at which a person sits`, () => {
      const text = hello({ servedWindow: true, window: { env: { PATH: '/mine' } } }, method);
      assert.equal(ServedFace.isAsked(text), true);
      const { params } = JSON.parse(new ServedFace(window).fromClient(text).toHost ?? '');
      const { answersQuestions: _, ...served } = window;
      assert.deepEqual(params, { clientId: 'far', initializationOptions: { servedWindow: true, window: served } });
    });
  }

  for (const { says, text } of [
    { says: 'another handshake', text: hello({}) },
    { says: 'a handshake that says no', text: hello({ servedWindow: false }) },
    { says: 'another message that says so', text: hello({ servedWindow: true }, 'ping') },
    { says: 'a message that only speaks of it', text: hello({ note: '"servedWindow": true' }) },
    { says: 'no JSON', text: '{"servedWindow":true' },
    { says: 'no object', text: '["servedWindow",true]' },
  ]) {
    it(`is not meant by ${says}, which passes as it is`, () => {
      assert.equal(ServedFace.isAsked(text), false);
      assert.deepEqual(new ServedFace(window).fromClient(text), { toHost: text });
    });
  }

  it('hears the host as it is', () => {
    assert.deepEqual(new ServedFace(window).fromHost('{"a":1}'), { toClient: '{"a":1}' });
  });
});
