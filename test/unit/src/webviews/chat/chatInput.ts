import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { AgentInfo } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { type ChatInput, toModel } from '../../../../../src/webviews/chat/chatModel.ts';
import { RowBuilder } from '../../../../../src/webviews/chat/chatRows.ts';

/** A new chat of one agent in a trusted folder, and the parts that tests put into it. */
export const agent: AgentInfo = {
  provider: 'claude',
  displayName: 'Claude',
  description: '',
  models: [{ id: 'big', provider: 'claude', name: 'Big', maxContextWindow: 1000 }],
};
export const chat: ChatState = {
  resource: 'host-chat:/c',
  title: '',
  status: 1,
  modifiedAt: '2026-11-21T00:00:00Z',
  turns: [],
};
export const session: SessionState = {
  provider: 'claude',
  title: 'Dates',
  status: 1,
  lifecycle: 'ready',
  activeClients: [],
  chats: [],
};
export const message = { text: 'Fix it\nplease', origin: { kind: 'user' } };
export const started = { id: 't1', startedAt: '2026-11-21T00:00:00Z', message, responseParts: [] };
export const input: ChatInput = {
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
  favorites: { pinned: [], recent: [] },
  folderAgents: [],
  attachments: [],
  starting: undefined,
  ownBanners: [],
  dismissed: new Set(),
  shownTurns: 30,
  wanted: undefined,
  changesOf: () => undefined,
};
export const headOf = (of: Partial<ChatInput>, from: ChatInput = input) =>
  toModel({ ...from, ...of }, new RowBuilder([])).head;
