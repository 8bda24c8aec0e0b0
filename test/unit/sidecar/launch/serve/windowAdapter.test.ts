import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { WindowAdapter } from '../../../../../sidecar/launch/serve/windowAdapter.ts';
import type { PermissionRule, WindowInfo } from '../../../../../sidecar/protocol/window.ts';
import { SharedNotification } from '../../../../../sidecar/transport/wireText.ts';
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
const hello = (initializationOptions: unknown, method = 'initialize') => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { clientId: 'far', initializationOptions },
});
type Told = Record<string, Record<string, unknown>>;
const windowIn = (message: object, base = plain) => {
  const { toHost } = new WindowAdapter(base).fromClient(message as Told);
  const params = toHost?.['params'] as Told;
  return params['window'] ?? params['initializationOptions']?.['window'];
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
  it('has agents use the gateway’s models instead of keys of whoever serves, where those did not decide', () => {
    verifies('host.client.window-narrows');
    const wanted = { a: 'gateway', b: 'own', c: 'gateway', d: 'own', e: 'auto', f: 'gateway' } as const;
    const base: WindowInfo = { ...plain, agentModels: { a: 'auto', b: 'gateway', c: 'own', d: 'auto', e: 'gateway' } };
    assert.deepEqual(windowIn(hello({ window: { ...wide, agentModels: wanted } }), base), {
      ...narrowed,
      agentModels: { a: 'gateway', b: 'gateway', c: 'own', d: 'auto', e: 'gateway', f: 'gateway' },
    });
    assert.deepEqual(windowIn(hello({ window: wide }), base), { ...narrowed, agentModels: base.agentModels });
  });
  it('lowers budgets, and neither raises one nor takes it away', () => {
    verifies('host.client.window-narrows');
    const base: WindowInfo = { ...plain, budgets: { session: 2, day: 5 } };
    const wanted = { session: 9, day: 4, all: 7 };
    assert.deepEqual(windowIn(hello({ window: { ...wide, budgets: wanted } }), base), {
      ...narrowed,
      budgets: { session: 2, day: 4, all: 7 },
    });
    assert.deepEqual(windowIn(hello({ window: wide }), base), { ...narrowed, budgets: base.budgets });
  });
  it('lowers limits on sub-agents and sessions, and neither raises one nor takes it away', () => {
    verifies('host.client.window-narrows');
    const base: WindowInfo = { ...plain, runLimits: { subAgents: 2, sessions: 5 } };
    const wanted = { subAgents: 9, sessions: 4, sessionsInFolder: 1 };
    assert.deepEqual(windowIn(hello({ window: { ...wide, runLimits: wanted } }), base), {
      ...narrowed,
      runLimits: { subAgents: 2, sessions: 4, sessionsInFolder: 1 },
    });
    assert.deepEqual(windowIn(hello({ window: wide }), base), { ...narrowed, runLimits: base.runLimits });
  });
  it('only narrows it when it says that its window changed', () => {
    verifies('host.client.window-narrows');
    const changed = { jsonrpc: '2.0', method: 'x-switchboard/windowChanged', params: { window: wide } };
    assert.deepEqual(windowIn(changed), narrowed);
  });

  for (const { says, message } of [
    { says: 'another message', message: hello({ window: wide }, 'ping') },
    { says: 'a message that only speaks of it', message: { method: 'ping', params: ['initialize'] } },
    { says: 'a handshake whose params are no object', message: { method: 'initialize', params: ['x'] } },
  ]) {
    it(`passes ${says} as it is`, () =>
      assert.deepEqual(new WindowAdapter(plain).fromClient(message), { toHost: message }));
  }
  it('hears the host as it is', () => {
    const adapter = new WindowAdapter(plain);
    assert.deepEqual(adapter.toClient({ a: 1 }), { a: 1 });
    const notification = new SharedNotification('action', { a: 1 });
    assert.equal(adapter.shared(notification), notification.wire);
  });
});
