import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { ChatActions, EditorFacts } from '../../../../../src/webviews/chat/chatDeps.ts';
import { ChatMessages, type PageWindow } from '../../../../../src/webviews/chat/chatMessages.ts';
import { OpenChat, type OpenChatDeps } from '../../../../../src/webviews/chat/openChat.ts';
import { again, skipStep } from '../../../../../src/webviews/chat/turns/again.ts';
import type { ChatToPage } from '../../../../../src/webviews/contract/chat.ts';

export const chatUri = 'host-chat:/c';
export const emptyChat: ChatState = {
  resource: chatUri,
  title: '',
  status: 1,
  modifiedAt: '2026-11-21T00:00:00Z',
  turns: [],
};
export const session: SessionState = {
  provider: 'runbook',
  title: '',
  status: 1,
  lifecycle: 'ready',
  activeClients: [],
  chats: [],
  defaultChat: chatUri,
};
const root = {
  agents: ['claude', 'runbook'].map((provider) => ({ provider, displayName: provider, description: '', models: [] })),
};
/** The same agents once the host has started one and knows its models. */
export const withModels = (...models: { id: string; policyState?: string }[]) => ({
  agents: root.agents.map((it) => (it.provider === 'claude' ? { ...it, models } : it)),
});
const form = { schema: { type: 'object', properties: { tools: { type: 'array', title: 'Tools' } } }, values: {} };

/** A host of one session, by hand: what is asked is written down, states change when the test says so. */
export class OneSessionHost {
  readonly said: string[] = [];
  readonly dispatched: { type: string; message?: { agent?: { uri: string } } }[] = [];
  readonly states = new Map<string, unknown>([[ROOT, root]]);
  readonly #listeners = new Map<string, Set<() => void>>();
  failure: Error | undefined;
  readonly folderAgents: Record<string, { uri: string; name: string }[]> = {};
  editor: EditorFacts = {
    isTrusted: true,
    folders: [{ uri: 'file:///a', name: 'a' }],
    folder: 'file:///a',
    unsavedFiles: 0,
    hasSelection: false,
  };
  readonly posted: ChatToPage[] = [];
  /** Whom the host started to read what they offer. */
  readonly asked: (string | undefined)[] = [];
  lastUsed: { agent?: string; model?: string } = {};
  readonly remembered: object[] = [];

  set(uri: string, state: unknown): void {
    this.states.set(uri, state);
    for (const it of this.#listeners.get(uri) ?? []) it();
  }

  open(restore = {}) {
    let ids = 0;
    const nothing = () => ({ dispose: () => {} });
    const deps = {
      port: {
        request: async (method: string, params: { channel: string; workingDirectory: string; provider: string }) => {
          if (method === 'resolveSessionConfig') {
            this.asked.push(params.provider);
            return form;
          }
          if (method === 'x-switchboard/customAgents')
            return { items: this.folderAgents[params.workingDirectory] ?? [] };
          this.said.push(`${method} ${params.channel}`);
          if (this.failure) throw this.failure;
          if (method !== 'createSession') return { items: [] };
          this.states.set(params.channel, session);
          this.states.set(chatUri, emptyChat);
          return null;
        },
        dispatch: (channel: string, action: { type: string }) => {
          this.said.push(`${action.type} ${channel}`);
          this.dispatched.push(action);
          return 1;
        },
        open: (uri: string) => {
          const listeners = this.#listeners.get(uri) ?? new Set();
          this.#listeners.set(uri, listeners);
          const states = this.states;
          return {
            get shown() {
              return states.get(uri);
            },
            onDidChange: (listener: () => void) => {
              listeners.add(listener);
              return { dispose: () => listeners.delete(listener) };
            },
            dispose: () => {},
          };
        },
        onDidConnect: nothing,
        onDidDisconnect: nothing,
        onDidReject: nothing,
      },
      catalogue: { get: () => undefined },
      ensureSignedIn: async () => true,
      isHostStopped: () => false,
      lastUsed: {
        agent: this.lastUsed.agent,
        modelOf: (provider: string) => (provider === this.lastUsed.agent ? this.lastUsed.model : undefined),
        remember: async (used: object) => void this.remembered.push(used),
        favorites: () => ({ pinned: [], recent: [] }),
      },
      warn: (message: string) => this.said.push(`warned: ${message}`),
      editor: () => this.editor,
      newId: () => `id${++ids}`,
      now: () => '2026-11-21T00:00:00Z',
    } as unknown as OpenChatDeps;
    const chat = new OpenChat(deps, restore);
    const window = {
      post: (message: ChatToPage) => this.posted.push(message),
      saveAll: async () => {
        this.said.push('saved');
        return true;
      },
      manageTrust: () => this.said.push('manageTrust'),
      turns: () => ({
        turn: (id: string, what: string) => (what === 'skip' ? skipStep({ chat }, id) : again({ chat }, id)),
      }),
    } as unknown as PageWindow;
    const actions = {
      undoAll: (changeset: string) => this.said.push(`undoAll ${changeset}`),
      showLog: () => this.said.push('showLog'),
    } as unknown as ChatActions;
    const messages = new ChatMessages(chat, window, actions);
    return { chat, messages, ask: (it: Parameters<ChatMessages['handle']>[0]) => messages.handle(it) };
  }
}
