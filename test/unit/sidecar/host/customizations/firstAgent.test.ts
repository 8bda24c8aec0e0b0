import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import { CLIENT_LIMIT_MS } from '../../../../../sidecar/host/rpc/askClient.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { sessionUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

/** How long a turn waits for what is being read. */
const LIMIT_MS = 10_000;
const PLUGIN = 'virtual://c1/plugin';

describe('the first message of a new session', () => {
  const turns: TurnRequest[] = [];
  const timers = new ManualTimers();
  let place: HostPlace;
  let peer: HostPeer;
  let workspace: Workspace;
  beforeEach(async () => {
    turns.length = 0;
    workspace = openWorkspace({ '.github/agents/reviewer.md': 'Review well.', '.github/agents/second.md': 'Second.' });
    const agent = scriptedProvider(async function* (turn) {
      turns.push(turn);
    });
    place = await openHostPlace([agent], { timers });
    peer = await place.connect();
  });
  afterEach(async () => {
    await place.close();
    timers.close();
    workspace.remove();
  });

  const start = (turnId: string, uri: string): AnyAction & Record<string, unknown> => ({
    type: 'chat/turnStarted',
    turnId,
    startedAt: new Date().toISOString(),
    message: { text: 'go', origin: { kind: 'user' }, agent: { uri } },
  });
  /** Prompts a session in the moment in which its chat is known, as a program does. */
  const begin = async (uri: string, more: object = {}) => {
    const session = sessionUri(randomUUID());
    const [, { snapshot }] = await Promise.all([
      peer.request('createSession', { channel: session, workingDirectories: [workspace.uri], ...more }),
      peer.request('subscribe', { channel: session }),
    ]);
    peer.reset(snapshot!);
    const chat = (snapshot!.state as SessionState).defaultChat!;
    const subscribing = peer.subscribe(chat);
    const echo = peer.act(chat, start('t1', uri));
    await subscribing;
    assert.equal((await echo).rejectionReason, undefined);
    return { session, chat };
  };

  it('waits for the custom agents of its folder and gets the one that it selects', async () => {
    verifies('host.message.first-agent');
    const { chat } = await begin(workspace.uriOf('.github/agents/reviewer.md'));
    assert.equal((await peer.ended(chat, 't1')).state, 'complete');
    assert.deepEqual(turns[0]?.customAgent, { name: 'reviewer', instructions: 'Review well.' });
    assert.equal(timers.count(LIMIT_MS), 0, 'nothing waits any more for what was read');
  });

  it('gets a custom agent also where nobody looks at the session', async () => {
    verifies('host.message.first-agent');
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    peer.peer.sendNotification('unsubscribe', { channel: session });
    await peer.request('ping', {});
    await peer.act(chat, start('t1', workspace.uriOf('.github/agents/second.md')));
    assert.equal((await peer.ended(chat, 't1')).state, 'complete');
    assert.deepEqual(turns[0]?.customAgent, { name: 'second', instructions: 'Second.' });
  });

  it('can choose from the custom agents of a folder before there is a session, where that is trusted', async () => {
    verifies('host.message.first-agent');
    workspace.write({ '.github/agents/hidden.md': '---\nuser-invocable: false\n---\nx' });
    const ask = async (by: HostPeer, workingDirectory: string) =>
      (await by.request('x-switchboard/customAgents', { workingDirectory })).items;
    const uri = (name: string) => workspace.uriOf(`.github/agents/${name}.md`);
    assert.deepEqual(await ask(peer, workspace.uri), [
      { uri: uri('reviewer'), name: 'reviewer' },
      { uri: uri('second'), name: 'second' },
    ]);
    assert.deepEqual(await ask(peer, `${workspace.uri}/none`), []);
    assert.deepEqual(await ask(await place.connect('c2', { trusted: false }), workspace.uri), []);
  });

  it('ends with words when there is no such custom agent, and the agent is given nothing', async () => {
    verifies('host.message.first-agent');
    const { chat } = await begin(workspace.uriOf('.github/agents/none.md'));
    const { state, error } = await peer.ended(chat, 't1');
    assert.equal(state, 'error');
    assert.equal(
      error?.message,
      'This custom agent was not found in the session. Choose another one, or send the message without one.',
    );
    assert.deepEqual(turns, []);
  });

  describe('that selects an agent of the plugin that its client publishes with the session', () => {
    const uri = `${PLUGIN}/agents/mine.md`;
    const activeClient = {
      clientId: 'c1',
      tools: [],
      customizations: [{ type: 'plugin', id: 'p', uri: PLUGIN, name: 'Mine', enabled: true }],
    };
    const publish = (listed: (folder: string) => unknown) =>
      peer.peer.onRequest({
        resourceList: (params) => listed((params as { uri: string }).uri),
        resourceRead: () => ({ data: 'Be mine.', encoding: 'utf-8' }),
      });
    const nothing = { data: '{}', encoding: 'utf-8' };
    const entriesOf = (folder: string) => ({
      entries: folder.endsWith('/agents') ? [{ name: 'mine.md', type: 'file' }] : [],
    });

    it('waits for the plugin', async () => {
      verifies('host.message.first-agent');
      publish(entriesOf);
      const { chat } = await begin(uri, { activeClient });
      assert.equal((await peer.ended(chat, 't1')).error, undefined);
      assert.deepEqual(turns[0]?.customAgent, { name: 'mine', instructions: 'Be mine.' });
    });

    for (const [why, read] of [
      ['whose folder', 'agents'],
      ['whose file', 'agents/mine.md'],
    ] as const) {
      it(`says that it could not be read, and not that it is not there, where ${why} its client does not send in time`, async () => {
        verifies('host.message.agent-unread');
        const asked = new Promise<void>((resolve) => {
          const never = (): Promise<never> => {
            resolve();
            return new Promise(() => {});
          };
          peer.peer.onRequest({
            resourceList: (params) => {
              const { uri: folder } = params as { uri: string };
              return read === 'agents' && folder.endsWith('/agents') ? never() : entriesOf(folder);
            },
            resourceRead: (params) => ((params as { uri: string }).uri === uri ? never() : nothing),
          });
        });
        const { chat } = await begin(uri, { activeClient });
        await asked;
        await until('the turn waits', () => timers.has(10_000));
        timers.pass(CLIENT_LIMIT_MS);
        const { error } = await peer.ended(chat, 't1');
        assert.equal(
          error?.message,
          "This custom agent could not be read. The session's customizations show the reason. Fix the problem, or send the message without this agent.",
        );
        assert.deepEqual(turns, []);
      });
    }

    it('says that it is not there where another agent of the plugin could not be read', async () => {
      verifies('host.message.agent-unread');
      peer.peer.onRequest({
        resourceList: (params) => {
          const { uri: folder } = params as { uri: string };
          return { entries: folder.endsWith('/agents') ? [{ name: 'other.md', type: 'file' }] : [] };
        },
        resourceRead: (params) => {
          if ((params as { uri: string }).uri.endsWith('/other.md')) throw new Error('refused');
          return nothing;
        },
      });
      const { chat } = await begin(uri, { activeClient });
      assert.match(
        (await peer.ended(chat, 't1')).error?.message ?? '',
        /This custom agent was not found in the session\. Choose another one, or send the message without one/,
      );
    });

    it('waits no longer than 10 s for a client that does not answer', async () => {
      verifies('host.message.first-agent');
      const asked = new Promise<void>((resolve) => {
        publish((): Promise<never> => {
          resolve();
          return new Promise(() => {});
        });
      });
      const { chat } = await begin(uri, { activeClient });
      await asked;
      await until('the turn waits', () => timers.has(10_000));
      assert.equal(peer.chat(chat).turns.length, 0);
      timers.pass(10_000);
      const { error } = await peer.ended(chat, 't1');
      assert.match(error?.message ?? '', /could not be read in time/);
      assert.deepEqual(turns, []);
    });
  });
});
