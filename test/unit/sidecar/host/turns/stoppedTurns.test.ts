import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { AgentProvider, AgentSession, ToolDecision, TurnHost } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { later } from '../../../../support/later.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';

const started = (toolCallId: string) =>
  ({ kind: 'toolStarted', toolCallId, toolName: 'shell', displayName: 'Run command' }) as const;
const shell = (toolCallId: string, paths: readonly string[] = []) =>
  ({
    toolCallId,
    kind: 'shell',
    invocationMessage: 'Run it',
    toolInput: 'rm -r x',
    command: 'rm -r x',
    paths,
  }) as const;
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve(), { once: true }));

describe('a turn that is stopped', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  async function open(script: Script, agent: Partial<AgentSession> = {}, more: Partial<AgentProvider> = {}) {
    const timers = new ManualTimers();
    place = await openHostPlace([{ ...scriptedProvider(script, agent), ...more }], { timers });
    const folder = join(realpathSync(place.dataDir), 'folder');
    mkdirSync(folder);
    const peer = await place.connect();
    const made = await peer.newSession({ workingDirectories: [`file://${folder}`] });
    return { peer, timers, folder, ...made };
  }
  const cancel = (peer: HostPeer, chat: string, turnId: string) =>
    peer.act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 } as AnyAction);
  const closings = (peer: HostPeer, chat: string) =>
    peer.envelopes
      .filter((it) => it.channel === chat && /turnComplete|turnCancelled|chat\/error/.test(it.action.type))
      .map((it) => it.action.type);

  it('is over with that, whatever its agent throws after, and what it throws is no problem of the session', async () => {
    const isAsked = later<void>();
    const { peer, session, chat } = await open(async function* ({ text }, _host, signal) {
      if (text !== 'first') return;
      isAsked.resolve();
      await aborted(signal);
      throw new Error('the agent was interrupted');
    });
    const first = await peer.prompt(chat, 'first');
    await isAsked.promise;
    await cancel(peer, chat, first);
    const second = await peer.ended(chat, await peer.prompt(chat, 'second'));
    assert.equal(second.state, 'complete');
    assert.equal(peer.chat(chat).turns[0]?.state, 'cancelled');
    assert.equal(peer.session(session)._meta?.['problem'], undefined);
    assert.deepEqual(closings(peer, chat), ['chat/turnCancelled', 'chat/turnComplete']);
    assert.doesNotMatch(place.log.join(''), /was interrupted/);
  });

  it('has an agent that is opened late asked for nothing', async () => {
    const opened = later<void>();
    const isOpening = later<void>();
    const prompts: string[] = [];
    const provider = scriptedProvider(async function* ({ text }) {
      prompts.push(text);
    });
    let count = 0;
    const { peer, chat } = await open(
      async function* () {},
      {},
      {
        open: async (...given) => {
          count += 1;
          if (count === 1) throw new Error('not yet');
          isOpening.resolve();
          await opened.promise;
          return provider.open(...given);
        },
      },
    );
    const first = await peer.prompt(chat, 'first');
    await isOpening.promise;
    await cancel(peer, chat, first);
    opened.resolve();
    await peer.ended(chat, await peer.prompt(chat, 'second'));
    assert.deepEqual(prompts, ['second']);
  });

  it('closes its agent when that does not end in time, and the next turn gets another one', async () => {
    const isAsked = later<void>();
    let closed = 0;
    const never = later<void>().promise;
    const { peer, timers, chat } = await open(
      async function* ({ text }) {
        if (text !== 'first') return;
        isAsked.resolve();
        await never;
      },
      {
        close: async () => {
          closed += 1;
        },
      },
    );
    const first = await peer.prompt(chat, 'first');
    await isAsked.promise;
    await cancel(peer, chat, first);
    await until('it is given its time', () => timers.has(5_000));
    assert.equal(closed, 0);
    timers.pass(5_000);
    await until('it was closed', () => closed === 1);
    assert.equal((await peer.ended(chat, await peer.prompt(chat, 'second'))).state, 'complete');
  });

  it('leaves an agent alone that ended in time', async () => {
    const isAsked = later<void>();
    let closed = 0;
    const { peer, timers, chat } = await open(
      async function* ({ text }, _host, signal) {
        if (text !== 'first') return;
        isAsked.resolve();
        await aborted(signal);
      },
      {
        close: async () => {
          closed += 1;
        },
      },
    );
    const first = await peer.prompt(chat, 'first');
    await isAsked.promise;
    await cancel(peer, chat, first);
    await peer.ended(chat, await peer.prompt(chat, 'second'));
    assert.equal(timers.has(5_000), false);
    timers.pass(5_000);
    assert.equal(closed, 0);
  });

  for (const { says, allow } of [
    { says: 'while a person is asked', allow: false },
    { says: 'right after a person allowed it', allow: true },
  ])
    it(`${says} allows no tool any more`, async () => {
      const decisions: (ToolDecision | string)[] = [];
      const { peer, session, chat, folder } = await open(async function* ({ text }, host) {
        if (text !== 'first') return;
        yield started('k');
        decisions.push(await host.confirm(shell('k', [join(folder, 'a.txt')])).catch(() => 'rejected'));
      });
      writeFileSync(join(folder, 'a.txt'), 'a');
      const turnId = await peer.prompt(chat, 'first');
      await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
      if (allow)
        peer.dispatch(chat, {
          type: 'chat/toolCallConfirmed',
          turnId,
          toolCallId: 'k',
          approved: true,
          confirmed: 'user-action',
        } as AnyAction);
      await cancel(peer, chat, turnId);
      await peer.ended(chat, await peer.prompt(chat, 'second'));
      assert.deepEqual(decisions, ['rejected']);
      assert.deepEqual(peer.session(session).inputNeeded ?? [], []);
      assert.equal(peer.chat(chat).activity, undefined);
    });

  it('takes no question of its agent any more once it is over', async () => {
    let held: TurnHost | undefined;
    const { peer, chat } = await open(async function* (_turn, host) {
      held = host;
    });
    await peer.ended(chat, await peer.prompt(chat, 'first'));
    assert.ok(held);
    // A question that comes after the end is nobody's: it is not shown.
    const count = peer.envelopes.length;
    const question = { id: 'q', questions: [{ id: 'x', kind: 'text', message: 'Which?' }] } as const;
    void held.ask(question).catch(() => undefined);
    await peer.ended(chat, await peer.prompt(chat, 'second'));
    const types = peer.envelopes.slice(count).map((it) => it.action.type);
    assert.equal(types.includes('chat/inputRequested'), false);
  });
});
