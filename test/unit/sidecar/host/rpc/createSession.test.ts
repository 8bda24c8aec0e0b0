import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { ProviderCapabilities, SessionContext } from '../../../../../sidecar/agents/provider.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { sessionUri } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const values = ['slow', 'fast'].map((id) => ({ id, label: id }));
const options = { models: [], commands: [], properties: [{ id: 'mode', title: 'Mode', values, value: 'slow' }] };
const forks: ProviderCapabilities = { multipleChats: { fork: true } };

/** Names of folders below the data directory. */
interface Folders {
  readonly says: string;
  readonly can: ProviderCapabilities;
  readonly primary?: string;
  /** Of the session, in order; where the agent starts comes first in `started`. */
  readonly stored: readonly string[];
  readonly started: readonly string[];
  /** The primary one of the chat. */
  readonly fixed?: string;
}

describe('createSession', () => {
  let place: HostPlace;
  afterEach(() => place.close());
  const opened: SessionContext[] = [];

  async function open(capabilities: ProviderCapabilities = forks, fails = false): Promise<HostPeer> {
    opened.length = 0;
    const scripted = scriptedProvider(
      async function* (turn) {
        yield { kind: 'text', partId: 'a', text: turn.text };
      },
      { options },
    );
    const provider = {
      ...scripted,
      capabilities,
      open: async (...all: Parameters<typeof scripted.open>) => {
        opened.push(all[0]);
        if (fails) throw new Fault('command_missing', 'It is not installed.');
        return scripted.open(...all);
      },
    };
    place = await openHostPlace([provider]);
    return place.connect();
  }
  const folder = (name: string) => {
    mkdirSync(join(place.dataDir, name));
    return `file://${place.dataDir}/${name}`;
  };

  for (const { says, can, primary, stored, started, fixed } of [
    {
      says: 'the first alone where the agent works in one',
      can: {},
      stored: ['a'],
      started: ['a'],
    },
    { says: 'the first also where another is called primary', can: {}, primary: 'b', stored: ['a'], started: ['a'] },
    {
      says: 'all where it works in several',
      can: { multipleWorkingDirectories: {} },
      stored: ['a', 'b'],
      started: ['a', 'b'],
    },
    {
      says: 'all as equals, also where one is called primary, which only agents that require it have',
      can: { multipleWorkingDirectories: { requiresPrimary: false } },
      primary: 'b',
      stored: ['a', 'b'],
      started: ['a', 'b'],
    },
    {
      says: 'all, and starts in the primary one',
      can: { multipleWorkingDirectories: { requiresPrimary: true } },
      primary: 'b',
      stored: ['a', 'b'],
      started: ['b', 'a'],
      fixed: 'b',
    },
    {
      says: 'all, and the first for a primary where one is needed and nobody chose',
      can: { multipleWorkingDirectories: { requiresPrimary: true } },
      stored: ['a', 'b'],
      started: ['a', 'b'],
      fixed: 'a',
    },
  ] as readonly Folders[]) {
    it(`takes of two folders ${says}`, async () => {
      verifies(
        'host.command.createSession',
        'host.capability.directories-one',
        'host.rule.directories',
        'host.primary.omitted',
        'host.primary.reported',
        'host.primary.supplied',
        'host.primary.absent',
        'host.rule.primary',
      );
      const peer = await open(can);
      const uri = { a: folder('a'), b: folder('b') } as Record<string, string>;
      const { session, chat } = await peer.newSession({
        workingDirectories: [uri['a']!, uri['b']!, uri['a']!],
        ...(primary !== undefined && { primaryWorkingDirectory: uri[primary]! }),
      });
      assert.deepEqual(
        peer.session(session).workingDirectories,
        stored.map((it) => uri[it]),
      );
      assert.equal(peer.chat(chat).primaryWorkingDirectory, fixed && uri[fixed]);
      assert.deepEqual(
        opened[0]?.folders,
        started.map((it) => join(place.dataDir, it)),
      );
    });
  }

  it('copies a session through a turn of any of its chats, with its folders, values and contents', async () => {
    const peer = await open();
    const workingDirectories = [folder('a')];
    const { session, chat } = await peer.newSession({ workingDirectories, config: { mode: 'fast' } });
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      ids.push(await peer.prompt(chat, text));
      await peer.ended(chat, ids.at(-1)!);
    }
    const copy = sessionUri(randomUUID());
    await peer.request('createSession', { channel: copy, fork: { session, turnId: ids[1]! } });
    const state = await peer.subscribe<SessionState>(copy);
    assert.deepEqual(
      [state.title, state.provider, state.workingDirectories, state.config?.values],
      [
        'one',
        'scripted',
        workingDirectories,
        { mode: 'fast', 'switchboard.permissions': 'ask', 'switchboard.sandbox': 'off' },
      ],
    );
    const turns = (await peer.subscribe<ChatState>(state.defaultChat!)).turns;
    assert.deepEqual(turns, peer.chat(chat).turns.slice(0, 2));
    assert.deepEqual(peer.chat(state.defaultChat!).origin, { kind: 'fork', chat, turnId: ids[1] });
    await peer.until(() => peer.notified.some((it) => JSON.stringify(it.params).includes(copy)));
    const { items } = await peer.request('listSessions', {});
    assert.deepEqual(items.map((it) => it.resource).sort(), [copy, session].sort());
    await peer.request('disposeSession', { channel: session });
    assert.equal((await peer.subscribe<ChatState>(state.defaultChat!)).turns.length, 2);
  });

  for (const { says, can = forks, params, code = -32602, message } of [
    {
      says: 'a fork of no session',
      params: () => ({ fork: { session: 'host-session:/none', turnId: 't' } }),
      code: -32001,
      message: 'fork.session: session not found',
    },
    {
      says: 'a fork of no turn',
      params: (session: string) => ({ fork: { session, turnId: 'none' } }),
      message: 'fork.turnId: finished turn not found',
    },
    {
      says: 'a fork with another agent',
      params: (session: string, turnId: string) => ({ provider: 'other', fork: { session, turnId } }),
      message: 'provider: a fork must use the same agent as the original session',
    },
    {
      says: 'a fork of an agent without it',
      can: { multipleChats: {} },
      params: (session: string, turnId: string) => ({ fork: { session, turnId } }),
      message: 'fork: fork is not supported by this agent',
    },
    {
      says: 'a primary folder that is none of them',
      params: () => ({ workingDirectories: ['file:///a'], primaryWorkingDirectory: 'file:///b' }),
      message: 'primaryWorkingDirectory: must be one of workingDirectories',
    },
    {
      says: 'the tools of another client',
      params: () => ({ activeClient: { clientId: 'c9', tools: [] } }),
      message: 'activeClient.clientId: must be your own client ID',
    },
  ] as {
    says: string;
    can?: ProviderCapabilities;
    params: (session: string, turnId: string) => object;
    code?: number;
    message: string;
  }[]) {
    it(`refuses ${says}, and makes nothing`, async () => {
      const peer = await open(can);
      const { session, chat } = await peer.newSession();
      const turnId = await peer.prompt(chat, 'one');
      await peer.ended(chat, turnId);
      const channel = sessionUri(randomUUID());
      await assert.rejects(peer.request('createSession', { channel, ...params(session, turnId) }), { code, message });
      await assert.rejects(peer.request('subscribe', { channel }), { code: -32001 });
    });
  }

  it('lets the active client in as if it had dispatched that right after', async () => {
    verifies('host.move.client-set');
    const peer = await open();
    const tools = [{ name: 'look' }];
    const { session } = await peer.newSession({ activeClient: { clientId: 'c1', tools } });
    assert.deepEqual(peer.session(session).activeClients, [{ clientId: 'c1', tools }]);
    peer.peer.sendNotification('unsubscribe', { channel: session });
    const other = await place.connect('c2');
    await other.subscribe(session);
    await other.until(() => other.session(session).activeClients.length === 0);
  });

  for (const fails of [false, true]) {
    it(`tells how far it is under the given token, to the end, ${fails ? 'where the agent does not start' : 'and then it is ready'}`, async () => {
      const peer = await open(forks, fails);
      const session = sessionUri(randomUUID());
      const frames = () => peer.notified.filter((it) => it.method === 'root/progress').map((it) => it.params);
      assert.equal(await peer.request('createSession', { channel: session, progressToken: 'p' }), null);
      await peer.until(() => frames().at(-1)?.['progress'] === 1);
      assert.deepEqual(
        frames().map(({ progressToken, progress, total }) => [progressToken, progress, total]),
        [
          ['p', 0, 1],
          ['p', 1, 1],
        ],
      );
      const state = await peer.subscribe<SessionState>(session);
      assert.equal(state.lifecycle, fails ? 'creationFailed' : 'ready');
      assert.equal(state.creationError?.errorType, fails ? 'commandMissing' : undefined);
    });
  }

  it('resolves the values of a session before it is made, and completes them', async () => {
    const peer = await open();
    const resolve = (config: object) =>
      peer.request('resolveSessionConfig', { provider: 'scripted', config: { ...config } });
    const { schema, values: chosen } = await resolve({ mode: 'fast' });
    assert.deepEqual(
      [Object.keys(schema.properties), chosen],
      [
        ['switchboard.permissions', 'mode', 'switchboard.sandbox'],
        { mode: 'fast', 'switchboard.permissions': 'ask', 'switchboard.sandbox': 'off' },
      ],
    );
    assert.equal((await resolve({})).values['mode'], 'slow');
    const complete = (query?: string) =>
      peer.request('sessionConfigCompletions', { property: 'mode', ...(query !== undefined && { query }) });
    assert.deepEqual(
      (await complete()).items.map((it) => it.value),
      ['slow', 'fast'],
    );
    assert.deepEqual(
      (await complete('FA')).items.map((it) => it.value),
      ['fast'],
    );
    await assert.rejects(peer.request('resolveSessionConfig', { provider: 'none' }), { code: -32002 });
  });

  it('tells the count before the end of a session, and that before the answer', async () => {
    const peer = await open();
    const { session, chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, 'one'));
    await peer.until(() => peer.envelopes.some((it) => it.action.type === 'root/activeSessionsChanged'));
    await peer.request('disposeSession', { channel: session });
    const counts = peer.envelopes.filter((it) => it.action.type === 'root/activeSessionsChanged');
    assert.deepEqual(counts.at(-1)?.action, { type: 'root/activeSessionsChanged', activeSessions: 0 });
    assert.deepEqual(peer.notified.at(-1), {
      method: 'root/sessionRemoved',
      params: { channel: 'host-root://', session },
    });
  });
});
