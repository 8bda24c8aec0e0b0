import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { OpenChat, type OpenChatDeps } from '../../../../../src/webviews/chat/openChat.ts';

const SESSION = 'host-session:/s';
const CHAT = 'host-chat:/c';

/** A chat whose turns go from the one with this number to the 99th. */
function openAt(from: number, cursor?: string) {
  const asked: string[] = [];
  const listeners = new Set<() => void>();
  const turn = (n: number) => ({
    id: `t${n}`,
    message: { text: `${n}`, origin: { kind: 'user' } },
    responseParts: [],
    state: 'complete',
  });
  const chatFrom = (first: number, turnsNextCursor?: string) => ({
    resource: CHAT,
    title: '',
    status: 1,
    modifiedAt: '2026-11-21T00:00:00Z',
    turns: Array.from({ length: 100 - first }, (_, at) => turn(first + at)),
    ...(turnsNextCursor !== undefined && { turnsNextCursor }),
  });
  const session = { provider: 'a', title: '', status: 1, activeClients: [], chats: [], defaultChat: CHAT };
  const states = new Map<string, unknown>([
    [SESSION, { ...session, lifecycle: 'ready' }],
    [CHAT, chatFrom(from, cursor)],
  ]);
  const nothing = () => ({ dispose: () => {} });
  const deps = {
    port: {
      request: async (method: string, params: { cursor?: string }) => void asked.push(`${method} ${params.cursor}`),
      open: (uri: string) => ({
        get shown() {
          return states.get(uri);
        },
        onDidChange: (listener: () => void) => {
          listeners.add(listener);
          return nothing();
        },
        dispose: () => {},
      }),
      onDidConnect: nothing,
      onDidDisconnect: nothing,
      onDidReject: nothing,
    },
    catalogue: { get: () => undefined },
    lastUsed: { modelOf: () => undefined, favorites: () => ({ pinned: [], recent: [] }) },
    editor: () => ({ isTrusted: true, folders: [], unsavedFiles: 0, hasSelection: false }),
  } as unknown as OpenChatDeps;
  const set = (first: number, next?: string) => {
    states.set(CHAT, chatFrom(first, next));
    for (const it of listeners) it();
  };
  return { chat: new OpenChat(deps, { session: SESSION }), asked, set };
}

describe('a turn that is looked for in a chat', () => {
  it('is reached page by page, and told to the page until it shows it', () => {
    const { chat, asked, set } = openAt(70, 'a');
    chat.findTurn('t20');
    chat.changed(); // each page is asked for once
    assert.equal(chat.model().head.wanted, undefined);
    set(40, 'b');
    set(10, 'c');
    const turnPages = asked.filter((it) => it.startsWith('fetchTurns'));
    assert.deepEqual(turnPages, ['fetchTurns a', 'fetchTurns b']);
    const { head, rows } = chat.model();
    assert.equal(head.wanted, 't20');
    assert.ok(rows.some((it) => it.turnId === 't20'));
    chat.foundTurn('t20');
    assert.equal(chat.model().head.wanted, undefined);
  });

  it('is given up where no turn is older', () => {
    const { chat, asked } = openAt(70);
    chat.findTurn('gone');
    assert.equal(chat.model().head.wanted, undefined);
    assert.deepEqual(asked, []);
  });
});
