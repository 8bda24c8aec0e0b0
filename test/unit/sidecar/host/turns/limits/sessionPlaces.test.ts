import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ANSWER_LIMIT_MS } from '../../../../../../sidecar/host/turns/budgets/asking.ts';
import type { ChatAction } from '../../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { InputRequestPart } from '../../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { RunLimits } from '../../../../../../sidecar/protocol/channels/session/budgets.ts';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../../support/host/hostPlace.ts';
import { ManualTimers } from '../../../../../support/manualTimers.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../../support/verifies.ts';

interface Sent {
  readonly session: string;
  readonly chat: string;
  readonly turn: string;
}

describe('a limit on sessions that run at the same time', () => {
  let place: HostPlace;
  let timers: ManualTimers;
  let peer: HostPeer;
  /** Prompts that reached an agent. */
  let begun: string[];
  let finish: Map<string, () => void>;

  beforeEach(async () => {
    begun = [];
    finish = new Map();
    timers = new ManualTimers();
    const provider = scriptedProvider(async function* ({ text }, _host, signal) {
      begun.push(text);
      yield { kind: 'text', partId: 'p', text };
      await new Promise<void>((resolve) => {
        finish.set(text, resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    });
    place = await openHostPlace([provider], { timers });
  });
  afterEach(async () => {
    for (const it of finish.values()) it();
    timers.close();
    await place.close();
  });

  async function connect(runLimits: RunLimits, clientId = 'c1'): Promise<void> {
    peer = await place.connect(clientId, { runLimits });
  }
  /** Sends the message in a session of its own. */
  async function send(text: string, folder?: string): Promise<Sent> {
    const made = await peer.newSession(folder === undefined ? {} : { workingDirectories: [folder] });
    return { ...made, turn: await peer.prompt(made.chat, text) };
  }
  async function start(text: string, folder?: string): Promise<Sent> {
    const sent = await send(text, folder);
    await peer.until(() => begun.includes(text), `the agent got '${text}'`);
    return sent;
  }
  const questionIn = (chat: string, at = peer) =>
    at
      .chat(chat)
      .activeTurn?.responseParts.find((it): it is InputRequestPart => it.kind === 'inputRequest' && !it.response)
      ?.request;
  async function question({ chat }: Sent, at = peer) {
    await at.until(() => questionIn(chat, at) !== undefined, 'a person is asked');
    return questionIn(chat, at)!;
  }
  function answer({ chat }: Sent, requestId: string, value: string, at = peer) {
    const answers = { limit: { state: 'submitted', value: { kind: 'selected', value } } } as const;
    const action: ChatAction = { type: 'chat/inputCompleted', requestId, response: 'accept', answers };
    return at.act(chat, action);
  }
  async function end({ chat, turn }: Sent, text: string) {
    finish.get(text)!();
    return peer.ended(chat, turn);
  }

  it('lets the next turn wait before its agent gets the message, until another session ends its turn', async () => {
    verifies('host.limits.sessions');
    await connect({ sessions: 1 });
    const first = await start('one');
    const second = await send('two');
    const { questions } = await question(second);
    assert.match(questions?.[0]?.message ?? '', /^Running sessions: 1\. Limit: 1\./);
    assert.deepEqual(begun, ['one']);
    await end(first, 'one');
    await peer.until(() => begun.includes('two'), 'the agent got the message');
    const { responseParts, state } = await end(second, 'two');
    const asked = responseParts.filter((it) => it.kind === 'inputRequest').map((it) => it.response);
    assert.deepEqual([asked, state, peer.chat(second.chat).activity], [['cancel'], 'complete', undefined]);
  });

  it('is asked about in every window, also in one that opens later', async () => {
    await connect({ sessions: 1 });
    await start('one');
    const second = await send('two');
    await question(second);
    peer.close();
    await connect({ sessions: 1 }, 'c2');
    const other = await place.connect('c3');
    for (const it of [peer, other]) {
      await it.subscribe(second.session);
      await it.subscribe(second.chat);
    }
    const { id } = await question(second, other);
    assert.equal((await question(second)).id, id);
    await answer(second, id, '2', other);
    await peer.until(() => begun.includes('two'), 'the agent got the message');
  });

  it('is not asked about again after a person chose to wait', async () => {
    await connect({ sessions: 1 });
    const first = await start('one');
    const second = await send('two');
    await answer(second, (await question(second)).id, 'wait');
    const words = 'Waiting for another session to end its turn.';
    await peer.until(() => peer.chat(second.chat).activity === words, 'the chat shows what it waits for');
    timers.pass(ANSWER_LIMIT_MS);
    assert.deepEqual([begun, questionIn(second.chat)], [['one'], undefined]);
    await end(first, 'one');
    await peer.until(() => begun.includes('two'), 'the agent got the message');
  });

  it('can be raised, which lets all turns start that fit, and stays raised after a restart until the setting changes', async () => {
    verifies('host.limits.kept');
    await connect({ sessions: 1 });
    await start('one');
    const [second, third, fourth] = [await send('two'), await send('three'), await send('four')];
    for (const it of [third, fourth]) await question(it);
    await answer(second, (await question(second)).id, '3');
    await peer.until(() => begun.includes('three'), 'the agent got the message');
    assert.deepEqual(begun, ['one', 'two', 'three']);
    const { questions } = await question(fourth);
    assert.match(questions?.[0]?.message ?? '', /: (1\. Limit: 1|3\. Limit: 3)\./);
    peer.close();
    await place.restart();
    begun = [];
    await connect({ sessions: 1 }, 'c2');
    for (const it of ['five', 'six', 'seven']) await start(it);
    const last = await send('eight');
    await question(last);
    await connect({ sessions: 2 }, 'c3');
    const other = await send('nine');
    assert.match((await question(other)).questions?.[0]?.message ?? '', /^Running sessions: 3\. Limit: 2\./);
  });

  const refusals = [
    ['a person stops it', (sent: Sent, id: string) => answer(sent, id, 'stop'), /was stopped before it started/],
    ['nobody answers within an hour', async () => timers.pass(ANSWER_LIMIT_MS), /not answered within an hour/],
  ] as const;
  for (const [what, refuse, words] of refusals)
    it(`ends the waiting turn with an error if ${what}, and gives it no place`, async () => {
      verifies('host.limits.refused');
      await connect({ sessions: 1 });
      const first = await start('one');
      const second = await send('two');
      await refuse(second, (await question(second)).id);
      const { state, error } = await peer.ended(second.chat, second.turn);
      assert.equal(state, 'error');
      assert.match(error?.message ?? '', words);
      await end(first, 'one');
      await start('three');
      assert.deepEqual(begun, ['one', 'three']);
    });

  it('forgets a waiting turn that is canceled', async () => {
    await connect({ sessions: 1 });
    const first = await start('one');
    const second = await send('two');
    await question(second);
    const action: ChatAction = { type: 'chat/turnCancelled', turnId: second.turn, duration: 1 };
    await peer.act(second.chat, action);
    await end(first, 'one');
    await start('three');
    assert.deepEqual(begun, ['one', 'three']);
  });

  it('asks again after an answer that is not a higher limit', async () => {
    await connect({ sessions: 1 });
    await start('one');
    const second = await send('two');
    const { id } = await question(second);
    const action: ChatAction = {
      type: 'chat/inputCompleted',
      requestId: id,
      response: 'accept',
      answers: { limit: { state: 'submitted', value: { kind: 'selected', value: '', freeformValues: ['1'] } } },
    };
    await peer.act(second.chat, action);
    await peer.until(() => ![undefined, id].includes(questionIn(second.chat)?.id), 'a person is asked again');
    assert.match(questionIn(second.chat)?.message ?? '', /greater than the limit/);
  });

  it('starts turns in the order in which they came', async () => {
    await connect({ sessions: 1 });
    const sent = [await start('one'), await send('two'), await send('three')];
    for (const [at, text] of ['one', 'two', 'three'].entries()) {
      await peer.until(() => begun.length === at + 1, 'one more agent got its message');
      assert.equal(begun.at(-1), text);
      await end(sent[at]!, text);
    }
  });

  it('for a folder counts only the sessions in it', async () => {
    await connect({ sessionsInFolder: 1 });
    const [here = '', there = ''] = ['here', 'there'].map((it) => {
      mkdirSync(join(place.dataDir, it));
      return `file://${place.dataDir}/${it}`;
    });
    await start('one', here);
    await start('two', there);
    await start('three');
    const waiting = await send('four', here);
    assert.match(
      (await question(waiting)).questions?.[0]?.message ?? '',
      /^Running sessions in this folder: 1\. Limit: 1\./,
    );
    assert.deepEqual(begun, ['one', 'two', 'three']);
  });

  it('is lifted for turns that wait when the setting changes', async () => {
    await connect({ sessions: 1 });
    await start('one');
    const second = await send('two');
    await question(second);
    peer.peer.sendNotification('x-switchboard/windowChanged', { window: testWindow });
    await peer.until(() => begun.includes('two'), 'the agent got the message');
  });
});
