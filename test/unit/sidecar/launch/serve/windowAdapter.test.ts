import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { WindowAdapter } from '../../../../../sidecar/launch/serve/windowAdapter.ts';
import type { PermissionRule, WindowInfo } from '../../../../../sidecar/protocol/window.ts';
import { verifies } from '../../../../support/verifies.ts';

const rule = (id: string, effect: PermissionRule['effect']): PermissionRule => ({
  id,
  effect,
  target: 'shell',
  pattern: 'ls',
  source: 'user',
});
const { answersQuestions: _nobody, ...served }: WindowInfo = {
  trusted: true,
  folders: [],
  env: { PATH: '/served' },
  agents: [{ id: 'own', displayName: 'Own', command: 'own', args: [], env: [] }],
  rules: [rule('served', 'ask')],
  idleExitMinutes: 10,
  durability: 'normal',
};
const plain: WindowInfo = { ...served, answersQuestions: false };
/** What a client would like to be. */
const wide: WindowInfo = {
  trusted: true,
  folders: ['file:///'],
  env: { PATH: '/mine', SECRET: 'x' },
  agents: [{ id: 'evil', displayName: 'Evil', command: '/tmp/evil', args: [], env: ['*'] }],
  rules: [rule('a', 'allow'), rule('b', 'deny'), rule('c', 'ask')],
  idleExitMinutes: 1_000_000,
  durability: 'full',
  sessionTools: true,
  runbooks: 'file:///tmp/evil',
};
const narrowed = { ...served, rules: [rule('served', 'ask'), rule('client:b', 'deny'), rule('client:c', 'ask')] };
const hello = (initializationOptions: unknown, method = 'initialize') =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { clientId: 'far', initializationOptions } });
const windowIn = (text: string, base = plain) => {
  const { params } = JSON.parse(new WindowAdapter(base).fromClient(text).toHost ?? '');
  return params.window ?? params.initializationOptions.window;
};

describe('a client of our own protocol that comes over WebSocket', () => {
  for (const method of ['initialize', 'reconnect']) {
    it(`gets with ${method} the window of whoever serves, as one at which a person sits where it asks for that`, () => {
      verifies('host.client.window-narrows');
      assert.deepEqual(windowIn(hello({ servedWindow: true, window: wide }, method)), served);
    });
    it(`gets it with ${method} where it says nothing, as one at which nobody sits`, () => {
      verifies('host.client.window-narrows');
      for (const options of [undefined, null, 'x', [], {}, { window: 'trusted' }, { window: { trusted: true } }])
        assert.deepEqual(windowIn(hello(options, method)), plain);
    });
    it(`only narrows it with ${method}`, () => {
      verifies('host.client.window-narrows');
      assert.deepEqual(windowIn(hello({ window: wide }, method)), narrowed);
      const less = { ...wide, trusted: false, sessionTools: false, answersQuestions: false };
      const expected = { ...narrowed, trusted: false, sessionTools: false, answersQuestions: false };
      assert.deepEqual(windowIn(hello({ window: less }, method)), expected);
      const distrusted = { ...plain, trusted: false, sessionTools: false };
      assert.deepEqual(windowIn(hello({ window: wide }, method), distrusted), {
        ...narrowed,
        trusted: false,
        sessionTools: false,
      });
    });
  }
  it('only narrows it when it says that its window changed, also by an escaped name', () => {
    verifies('host.client.window-narrows');
    const changed = { jsonrpc: '2.0', method: 'x-switchboard/windowChanged', params: { window: wide } };
    const text = JSON.stringify(changed);
    assert.deepEqual(windowIn(text), narrowed);
    assert.deepEqual(windowIn(text.replace('windowC', String.raw`w\u0069ndowC`)), narrowed);
    assert.deepEqual(windowIn(text.replace('{', '{"method":"ping",')), narrowed);
  });

  for (const { says, text } of [
    { says: 'another message', text: hello({ window: wide }, 'ping') },
    { says: 'a message that only speaks of it', text: JSON.stringify({ method: 'ping', params: ['initialize'] }) },
    { says: 'no JSON', text: '{"method":"initialize"' },
    { says: 'no object', text: '["initialize",true]' },
  ]) {
    it(`passes ${says} as it is`, () => assert.deepEqual(new WindowAdapter(plain).fromClient(text), { toHost: text }));
  }
  it('hears the host as it is', () => {
    assert.deepEqual(new WindowAdapter(plain).fromHost('{"a":1}'), { toClient: '{"a":1}' });
  });
});
