import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'mocha';
import type { AgentProvider, AgentSession } from '../../../../../sidecar/agents/provider.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { chatUri, sessionUri } from '../../../../../sidecar/protocol/uris.ts';
import type { WindowInfo } from '../../../../../sidecar/protocol/window.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { vault } from '../../../../support/host/protectedAgent.ts';
import { later } from '../../../../support/later.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';

const UNUSED_MS = 120_000;
const values = [
  { id: 'ask', label: 'Ask first' },
  { id: 'free', label: 'Decides', agentDecides: true },
];
const options = (value: string) => ({
  models: [],
  properties: [{ id: 'mode', title: 'Mode', values, value }],
  commands: [],
});
const large = `${'a'.repeat(200_000)}the end`;

/** Prints so much that it is kept aside. */
const prints: Script = async function* () {
  yield { kind: 'toolStarted', toolCallId: 'k', toolName: 'shell', displayName: 'Run command' };
  const content = [{ kind: 'text', text: large }] as const;
  yield { kind: 'toolEnded', toolCallId: 'k', success: true, pastTenseMessage: 'Ran it', content };
};
const says: Script = async function* (turn) {
  yield { kind: 'text', partId: 'a', text: turn.text };
};
const contentOf = (peer: HostPeer, chat: string): string => {
  const part = peer.chat(chat).turns[0]?.responseParts[0];
  const kept =
    part?.kind === 'toolCall' && part.toolCall.status === 'completed' ? part.toolCall.content?.[0] : undefined;
  assert.ok(kept?.type === 'resource');
  return kept.uri;
};

describe('sessions that come and go', () => {
  let place: HostPlace;
  let timers: ManualTimers;
  afterEach(() => place.close());
  async function open(provider: AgentProvider, window: Partial<WindowInfo> = {}) {
    timers = new ManualTimers();
    place = await openHostPlace([{ ...provider, capabilities: { multipleChats: { fork: true } } }], { timers });
    return place.connect('c1', window);
  }
  const played = async (peer: HostPeer, chat: string, text = 'go') => peer.ended(chat, await peer.prompt(chat, text));
  /** What a host stored itself it keeps as long as it is there. */
  async function nextHost() {
    await place.restart();
    return place.connect('c2');
  }
  const read = (peer: HostPeer, uri: string) => peer.request('resourceRead', { uri, encoding: 'utf-8' });

  it('take what was kept for them along', async () => {
    const peer = await open(scriptedProvider(prints));
    const { session, chat } = await peer.newSession();
    await played(peer, chat);
    const uri = contentOf(peer, chat);
    const later = await nextHost();
    assert.equal((await read(later, uri)).data, large);
    await later.request('disposeSession', { channel: session });
    await assert.rejects(read(later, uri));
  });

  it('leave what was kept for them to their forks, until those go', async () => {
    const peer = await open(scriptedProvider(prints));
    const { session, chat } = await peer.newSession();
    const { id: turnId } = await played(peer, chat);
    const fork = sessionUri(randomUUID());
    await peer.request('createSession', { channel: fork, fork: { session, turnId } });
    const uri = contentOf(peer, chat);
    const later = await nextHost();
    await later.request('disposeSession', { channel: session });
    assert.equal((await read(later, uri)).data, large);
    await later.request('disposeSession', { channel: fork });
    await assert.rejects(read(later, uri));
  });

  it('are forked through a turn of whichever chat, also of one that is not the first', async () => {
    const peer = await open(scriptedProvider(says));
    const { session, chat } = await peer.newSession();
    await played(peer, chat, 'first');
    const second = chatUri(randomUUID());
    await peer.request('createChat', { channel: session, chat: second });
    await peer.subscribe(second);
    const { id: turnId } = await played(peer, second, 'in the second');
    const fork = sessionUri(randomUUID());
    await peer.request('createSession', { channel: fork, fork: { session, turnId } });
    const { defaultChat = '' } = await peer.subscribe<SessionState>(fork);
    await peer.subscribe(defaultChat);
    assert.deepEqual(
      peer.chat(defaultChat).turns.map((it) => it.message.text),
      ['in the second'],
    );
  });

  /** An agent with a mode in which it decides by itself, which it is in whenever it is opened. */
  function deciding() {
    const configured: unknown[] = [];
    const provider: AgentProvider = {
      ...scriptedProvider(says),
      open: async (context, signal) => {
        let value = 'free';
        const configure: NonNullable<AgentSession['configure']> = async (config) => {
          configured.push(config['mode']);
          value = String(config['mode']);
        };
        const agent = await scriptedProvider(says, { configure }).open(context, signal);
        return Object.defineProperty(agent, 'options', { get: () => options(value) });
      },
    };
    return { provider, configured };
  }

  for (const { how, make } of [
    {
      how: 'under the name of one that is gone',
      make: async (peer: HostPeer, session: string) => {
        await peer.request('disposeSession', { channel: session });
        await peer.request('createSession', { channel: session });
        return session;
      },
    },
    {
      how: 'as a fork',
      make: async (peer: HostPeer, session: string, turnId: string) => {
        const channel = sessionUri(randomUUID());
        await peer.request('createSession', { channel, fork: { session, turnId } });
        return channel;
      },
    },
  ])
    it(`let no agent decide by itself where that was chosen in another one: made ${how}`, async () => {
      const { provider, configured } = deciding();
      const peer = await open(provider);
      const { session, chat } = await peer.newSession();
      await peer.act(session, { type: 'session/configChanged', config: { mode: 'free' } } as AnyAction);
      await until('the agent was set', () => configured.at(-1) === 'free');
      const { id } = await played(peer, chat);
      const made = await make(peer, session, id);
      const { defaultChat = '' } = await peer.subscribe<SessionState>(made);
      await peer.subscribe(defaultChat);
      await played(peer, defaultChat);
      assert.equal(configured.at(-1), 'ask', 'it was set to ask before it was used');
      assert.equal((await peer.subscribe<SessionState>(made)).config?.values['mode'], 'ask');
    });

  it('take the rules that were made for them along, and no other', async () => {
    const command = 'npm test';
    const facts = { kind: 'shell', invocationMessage: 'Run', toolInput: command, command, paths: [] } as const;
    const peer = await open(
      scriptedProvider(async function* (_turn, host) {
        yield { kind: 'toolStarted', toolCallId: 'k', toolName: 'shell', displayName: 'Run command' };
        await host.confirm({ ...facts, toolCallId: 'k' });
      }),
    );
    const sessions: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const { session, chat } = await peer.newSession({ workingDirectories: [`file://${place.dataDir}`] });
      sessions.push(session);
      const turnId = await peer.prompt(chat, 'go');
      await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1, 'the person is asked');
      const confirmed = { approved: true, confirmed: 'user-action', selectedOptionId: 'allow-session' };
      await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId: 'k', ...confirmed } as AnyAction);
      await peer.ended(chat, turnId);
    }
    const rules = async () => (await peer.request('x-switchboard/rules', {})).items.map((it) => it.session);
    assert.deepEqual(await rules(), sessions);
    await peer.request('disposeSession', { channel: sessions[0] ?? '' });
    assert.deepEqual(await rules(), sessions.slice(1));
  });

  it('let an agent go that was opened for what it offers, and that nobody asks for anything', async () => {
    let closed = 0;
    const close = async () => {
      closed += 1;
    };
    const peer = await open(scriptedProvider(says, { close }));
    const { chat } = await peer.newSession();
    assert.equal(closed, 0);
    await until('it is counted how long it is unused', () => timers.has(UNUSED_MS));
    timers.pass(UNUSED_MS);
    await until('it is let go', () => closed === 1);
    assert.equal((await played(peer, chat)).state, 'complete');
    timers.pass(UNUSED_MS);
    assert.equal(closed, 1, 'one that was asked stays');
  });

  it('are ready where nobody trusts the window, with no agent started for them', async () => {
    let opened = 0;
    const provider = scriptedProvider(says);
    const peer = await open(
      {
        ...provider,
        open: (...given) => {
          opened += 1;
          return provider.open(...given);
        },
      },
      { trusted: false },
    );
    const { session } = await peer.newSession();
    assert.deepEqual([peer.session(session).lifecycle, opened], ['ready', 0]);
  });

  it('have the client push another token where the agent refuses the one that it has as it starts', async () => {
    const provider: AgentProvider = {
      ...scriptedProvider(says),
      protectedResources: [vault],
      open: async () => {
        throw new Fault('auth_required', 'Sign in again.', { data: { resources: [vault] } });
      },
    };
    const peer = await open(provider);
    await peer.request('authenticate', { resource: vault.resource, token: 'old' });
    const { session } = await peer.newSession();
    await peer.until(() => peer.notified.some((it) => it.method === 'auth/required'), 'a token is asked for');
    const { params } = peer.notified.find((it) => it.method === 'auth/required') ?? {};
    assert.deepEqual(params, { channel: session, resource: vault.resource, reason: 'expired' });
    assert.equal(peer.session(session).lifecycle, 'creationFailed');
  });

  for (const { how, end } of [
    { how: 'opens', end: (opening: { resolve: () => void }) => opening.resolve() },
    {
      how: 'fails to open',
      end: (opening: { reject: (reason: unknown) => void }) => opening.reject(new Fault('unavailable', 'No.')),
    },
  ])
    it(`may go while their agent starts: that it ${how} then is nobody's`, async () => {
      const opening = later<void>();
      let closed = 0;
      const close = async () => {
        closed += 1;
      };
      const provider = scriptedProvider(says, { close });
      const peer = await open({
        ...provider,
        open: async (...given) => {
          await opening.promise;
          return provider.open(...given);
        },
      });
      const channel = sessionUri(randomUUID());
      await peer.request('createSession', { channel, progressToken: 'p' });
      await peer.request('disposeSession', { channel });
      end({ ...opening, resolve: () => opening.resolve() });
      await peer.until(() => peer.notified.some((it) => it.method === 'root/progress' && it.params['progress'] === 1));
      assert.equal(closed, how === 'opens' ? 1 : 0);
      assert.doesNotMatch(place.log.join(''), /internal error/);
      await assert.rejects(peer.request('subscribe', { channel }), { code: -32001 });
    });
});
