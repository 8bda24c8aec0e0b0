import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

const started = (toolCallId: string) =>
  ({ kind: 'toolStarted', toolCallId, toolName: 'shell', displayName: 'Run command' }) as const;
const shell = (toolCallId: string, command: string) =>
  ({ toolCallId, kind: 'shell', invocationMessage: `Run ${command}`, toolInput: command, command, paths: [] }) as const;

describe('the moments of turns', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });
  async function open(script: Script) {
    place = await openHostPlace([scriptedProvider(script)]);
    const peer = await place.connect();
    return { peer, ...(await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] })) };
  }

  it('say in the activity of chat and session that a person is asked, until all is answered', async () => {
    verifies('host.turn.asking-activity');
    const { peer, session, chat } = await open(async function* (_turn, host) {
      yield started('a');
      yield started('b');
      const question = { id: 'q', questions: [{ id: 'x', kind: 'text', message: 'Which?' }] } as const;
      await Promise.all([host.confirm(shell('a', 'rm -r a')), host.confirm(shell('b', 'rm -r b')), host.ask(question)]);
      yield { kind: 'text', partId: 'p', text: 'on' };
    });
    const turnId = await peer.prompt(chat, 'go');
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 3);
    const activity = () => [peer.chat(chat).activity, peer.session(session).chats[0]?.activity];
    const confirm = (toolCallId: string) =>
      peer.act(chat, {
        type: 'chat/toolCallConfirmed',
        turnId,
        toolCallId,
        approved: true,
        confirmed: 'user-action',
      } as AnyAction);
    await confirm('a');
    await confirm('b');
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
    await peer.until(() => peer.chat(chat).activity === 'Waiting for your answer.');
    assert.deepEqual(activity(), ['Waiting for your answer.', 'Waiting for your answer.']);
    await peer.act(chat, { type: 'chat/inputCompleted', requestId: 'q', response: 'decline' } as AnyAction);
    await peer.ended(chat, turnId);
    assert.deepEqual(activity(), [undefined, undefined]);
    const said = peer.envelopes.flatMap(({ action }) =>
      action.type === 'chat/activityChanged' && 'activity' in action ? [action['activity']] : [],
    );
    assert.ok(said.includes('Waiting for your approval.'), String(said));
  });

  it('begin only after the agent has let go of the one before', async () => {
    verifies('host.turn.agent-let-go');
    const order: string[] = [];
    let letGo: () => void = () => undefined;
    const { peer, chat } = await open(async function* ({ text }, _host, signal) {
      order.push(`${text} begins`);
      if (text !== 'slow') return;
      yield { kind: 'text', partId: 'a', text: 'here' };
      await new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve()));
      order.push('slow is asked to stop');
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
      order.push('slow lets go');
    });
    const first = await peer.prompt(chat, 'slow');
    await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
    await peer.act(chat, { type: 'chat/turnCancelled', turnId: first, duration: 1 } as AnyAction);
    const second = await peer.prompt(chat, 'next');
    await until('the agent is asked to stop', () => order.includes('slow is asked to stop'));
    // Turns of another session that are asked for later begin and end meanwhile: this one would have, too.
    const other = await peer.newSession({ workingDirectories: [`file://${place!.dataDir}`] });
    for (const text of ['other 1', 'other 2', 'other 3'])
      await peer.ended(other.chat, await peer.prompt(other.chat, text));
    const ofChat = () => order.filter((it) => !it.startsWith('other'));
    assert.deepEqual(ofChat(), ['slow begins', 'slow is asked to stop']);
    letGo();
    await peer.ended(chat, second);
    assert.deepEqual(ofChat(), ['slow begins', 'slow is asked to stop', 'slow lets go', 'next begins']);
  });
});
