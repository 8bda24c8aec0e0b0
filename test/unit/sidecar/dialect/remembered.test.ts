import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AhpAdapters } from '../../../../sidecar/dialect/ahpAdapters.ts';
import { ChannelNames } from '../../../../sidecar/dialect/channelNames.ts';
import { renameUris } from '../../../../sidecar/dialect/renameUris.ts';
import { SharedNotification } from '../../../../sidecar/transport/wireText.ts';
import { hear, hearAction, introduction, openAdapter, paramsOf, tell, tellAction } from './openAdapter.ts';

const session = 'host-session:/u1';
const wrapped = (uri: string) => `host-chat:/uri-${Buffer.from(uri, 'utf8').toString('base64url')}`;

describe('what is remembered of a client of the public protocol', () => {
  it('is the agent of a session until the session is removed, whatever was named by it before', () => {
    const names = new ChannelNames();
    names.learn(session, 'claude');
    assert.equal(names.toPublic(session), 'claude:/u1');
    names.forget(session);
    assert.deepEqual([names.toPublic(session), names.knows(session)], ['ahp-session:/u1', false]);
    names.learn(session, 'codex');
    assert.equal(names.toPublic(session), 'codex:/u1');
  });

  it('is not changed by a place that only may name a session', () => {
    const names = new ChannelNames();
    names.learn(session, 'claude');
    assert.equal(names.toHost('ahp-session:/u1', 'other'), session);
    assert.equal(names.toPublic(session), 'claude:/u1');
    assert.equal(names.toHost('codex:/u1', 'other'), 'codex:/u1', 'a page of that shape is no session');
    assert.equal(names.toHost('codex:/u1', 'channel'), session);
    assert.equal(names.toPublic(session), 'codex:/u1', 'what the client calls it counts more');
  });

  it('is that a chat looks like a session, by whom it was named first', () => {
    for (const learn of [
      (names: ChannelNames) => names.toPublic(wrapped('mine:/chat-1')),
      (names: ChannelNames) => names.toHost('mine:/chat-1', 'chat'),
    ]) {
      const names = new ChannelNames();
      learn(names);
      assert.equal(names.toHost('mine:/chat-1', 'channel'), wrapped('mine:/chat-1'));
    }
    assert.equal(new ChannelNames().toHost('mine:/chat-1', 'channel'), 'host-session:/chat-1');
  });

  it('is that a chat looks like a session, also for a client that hears what another one heard before', () => {
    const chat = wrapped('mine:/chat-1');
    const action = { channel: chat, action: { type: 'chat/titleChanged', title: 'T' }, serverSeq: 7 };
    const heard = new SharedNotification('action', action, JSON.stringify(action));
    const faces = [openAdapter('0.7.4'), openAdapter('0.7.4', undefined, 'c2')];
    for (const face of faces) assert.match(face.shared(heard)?.text ?? '', /"channel":"mine:\/chat-1"/);
    for (const face of faces) {
      const dispatch = { channel: 'mine:/chat-1', clientSeq: 1, action: { type: 'chat/turnCancelled', turnId: 't' } };
      assert.equal(paramsOf(hear(face, { method: 'dispatchAction', params: dispatch }))['channel'], chat);
    }
  });

  for (const uri of ['ahp-chat:/plain', 'ahp-chat:/uri-plain', 'ahp-chat:/a/b', 'mine:///chat?x=1']) {
    it(`is nothing that tells ${uri} from what the host calls it`, () => {
      const names = new ChannelNames();
      assert.equal(names.toPublic(names.toHost(uri, 'chat')), uri);
    });
  }

  it('is no name of a chat that the client could not have given it', () => {
    const odd = wrapped('ahp-chat:/plain');
    const shown = new ChannelNames().toPublic(odd);
    assert.equal(shown, `ahp-chat:${odd.slice('host-chat:'.length)}`);
    assert.notEqual(shown, 'ahp-chat:/plain');
  });

  it('is one name for one chat: no other is called what carries its name', () => {
    const names = new ChannelNames();
    const own = names.toHost('mine:///x', 'chat');
    assert.notEqual(names.toHost(own.replace('host-', 'ahp-'), 'chat'), own);
  });

  it('is who comes back without a channel, and not who comes back to a channel of ours', () => {
    const adapters = new AhpAdapters(introduction);
    openAdapter('0.9.0', adapters);
    const back = (more: object) => adapters.choose({ id: 1, method: 'reconnect', params: { clientId: 'c1', ...more } });
    assert.equal(typeof back({}), 'object');
    assert.equal(back({ channel: 'host-root://' }), 'none');
  });

  it('is what a request asked for until it is answered', () => {
    const face = openAdapter('0.9.0');
    const again = { protocolVersion: '0.7.0', capabilities: { a: 1 } };
    assert.deepEqual(tell(face, { id: 1, result: again })?.['result'], again, 'the handshake was answered before');
    hear(face, { id: 2, method: 'root/listSessions', params: { channel: 'ahp-root://' } });
    const items = [{ resource: session, provider: 'claude' }];
    const shown = tell(face, { id: 2, result: { items } })?.['result'] as { items: { resource: string }[] };
    assert.equal(shown.items[0]!.resource, 'claude:/u1');
  });

  it('is what agents say of their resources, also where the agents come later', () => {
    const face = openAdapter('0.9.0');
    const resource = 'https://api.example/';
    const required = () => {
      const params = { channel: 'host-root://', resource, reason: 'required' };
      return paramsOf(tell(face, { method: 'auth/required', params }))['resource'];
    };
    assert.deepEqual(required(), { resource });
    const agents = [{ provider: 'claude', protectedResources: [{ resource, resource_name: 'Example' }] }];
    const action = { type: 'root/agentsChanged', agents };
    tell(face, { method: 'action', params: { channel: 'host-root://', action, serverSeq: 4 } });
    assert.deepEqual(required(), { resource, resource_name: 'Example' });
  });
});

describe('what several clients are told at once', () => {
  it('teaches each of them, although it is the same text', () => {
    const faces = [openAdapter('0.9.0'), openAdapter('0.9.0')];
    const resource = 'https://api.example/';
    const agents = [{ provider: 'claude', protectedResources: [{ resource, resource_name: 'Example' }] }];
    const params = { channel: 'host-root://', action: { type: 'root/agentsChanged', agents }, serverSeq: 4 };
    const notification = new SharedNotification('action', params);
    for (const it of faces) it.shared(notification);
    for (const it of faces) {
      const required = { channel: 'host-root://', resource, reason: 'required' };
      const told = paramsOf(tell(it, { method: 'auth/required', params: required }));
      assert.deepEqual(told['resource'], { resource, resource_name: 'Example' });
    }
  });
});

describe('what a client of the public protocol says', () => {
  const params = (version: string, method: string, given: object) =>
    paramsOf(hear(openAdapter(version), { id: 9, method, params: given }));

  it('counts by its several folders where it names one as well', () => {
    const [one, several] = ['file:///one', ['file:///a', 'file:///b']];
    const heard = (given: object) => params('0.9.0', 'createSession', given)['workingDirectories'];
    assert.deepEqual(heard({ workingDirectory: one }), [one]);
    assert.deepEqual(heard({ workingDirectory: one, workingDirectories: several }), several);
    assert.deepEqual(heard({ workingDirectory: one, workingDirectories: [] }), []);
  });

  for (const [version, source, expected] of [
    ['0.6.0', { turnId: 't' }, { kind: 'fork', turnId: 't' }],
    ['0.6.0', { kind: 'sideChat', turnId: 't' }, { kind: 'sideChat', turnId: 't' }],
    ['0.7.0', { turnId: 't' }, { turnId: 't' }],
  ] as const) {
    it(`has a source ${JSON.stringify(source)} in ${version} that the host knows as ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(params(version, 'createChat', { source })['source'], expected));
  }

  const on = (kind: string, enabled = true) => ({ kind, enabled });
  for (const [says, action, expected] of [
    ['whether it is on, before by whom', { enabled: true, enablement: [{ enabled: false }] }, true],
    ['that it is off by whom', { enablement: [{ kind: 'session', enabled: false }] }, false],
    ['that nobody turned it off', { enablement: [] }, true],
    ['what was decided for the session, first', { enablement: [on('global'), on('session', false)] }, false],
    ['what was decided for the workspace, before all', { enablement: [on('global', false), on('workspace')] }, true],
    ['what was decided for all', { enablement: [on('global', false)] }, false],
  ] as const) {
    it(`turns a customization on or off as it says ${says}`, () => {
      const toggled = { type: 'session/customizationToggled', id: 'x', ...action };
      const heard = hearAction(openAdapter('0.9.0'), 'ahp-session:/u1', toggled) as { enabled: boolean };
      assert.equal(heard.enabled, expected);
    });
  }

  for (const [says, annotation, expected] of [
    ['the turn that it names itself', { turnId: 'own', origin: { turnId: 'of the origin' } }, 'own'],
    ['the turn of its origin', { origin: { turnId: 'of the origin' } }, 'of the origin'],
    ['no turn where its origin has none', { origin: { kind: 'user' } }, ''],
  ] as const) {
    it(`is a comment on ${says}`, () => {
      const set = { type: 'annotations/set', annotation: { id: 'a', ...annotation } };
      const heard = hearAction(openAdapter('0.9.0'), 'ahp-session:/u1/annotations', set) as {
        annotation: { turnId: string };
      };
      assert.equal(heard.annotation.turnId, expected);
    });
  }
});

describe('an action that a newer host sends', () => {
  for (const type of ['toString', 'constructor', '__proto__']) {
    it(`is passed on as it is where it is called ${type}`, () => {
      const action = { type, enabled: true };
      assert.deepEqual(tellAction(openAdapter('0.9.0'), 'host-session:/u1', action), action);
    });
  }
});

describe('URIs that get their other names', () => {
  const rename = (uri: string) => uri.replace('host-', 'ahp-');
  it('stand in every member that may hold one, alone or in a list, and in no other', () => {
    const uris = (scheme: string) => ({
      automation: `${scheme}-automation:/a`,
      run: `${scheme}-automation-run:/r`,
      sessions: [`${scheme}-session:/u`],
      primarySession: `${scheme}-session:/u`,
      after: `${scheme}-chat:/c`,
      terminal: `${scheme}-terminal:/t`,
      chats: [`${scheme}-chat:/c`, { resource: `${scheme}-chat:/d`, title: 'host-chat:/d' }],
    });
    assert.deepEqual(renameUris({ ...uris('host'), title: 'host-chat:/c' }, rename), {
      ...uris('ahp'),
      title: 'host-chat:/c',
    });
  });
  it('leave what needs no change the same object, and change nothing in place', () => {
    const same = { items: [{ resource: 'x' }, ['y']], subscriptions: ['z'], text: 'host-a' };
    assert.equal(renameUris(same, rename), same);
    const other = { items: [{ resource: 'host-a' }, { resource: 'x' }], subscriptions: ['host-b', 'z'] };
    const before = structuredClone(other);
    const renamed = renameUris(other, rename);
    assert.deepEqual(renamed, { items: [{ resource: 'ahp-a' }, { resource: 'x' }], subscriptions: ['ahp-b', 'z'] });
    assert.deepEqual(other, before);
    assert.equal(renamed.items[1], other.items[1]);
  });
});
