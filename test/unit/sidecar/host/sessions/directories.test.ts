import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Requester } from '../../../../../sidecar/host/context/effectDeps.ts';
import {
  chatsThatMoved,
  type DirectoryAction,
  narrowChats,
  refuseDirectory,
} from '../../../../../sidecar/host/sessions/directories.ts';
import type { Store } from '../../../../../sidecar/host/state/store.ts';
import type { Change } from '../../../../../sidecar/host/state/typedChannels.ts';

const SESSION = 'host-session:/s';
const [a, b] = ['file:///a', 'file:///b'];
const set = (of: 'session' | 'chat', directory: string) =>
  ({ type: `${of}/workingDirectorySet`, directory }) as DirectoryAction;
const removed = (of: 'session' | 'chat', directory: string) =>
  ({ type: `${of}/workingDirectoryRemoved`, directory }) as DirectoryAction;

describe('folders of a session and its chats', () => {
  const chats = [
    { resource: 'all', primaryWorkingDirectory: a },
    { resource: 'some', workingDirectories: [a] },
  ];
  const stateOf = (can: object = { multipleWorkingDirectories: {} }, chat: object = {}) =>
    ({
      root: { agents: [{ provider: 'p', capabilities: can }] },
      metadata: (channel: string) => (channel === SESSION ? {} : { session: SESSION }),
      state: (kind: string, channel: string) => {
        if (kind === 'chat') return chat;
        return channel === SESSION ? { provider: 'p', workingDirectories: [a, b], chats } : undefined;
      },
    }) as unknown as Store;
  const refused = (action: DirectoryAction, store = stateOf(), trusted = true) =>
    refuseDirectory(
      { store },
      { window: { trusted } } as unknown as Requester,
      action.type.startsWith('session') ? SESSION : 'chat',
      action,
    );

  it('change where the agent works in several, and for a window that trusts them', () => {
    assert.equal(refused(set('session', b)), undefined);
    assert.match(refused(set('session', b), stateOf({})) ?? '', /supports only one folder/);
    assert.match(refused(set('session', b), stateOf(), false) ?? '', /^Trust this folder/);
  });
  for (const uri of ['https://a.example', 'file:///', 'untitled:one'])
    it(`do not come to hold ${uri}`, () => {
      assert.equal(refused(set('session', uri)), 'directory: not the URI of a folder');
    });
  it('keep the primary one of a chat', () => {
    const fixed = "directory: a chat's primary folder cannot be removed";
    assert.equal(refused(removed('session', a)), fixed);
    assert.equal(refused(removed('session', b)), undefined);
    const chat = { workingDirectories: [a, b], primaryWorkingDirectory: b };
    assert.equal(refused(removed('chat', b), stateOf(undefined, chat)), fixed);
    assert.equal(refused(removed('chat', a), stateOf(undefined, chat)), undefined);
  });
  it('of a chat are some of its session, and its primary one comes first', () => {
    assert.match(refused(set('chat', 'file:///c')) ?? '', /one of the session's folders/);
    const narrow = stateOf(undefined, { primaryWorkingDirectory: a });
    assert.match(refused(set('chat', b), narrow) ?? '', /set the chat's primary folder first/);
    assert.equal(refused(set('chat', a), narrow), undefined);
    const first = stateOf(undefined, { workingDirectories: [a], primaryWorkingDirectory: a });
    assert.equal(refused(set('chat', b), first), undefined);
  });
  it('leave the chats that name them together with their session', () => {
    const before = { chats };
    const change = (action: object, kind = 'session') => ({ kind, before, action }) as unknown as Change;
    assert.deepEqual(narrowChats(change(removed('session', a))), [
      { channel: 'some', action: { type: 'chat/workingDirectoryRemoved', directory: a } },
    ]);
    assert.deepEqual(narrowChats(change(removed('session', b))), []);
    assert.deepEqual(narrowChats(change(set('session', a))), []);
  });
  it('move the agents of chats that follow their session, or of the chat itself', () => {
    const store = stateOf();
    assert.deepEqual(chatsThatMoved(store, SESSION, set('session', b)), ['all']);
    assert.deepEqual(chatsThatMoved(store, SESSION, removed('session', b)), ['all']);
    assert.deepEqual(chatsThatMoved(store, 'chat', set('chat', b)), ['chat']);
  });
});
