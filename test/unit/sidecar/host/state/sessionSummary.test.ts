import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { toSessionSummary } from '../../../../../sidecar/host/state/sessionPersistence.ts';
import { emptySession } from '../../../../support/protocol/arbitraryActions.ts';
import { verifies } from '../../../../support/verifies.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const chat = (modifiedAt: string) => ({ resource: `host-chat:/${modifiedAt}`, title: '', status: 1, modifiedAt });
const summarize = (more: object = {}) =>
  toSessionSummary('host-session:/1', { ...emptySession, ...more }, { createdAt });

describe('the entry of a session in the list', () => {
  it('takes the newest time of its chats, and that of its creation where none is newer', () => {
    verifies('host.summary.latest');
    const newest = '2026-01-03T00:00:00.000Z';
    const chats = [chat('2026-01-02T00:00:00.000Z'), chat(newest), chat('2026-01-02T12:00:00.000Z')];
    assert.equal(summarize({ chats }).modifiedAt, newest);
    assert.equal(summarize().modifiedAt, createdAt);
    assert.equal(summarize({ chats: [chat('2025-01-01T00:00:00.000Z')] }).modifiedAt, createdAt);
  });

  it('has the directories of the session, whatever its chats restrict themselves to', () => {
    verifies('host.summary.directories');
    const workingDirectories = ['file:///a', 'file:///b'];
    const chats = [{ ...chat(createdAt), workingDirectories: ['file:///b'] }];
    assert.deepEqual(summarize({ chats, workingDirectories }).workingDirectories, workingDirectories);
  });

  it('leaves out what is not there', () => {
    const { provider, title, status } = emptySession;
    assert.deepEqual(summarize(), {
      resource: 'host-session:/1',
      createdAt,
      modifiedAt: createdAt,
      provider,
      title,
      status,
      chats: [],
    });
  });

  it('lists the chats in their order, with what a list shows of them', () => {
    verifies('host.summary.chats');
    const origin = { kind: 'tool', chat: 'host-chat:/1', toolCallId: 'k' } as const;
    const more = { activity: 'Thinking', workingDirectories: ['file:///a'] };
    const chats = [
      { ...chat(createdAt), resource: 'host-chat:/2', status: 32, ...more },
      { ...chat(createdAt), resource: 'host-chat:/1', title: 'Help', origin, interactivity: 'hidden' },
    ];
    const summary = summarize({ chats, defaultChat: 'host-chat:/1' });
    assert.equal(summary.defaultChat, 'host-chat:/1');
    assert.deepEqual(summary.chats, [
      { resource: 'host-chat:/2', title: '', status: 32 },
      { resource: 'host-chat:/1', title: 'Help', status: 1, origin, interactivity: 'hidden' },
    ]);
  });
});
