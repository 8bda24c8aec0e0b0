import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'mocha';
import type { HostOptions } from '../../../../../sidecar/host/host.ts';
import { chatUri } from '../../../../../sidecar/protocol/uris.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { later } from '../../../../support/later.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';

describe('a session that is disposed of', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });

  it('may go while one of its chats is being disposed of: both requests succeed', async () => {
    const closed = later<void>();
    let closing = 0;
    const close = async () => {
      closing += 1;
      if (closing === 1) await closed.promise;
    };
    const provider = scriptedProvider(async function* () {}, { close });
    place = await openHostPlace([{ ...provider, capabilities: { multipleChats: {} } }]);
    const peer = await place.connect();
    const { session } = await peer.newSession();
    const chat = chatUri(randomUUID());
    await peer.request('createChat', { channel: session, chat });
    await peer.subscribe(chat);
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    const ofChat = peer.request('disposeChat', { channel: chat });
    await until('its agent is being closed', () => closing > 0);
    await peer.request('disposeSession', { channel: session });
    closed.resolve();
    await ofChat;
  });

  it('has its URI to itself until all that belongs to it is gone', async () => {
    const ended = later<void>();
    let ending = false;
    const sessionEnded = async () => {
      ending = true;
      await ended.promise;
    };
    const gateway = {
      sessionTools: async () => undefined,
      gateCalls: () => undefined,
      onAgents: () => () => undefined,
      onModels: () => () => undefined,
      sessionEnded,
      close: async () => undefined,
    } as unknown as HostOptions['gateway'];
    place = await openHostPlace([scriptedProvider(async function* () {})], gateway ? { gateway } : {});
    const peer = await place.connect();
    const { session } = await peer.newSession();
    const disposed = peer.request('disposeSession', { channel: session });
    await until('the session has gone, and what belongs to it goes', () => ending);
    await assert.rejects(peer.request('createSession', { channel: session }), { code: -32003 });
    ended.resolve();
    await disposed;
    await peer.request('createSession', { channel: session });
  });
});
