import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { hasFlag, status } from '../../../../../sidecar/protocol/status.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

const started = (toolCallId: string) =>
  ({ kind: 'toolStarted', toolCallId, toolName: 'shell', displayName: 'Run command' }) as const;
const ended = (toolCallId: string) =>
  ({ kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: 'Ran it', content: [] }) as const;

describe('turns', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });
  async function open(script: Script): Promise<{ peer: HostPeer; session: string; chat: string }> {
    place = await openHostPlace([scriptedProvider(script)]);
    const peer = await place.connect();
    return { peer, ...(await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] })) };
  }
  for (const { says, script, state, error } of [
    { says: 'returns', script: async function* () {}, state: 'complete', error: undefined },
    {
      says: 'fails on purpose',
      script: async function* () {
        yield { kind: 'text', partId: 'a', text: 'so far' };
        throw new Fault('auth_required', 'Sign in first.');
      },
      state: 'error',
      error: { errorType: 'authRequired', message: 'Sign in first.' },
    },
  ] satisfies { says: string; script: Script; state: string; error: object | undefined }[]) {
    it(`end once, and with it, when the agent ${says}`, async () => {
      const { peer, chat } = await open(script);
      const turn = await peer.ended(chat, await peer.prompt(chat, 'go'));
      assert.equal(turn.state, state);
      assert.deepEqual(turn.error, error);
      const types = peer.envelopes.filter((it) => it.channel === chat).map((it) => it.action.type);
      const closing = types.filter((it) => /turnComplete|turnCancelled|error/.test(it));
      assert.deepEqual(closing, types.slice(-1));
    });
  }

  it('have the usage that the agent reported last, its context and the cost of the session in _meta', async () => {
    verifies('host.usage.context');
    const context = { used: 10, size: 100 };
    const cost = { amount: 1, currency: 'USD' };
    const { peer, chat } = await open(async function* () {
      yield { kind: 'usage', inputTokens: 10, context, cost };
      yield { kind: 'usage', inputTokens: 12, outputTokens: 3, context: { ...context, used: 15 }, cost };
    });
    const turn = await peer.ended(chat, await peer.prompt(chat, 'go'));
    assert.deepEqual(turn.usage, {
      inputTokens: 12,
      outputTokens: 3,
      _meta: { context: { used: 15, size: 100 }, cost },
    });
  });

  it('tell nobody what a bug in an agent said', async () => {
    const { peer, chat } = await open(async function* () {
      throw new Error('/home/me/secret-path');
    });
    const turn = await peer.ended(chat, await peer.prompt(chat, 'go'));
    assert.match(turn.error!.message, /^internal error \([0-9a-f-]{36}\)$/);
    assert.match(place!.log.join(''), /secret-path/);
  });

  it('are played also after one whose end failed', async () => {
    verifies('host.move.turn-after-failure');
    let isBroken = false;
    const remembers = {
      get: () => {
        if (!isBroken) return undefined;
        isBroken = false;
        throw new Error('the agent cannot name its memory');
      },
    };
    const prompts: string[] = [];
    const script: Script = async function* ({ text }, _host, signal) {
      prompts.push(text);
      if (text !== 'first') return;
      await new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve()));
      isBroken = true;
    };
    const provider = scriptedProvider(script);
    const openAgent: typeof provider.open = async (...given) =>
      Object.defineProperty(await provider.open(...given), 'resumeId', remembers);
    place = await openHostPlace([{ ...provider, open: openAgent }]);
    const peer = await place.connect();
    const { chat } = await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] });
    const first = await peer.prompt(chat, 'first');
    await until('the agent was asked', () => prompts.length === 1);
    const cancelled = peer.act(chat, { type: 'chat/turnCancelled', turnId: first, duration: 1 } as AnyAction);
    const second = await peer.prompt(chat, 'second');
    await cancelled;
    assert.equal((await peer.ended(chat, second)).state, 'complete');
    assert.deepEqual(prompts, ['first', 'second']);
    assert.match(place.log.join(''), /cannot name its memory/);
  });

  it('play the queue one after the other, and a steering message that no turn took first', async () => {
    const texts: string[] = [];
    let release = () => {};
    const gate = new Promise<void>((resolve) => void (release = resolve));
    const { peer, chat } = await open(async function* (turn) {
      texts.push(turn.text);
      if (turn.text === 'one') await gate;
    });
    await peer.prompt(chat, 'one');
    const message = (text: string) => ({ text, origin: { kind: 'user' } });
    await peer.act(chat, {
      type: 'chat/pendingMessageSet',
      kind: 'queued',
      id: 'q1',
      message: message('three'),
    } as AnyAction);
    await peer.act(chat, {
      type: 'chat/pendingMessageSet',
      kind: 'steering',
      id: 's1',
      message: message('two'),
    } as AnyAction);
    release();
    await peer.until(() => peer.chat(chat).turns.length === 3);
    assert.deepEqual(texts, ['one', 'two', 'three']);
    assert.equal(peer.chat(chat).queuedMessages, undefined);
    await peer.act(chat, {
      type: 'chat/pendingMessageSet',
      kind: 'queued',
      id: 'q2',
      message: message('four'),
    } as AnyAction);
    await peer.until(() => peer.chat(chat).turns.length === 4);
  });

  it('do not start in a folder that nobody trusts', async () => {
    let isOpened = false;
    const provider = scriptedProvider(async function* () {});
    place = await openHostPlace([
      {
        ...provider,
        open: async (...all) => {
          isOpened = true;
          return provider.open(...all);
        },
      },
    ]);
    const peer = await place.connect('c1', { trusted: false });
    const { chat } = await peer.newSession();
    await assert.rejects(peer.prompt(chat, 'go'), /Trust this folder/);
    assert.equal(isOpened, false);
  });

  it('keep a large output of a tool as content, and its end in the chat', async () => {
    const output = `${'a'.repeat(200_000)}the end`;
    const { peer, chat } = await open(async function* () {
      yield started('k1');
      yield { ...ended('k1'), content: [{ kind: 'text', text: output }] };
    });
    const turn = await peer.ended(chat, await peer.prompt(chat, 'go'));
    const part = turn.responseParts[0];
    assert.ok(part?.kind === 'toolCall' && part.toolCall.status === 'completed');
    const [whole, shown] = part.toolCall.content ?? [];
    assert.ok(whole?.type === 'resource' && shown?.type === 'text');
    assert.match(shown.text, /the end$/);
    assert.ok(shown.text.length < 10_000);
    const { data } = await peer.request('resourceRead', { uri: whole.uri, encoding: 'utf-8' });
    assert.equal(data, output);
  });

  it('mark the session unread when nobody looks at the chat', async () => {
    const { peer, session, chat } = await open(async function* () {});
    peer.peer.sendNotification('unsubscribe', { channel: chat });
    const second = await place!.connect('c2');
    await peer.prompt(chat, 'go');
    await peer.until(() => !hasFlag(peer.session(session).status, status.IsRead));
    second.close();
  });
});
