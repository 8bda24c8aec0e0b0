import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { AgentSession } from '../../../../../sidecar/agents/provider.ts';
import type { HostOptions } from '../../../../../sidecar/host/host.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { chatUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { later } from '../../../../support/later.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';

const message = (text: string) => ({ text, origin: { kind: 'user' } });
const steering = (id: string, text: string) =>
  ({ type: 'chat/pendingMessageSet', kind: 'steering', id, message: message(text) }) as AnyAction;
const cancel = (turnId: string) => ({ type: 'chat/turnCancelled', turnId, duration: 1 }) as AnyAction;

describe('what takes the place of a turn or of a message', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });
  async function open(script: Script, more: Partial<AgentSession> = {}) {
    const provider = scriptedProvider(script, more);
    place = await openHostPlace([{ ...provider, capabilities: { multipleChats: {} } }]);
    const peer = await place.connect();
    return { peer, ...(await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] })) };
  }

  it('is stopped as any turn is, also where the one before it was slow to let go', async () => {
    const letGo = later<void>();
    let second: AbortSignal | undefined;
    const { peer, chat } = await open(async function* ({ text }, _host, signal) {
      if (text === 'slow') return letGo.promise;
      second = signal;
      await new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve(), { once: true }));
    });
    await peer.act(chat, cancel(await peer.prompt(chat, 'slow')));
    const next = await peer.prompt(chat, 'next');
    letGo.resolve();
    await until('the second turn is played', () => second !== undefined);
    await peer.act(chat, cancel(next));
    await until('its agent is stopped', () => second?.aborted === true, { limitMs: 5_000 });
  });

  it('stays where the message before it was taken by the agent meanwhile', async () => {
    const taken = later<boolean>();
    const asked: string[] = [];
    const done = later<void>();
    const steer = async (text: string) => {
      asked.push(text);
      return text === 'first' ? taken.promise : false;
    };
    const { peer, chat } = await open(
      async function* () {
        await done.promise;
      },
      { steer },
    );
    await peer.prompt(chat, 'go');
    await peer.act(chat, steering('s1', 'first'));
    await until('the agent was asked', () => asked.length === 1);
    await peer.act(chat, steering('s2', 'second'));
    taken.resolve(true);
    await peer.act(chat, { type: 'chat/draftChanged', draft: message('after it') } as unknown as AnyAction);
    assert.equal(peer.chat(chat).steeringMessage?.id, 's2');
    const removed = peer.envelopes.filter((it) => it.action.type === 'chat/pendingMessageRemoved');
    assert.deepEqual(removed, []);
    done.resolve();
    await peer.until(() => peer.chat(chat).turns.length > 0, 'the turn is over');
  });

  it('is nothing where a session goes while one of its chats is being disposed of: both end well', async () => {
    const closed = later<void>();
    let closing = 0;
    const close = async () => {
      closing += 1;
      if (closing === 1) await closed.promise;
    };
    const { peer, session } = await open(async function* () {}, { close });
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

  it('is no session that is made under the name of one on its way out', async () => {
    const ended = later<void>();
    let ending = false;
    const sessionEnded = async () => {
      ending = true;
      await ended.promise;
    };
    const gateway = {
      sessionTools: async () => undefined,
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

  it('is no change of a tool call that only ended first: each has the edits of the files that it named', async () => {
    let file = '';
    const names = (toolCallId: string, paths: readonly string[]) =>
      ({ toolCallId, kind: 'edit', invocationMessage: 'Edit', paths }) as const;
    const starts = (toolCallId: string) =>
      ({ kind: 'toolStarted', toolCallId, toolName: 'edit', displayName: 'Edit' }) as const;
    const ends = (toolCallId: string) =>
      ({ kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: 'Edited', content: [] }) as const;
    const { peer, chat } = await open(async function* () {
      yield starts('names');
      yield { kind: 'toolRunning', facts: names('names', [file]) };
      yield starts('other');
      yield { kind: 'toolRunning', facts: names('other', []) };
      writeFileSync(file, 'new\n');
      yield ends('other');
      yield ends('names');
    });
    file = join(place?.dataDir ?? '', 'a.txt');
    const turn = await peer.ended(chat, await peer.prompt(chat, 'go'));
    const edited = turn.responseParts.flatMap((it) =>
      it.kind === 'toolCall' && it.toolCall.toolCallId === 'names' && 'content' in it.toolCall
        ? (it.toolCall.content ?? []).filter((one) => one.type === 'fileEdit' && JSON.stringify(one).includes('/a.txt'))
        : [],
    );
    assert.equal(edited.length, 1);
  });

  it('echoes an action once that came twice before it was written', async () => {
    const { peer, chat } = await open(async function* () {});
    const twice = (peer_: HostPeer) => {
      const action = steering('s1', 'once');
      peer_.dispatch(chat, action, 90);
      peer_.dispatch(chat, action, 90);
    };
    twice(peer);
    await peer.act(chat, steering('s2', 'after it'));
    assert.equal(peer.envelopes.filter((it) => it.origin?.clientSeq === 90).length, 1);
  });
});
