import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { AgentInfo } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { type ChatInput, toModel } from '../../../../../src/webviews/chat/chatModel.ts';
import { RowBuilder } from '../../../../../src/webviews/chat/chatRows.ts';

const agent: AgentInfo = {
  provider: 'claude',
  displayName: 'Claude',
  description: '',
  models: [{ id: 'big', provider: 'claude', name: 'Big', maxContextWindow: 1000 }],
};
const chat: ChatState = {
  resource: 'host-chat:/c',
  title: '',
  status: 1,
  modifiedAt: '2026-11-21T00:00:00Z',
  turns: [],
};
const session: SessionState = {
  provider: 'claude',
  title: 'Dates',
  status: 1,
  lifecycle: 'ready',
  activeClients: [],
  chats: [],
};
const message = { text: 'Fix it\nplease', origin: { kind: 'user' } };
const started = { id: 't1', startedAt: '2026-11-21T00:00:00Z', message, responseParts: [] };
const input: ChatInput = {
  root: { agents: [agent] },
  session: undefined,
  chat: undefined,
  meta: undefined,
  isGone: false,
  isNew: true,
  editor: {
    isTrusted: true,
    folders: [{ uri: 'file:///a', name: 'a' }],
    folder: 'file:///a',
    unsavedFiles: 0,
    hasSelection: false,
  },
  chosen: { provider: 'claude' },
  config: undefined,
  folderAgents: [],
  attachments: [],
  starting: undefined,
  ownBanners: [],
  dismissed: new Set(),
  shownTurns: 30,
  wanted: undefined,
  changesOf: () => undefined,
};
const headOf = (of: Partial<ChatInput>, from: ChatInput = input) =>
  toModel({ ...from, ...of }, new RowBuilder([])).head;

describe('an agent that is silent', () => {
  it('is so in the banner alone, with what the agent wrote of a fault', () => {
    const words = 'Claude has not responded for a minute.';
    const working: ChatState = { ...chat, activeTurn: started, activity: words };
    assert.equal(headOf({ session, chat: working }).turn?.activity, words);
    const problem = { kind: 'agentSilent', message: 'connect ECONNREFUSED' };
    const { turn, banners } = headOf({ session: { ...session, activity: words, _meta: { problem } }, chat: working });
    assert.equal(turn?.activity, undefined);
    assert.deepEqual(
      banners.map(({ kind, detail }) => [kind, detail]),
      [['silent', 'connect ECONNREFUSED']],
    );
  });
});
