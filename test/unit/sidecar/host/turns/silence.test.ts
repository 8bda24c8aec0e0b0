import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { AgentProvider } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { SETTINGS, settings } from '../../../../support/host/hooks.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';

const MINUTE_MS = 60_000;

describe('a silent agent', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });
  async function open(script: Script, more: Partial<AgentProvider> = {}, hooks: Readonly<Record<string, string>> = {}) {
    const timers = new ManualTimers();
    place = await openHostPlace([{ ...scriptedProvider(script), ...more }], { timers });
    const file = join(place.dataDir, SETTINGS);
    mkdirSync(dirname(file));
    writeFileSync(file, settings(hooks));
    const peer = await place.connect('c1', { env: { PATH: process.env['PATH'] ?? '' } });
    const { session, chat } = await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] });
    const turnId = await peer.prompt(chat, 'go');
    return { timers, peer, session, chat, turnId };
  }
  const problem = (peer: HostPeer, session: string) =>
    (peer.session(session)._meta?.['problem'] as { kind?: string } | undefined)?.kind;
  const passes = async (timers: ManualTimers, peer: HostPeer, isTold: () => boolean, silentMs = MINUTE_MS) => {
    await until('the agent is watched', () => timers.has(silentMs));
    timers.pass(silentMs);
    await peer.until(isTold);
  };

  it('is told after a minute, in the activity of the chat and as a problem of the session', async () => {
    const { timers, peer, session, chat } = await open(async function* (_turn, _host, signal) {
      await aborted(signal);
    });
    await passes(timers, peer, () => problem(peer, session) === 'agentSilent');
    assert.equal(peer.chat(chat).activity, 'Scripted has not responded for a minute.');
  });

  it('is told after a time of its own where it has one', async () => {
    const { timers, peer, session, chat } = await open(
      async function* (_turn, _host, signal) {
        await aborted(signal);
      },
      { silentAfterMs: 90_000 },
    );
    await passes(timers, peer, () => problem(peer, session) === 'agentSilent', 90_000);
    assert.equal(peer.chat(chat).activity, 'Scripted has not responded for 90 seconds.');
  });

  it('is told no more when it is heard again', async () => {
    let speak = () => {};
    const spoken = new Promise<void>((resolve) => void (speak = resolve));
    const { timers, peer, session, chat, turnId } = await open(async function* () {
      await spoken;
      yield { kind: 'text', partId: 'a', text: 'sorry' };
    });
    await passes(timers, peer, () => problem(peer, session) === 'agentSilent');
    speak();
    await peer.ended(chat, turnId);
    assert.deepEqual([problem(peer, session), peer.chat(chat).activity], [undefined, undefined]);
  });

  it('is told no more when its turn was stopped', async () => {
    const { timers, peer, session, chat, turnId } = await open(async function* (_turn, _host, signal) {
      await aborted(signal);
    });
    await passes(timers, peer, () => problem(peer, session) === 'agentSilent');
    await peer.act(chat, { type: 'chat/turnCancelled', turnId } as AnyAction);
    await peer.until(() => problem(peer, session) === undefined);
    await peer.until(() => peer.chat(chat).activity === undefined);
  });

  it('is not told while a question waits for the person', async () => {
    const { timers, peer, session } = await open(async function* (_turn, host) {
      await host.confirm({ toolCallId: 'k', kind: 'shell', invocationMessage: 'Run', command: 'make', paths: [] });
    });
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
    timers.pass(MINUTE_MS);
    await peer.request('ping', { channel: 'host-root://' });
    assert.equal(problem(peer, session), undefined);
  });

  for (const event of ['PreToolUse', 'PostToolUse']) {
    it(`is not told while a hook (${event}) of a tool that it runs by itself takes its time`, async () => {
      const wait = 'cd "$CLAUDE_PROJECT_DIR"; touch begun; until [ -e go ]; do sleep 0.05; done';
      const { timers, peer, session, chat, turnId } = await open(
        async function* () {
          yield { kind: 'toolStarted', toolCallId: 't', toolName: 'read', displayName: 'Read' };
          const facts = { toolCallId: 't', kind: 'read', invocationMessage: 'Read', paths: [] } as const;
          yield { kind: 'toolRunning', facts };
          yield { kind: 'toolEnded', toolCallId: 't', success: true, pastTenseMessage: 'Read', content: [] };
        },
        { silentAfterMs: 90_000 },
        { [event]: wait },
      );
      const { dataDir = '' } = place ?? {};
      await until('the hook runs', () => existsSync(join(dataDir, 'begun')));
      timers.pass(90_000);
      await peer.act(session, { type: 'session/titleChanged', title: 'later' } as AnyAction);
      writeFileSync(join(dataDir, 'go'), '');
      await peer.ended(chat, turnId);
      assert.ok(!JSON.stringify(peer.envelopes).includes('agentSilent'));
    });
  }
});

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void signal.addEventListener('abort', () => resolve(), { once: true }));
}
