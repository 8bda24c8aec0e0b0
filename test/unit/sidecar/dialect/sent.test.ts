import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hear, hearAction, openAdapter, paramsOf, type Told, tell, tellAction } from './openAdapter.ts';

const message = { text: 'hi', origin: { kind: 'user' } };

describe('what clients of each public version send', () => {
  it('0.5 gives a new session its one folder, and later versions all of theirs', () => {
    const create = (version: string, params: object) =>
      (
        hear(openAdapter(version), {
          id: 2,
          method: 'createSession',
          params: { channel: 'claude:/u', ...params },
        }) as Told
      )['params'];
    const channel = 'host-session:/u';
    assert.deepEqual(create('0.5.2', { workingDirectory: 'file:///a' }), {
      channel,
      workingDirectories: ['file:///a'],
    });
    const several = { workingDirectories: ['file:///a', 'file:///b'] };
    assert.deepEqual(create('0.9.0', several), { channel, ...several });
  });

  it('a title for a new chat reaches the host, and what 0.6 makes a chat from is a fork', () => {
    const create = (version: string, params: object) =>
      paramsOf(
        hear(openAdapter(version), { id: 2, method: 'createChat', params: { channel: 'claude:/u', ...params } }),
      );
    const channel = 'host-session:/u';
    const titled = { chat: 'ahp-chat:/d', title: 'Claude:/u' };
    assert.deepEqual(create('0.8.0', titled), { channel, chat: 'host-chat:/d', title: 'Claude:/u' });
    const source = { chat: 'ahp-chat:/c', turnId: 't' };
    const there = { chat: 'host-chat:/c', turnId: 't' };
    assert.deepEqual(create('0.6.0', { source })['source'], { kind: 'fork', ...there });
    assert.deepEqual(create('0.7.0', { source })['source'], there);
    assert.deepEqual(create('0.7.0', { source: { ...source, kind: 'sideChat' } })['source'], {
      kind: 'sideChat',
      ...there,
    });
  });

  it('0.8 turns things on by scope, 0.9 says where an annotation comes from; both keep it beside what the host reads', () => {
    const toggled = {
      type: 'session/customizationToggled',
      id: 'p',
      enablement: [{ kind: 'session', enabled: false }],
    };
    assert.deepEqual(hearAction(openAdapter('0.8.0'), 'claude:/u', toggled), { ...toggled, enabled: false });
    const plugin = { type: 'plugin', id: 'p', uri: 'file:///p', name: 'p' };
    const client = { clientId: 'c1', tools: [], customizations: [plugin] };
    assert.deepEqual(
      hearAction(openAdapter('0.9.0'), 'claude:/u', { type: 'session/activeClientSet', activeClient: client }),
      {
        type: 'session/activeClientSet',
        activeClient: { ...client, customizations: [{ ...plugin, enabled: true }] },
      },
    );
    const annotation = { id: 'a', origin: { session: 'claude:/u', chat: 'ahp-chat:/c', turnId: 't' } };
    const face = openAdapter('0.9.0');
    const heard = hearAction(face, 'claude:/u/annotations', { type: 'annotations/set', annotation }) as Told;
    assert.deepEqual(heard['annotation'], {
      id: 'a',
      origin: { session: 'host-session:/u', chat: 'host-chat:/c', turnId: 't' },
      turnId: 't',
    });
    assert.deepEqual(tellAction(face, 'host-session:/u/annotations', heard), { type: 'annotations/set', annotation });
  });

  it('an empty token revokes the one that was pushed, and gets the usual answer', () => {
    for (const version of ['0.7.0', '1.0.0']) {
      const face = openAdapter(version);
      const push = (token: string) => {
        const params = { channel: 'ahp-root://', resource: 'https://api.example', token };
        const { method, params: heard } = hear(face, { id: 8, method: 'authenticate', params })!;
        return [method, heard];
      };
      const resource = { channel: 'host-root://', resource: 'https://api.example' };
      assert.deepEqual(push(''), ['x-switchboard/forgetToken', resource]);
      assert.deepEqual(tell(face, { id: 8, result: null })?.['result'], {});
      assert.deepEqual(push('t'), ['authenticate', { ...resource, token: 't' }]);
    }
  });

  it('a choice of no model reaches no agent', () => {
    const model = { id: 'x-switchboard-default' };
    const started = { type: 'chat/turnStarted', turnId: 't', message: { ...message, model } };
    assert.deepEqual(hearAction(openAdapter('0.9.0'), 'ahp-chat:/c', started), { ...started, message });
    const drafted = { type: 'chat/draftChanged', draft: { ...message, model: { id: 'own' } } };
    assert.deepEqual(hearAction(openAdapter('0.9.0'), 'ahp-chat:/c', drafted), drafted);
  });
});
