import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { errorCodes } from '../../../../../../sidecar/protocol/errors.ts';
import { ROOT } from '../../../../../../sidecar/protocol/uris.ts';
import type { Connection } from '../../../../../../src/client/connection.ts';
import { HostClient } from '../../../../../../src/client/hostClient.ts';
import { OpenChat, type OpenChatDeps } from '../../../../../../src/webviews/chat/openChat.ts';
import type { RestoreState } from '../../../../../../src/webviews/contract/chatModel.ts';
import { type Later, later } from '../../../../../support/later.ts';
import { chatUri, emptyChat, session } from '../oneSessionHost.ts';

const SESSION = 'host-session:/s';
const titled = { ...session, title: 'Dates' };
const { defaultChat: _none, ...withoutChat } = titled;

describe('the chat that is likely to be shown', () => {
  /** In order. */
  let requested: string[];
  let released: string[];
  let answers: Map<string, Later<unknown>>;
  let defaultChat: string | undefined;
  beforeEach(() => {
    [requested, released, answers, defaultChat] = [[], [], new Map(), undefined];
  });

  const settled = async () => {
    for (let n = 0; n < 4; n += 1) await new Promise((resolve) => void setImmediate(resolve));
  };
  async function answer(resource: string, state: object): Promise<void> {
    answers.get(resource)!.resolve({ snapshot: { resource, state, fromSeq: 1 } });
    await settled();
  }
  async function refuse(channel: string, code: number): Promise<void> {
    answers.get(channel)!.reject(Object.assign(new Error('refused'), { code }));
    await settled();
  }

  async function open(restore: RestoreState): Promise<OpenChat> {
    const nothing = () => ({ dispose: () => {} });
    const connection: Connection = {
      initializeResult: { protocolVersion: '0.7.0', serverSeq: 0, snapshots: [], capabilities: {} },
      request: (_method, params) => {
        const { channel } = params as { channel: string };
        requested.push(channel);
        answers.set(channel, later());
        return answers.get(channel)!.promise;
      },
      notify: async (_method, params) => void released.push((params as { channel: string }).channel),
      onNotification: nothing,
      onClosed: nothing,
    };
    const port = new HostClient({
      clientId: 'c1',
      now: () => emptyChat.modifiedAt,
      connect: async () => {},
      warn: () => {},
      schedule: nothing,
    });
    port.attach(connection);
    const deps = {
      port,
      catalogue: { get: () => (defaultChat === undefined ? undefined : { defaultChat }) },
      lastUsed: { modelOf: () => undefined, favorites: () => ({ pinned: [], recent: [] }) },
      editor: () => ({ isTrusted: true, folders: [], unsavedFiles: 0, hasSelection: false }),
    } as unknown as OpenChatDeps;
    const chat = new OpenChat(deps, { session: SESSION, ...restore });
    await settled();
    return chat;
  }

  it('is requested before the host has sent its session, once, and is then shown', async () => {
    const chat = await open({ chat: chatUri });
    assert.deepEqual(requested, [ROOT, SESSION, chatUri]);
    await answer(SESSION, titled);
    await answer(chatUri, emptyChat);
    assert.deepEqual([chat.chatUri, chat.chat, requested.length, released], [chatUri, emptyChat, 3, []]);
  });

  it('is the first one of its session, where a page saved none', async () => {
    defaultChat = chatUri;
    await open({});
    assert.deepEqual(requested, [ROOT, SESSION, chatUri]);
  });

  for (const code of [errorCodes.SessionNotFound, errorCodes.NotFound])
    it(`is requested again where the host refused it with ${code} before it sent the session`, async () => {
      const chat = await open({ chat: chatUri });
      await refuse(chatUri, code);
      await answer(SESSION, titled);
      assert.deepEqual([requested, released], [[ROOT, SESSION, chatUri, chatUri], [chatUri]]);
      await answer(chatUri, emptyChat);
      assert.deepEqual(chat.chat, emptyChat);
    });

  for (const saved of ['nonsense', SESSION, ROOT])
    it(`is not ${saved}, which a page may have saved`, async () => {
      const chat = await open({ chat: saved });
      assert.deepEqual(requested, [ROOT, SESSION]);
      await answer(SESSION, titled);
      assert.deepEqual([chat.chatUri, requested], [chatUri, [ROOT, SESSION, chatUri]]);
    });

  for (const [what, happens] of [
    ['is gone', () => refuse(SESSION, errorCodes.SessionNotFound)],
    ['shows another chat', () => answer(SESSION, { ...titled, defaultChat: 'host-chat:/other' })],
    ['has no chat', () => answer(SESSION, withoutChat)],
  ] as const)
    it(`is let go of if its session ${what}`, async () => {
      await open({ chat: chatUri });
      await happens();
      assert.deepEqual(released, [chatUri]);
    });
});
