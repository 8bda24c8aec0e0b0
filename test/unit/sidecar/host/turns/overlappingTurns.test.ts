import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { AgentSession } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { later } from '../../../../support/later.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';

const message = (text: string) => ({ text, origin: { kind: 'user' } });
const steering = (id: string, text: string) =>
  ({ type: 'chat/pendingMessageSet', kind: 'steering', id, message: message(text) }) as AnyAction;
const cancel = (turnId: string) => ({ type: 'chat/turnCancelled', turnId, duration: 1 }) as AnyAction;

describe('turns that overlap', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });
  async function open(script: Script, more: Partial<AgentSession> = {}) {
    const provider = scriptedProvider(script, more);
    place = await openHostPlace([provider]);
    const peer = await place.connect();
    return { peer, ...(await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] })) };
  }

  it('can be cancelled one after the other: a slow end of the first does not hide the second', async () => {
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
    await until('its agent is stopped', () => second?.aborted === true);
  });

  it('keep a steering message that was set while the agent took the one before it', async () => {
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

  it('have no message waiting any more that their agent took, and play it in no turn of its own', async () => {
    const done = later<void>();
    const prompts: string[] = [];
    const { peer, chat } = await open(
      async function* ({ text }) {
        prompts.push(text);
        if (text === 'go') await done.promise;
      },
      { steer: async () => true },
    );
    await peer.prompt(chat, 'go');
    await until('it runs', () => prompts.length === 1);
    await peer.act(chat, steering('s', 'taken'));
    await peer.until(() => peer.chat(chat).steeringMessage === undefined, 'it waits no more');
    done.resolve();
    await peer.until(() => peer.chat(chat).turns.length === 1, 'the turn is over');
    await peer.ended(chat, await peer.prompt(chat, 'next'));
    assert.deepEqual(prompts, ['go', 'next']);
  });

  it('keep a message with attachments for the next turn: an agent takes only text in the middle of one', async () => {
    const done = later<void>();
    const seen: [text: string, attached: number][] = [];
    const steered: string[] = [];
    const steer = async (text: string) => {
      steered.push(text);
      return true;
    };
    const { peer, chat } = await open(
      async function* ({ text, attachments }) {
        seen.push([text, attachments.length]);
        if (text === 'go') await done.promise;
      },
      { steer },
    );
    await peer.prompt(chat, 'go');
    await until('it runs', () => seen.length === 1);
    const attachments = [{ type: 'simple', label: 'notes', modelRepresentation: 'what I know' }];
    await peer.act(chat, {
      type: 'chat/pendingMessageSet',
      kind: 'steering',
      id: 's',
      message: { ...message('look'), attachments },
    } as unknown as AnyAction);
    assert.equal(peer.chat(chat).steeringMessage?.id, 's');
    done.resolve();
    await peer.until(() => peer.chat(chat).turns.length === 2, 'both turns are over');
    assert.deepEqual(
      [steered, seen],
      [
        [],
        [
          ['go', 0],
          ['look', 1],
        ],
      ],
    );
  });

  it('give a tool call the edits of the files that it named, also where another call ended first', async () => {
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
});
