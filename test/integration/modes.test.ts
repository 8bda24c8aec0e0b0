import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../sidecar/agents/acp/provider.ts';
import { type Children, openChildren } from '../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import type { ChatState } from '../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { chatUri, sessionUri } from '../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../support/host/hostPlace.ts';
import { openPublicPlace } from '../support/host/publicPlace.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

interface Recorded {
  readonly event: 'started' | 'opened' | 'loaded' | 'set' | 'prompted' | 'asked' | 'edited';
  readonly mode: string;
  readonly sessionId: string;
}
type Style = 'modes' | 'config' | 'form';

/** Real processes: what they asked and edited is counted where they ran. */
describe('a mode in which an agent decides by itself', () => {
  const FREE = { mode: 'full-access' };
  let root: string;
  let record: string;
  let children: Children;
  let place: HostPlace | undefined;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-modes-')));
    record = join(root, 'record');
    writeFileSync(record, '');
    children = openChildren(join(root, 'children.json'), () => '2026-01-01T00:00:00Z');
  });
  afterEach(async () => {
    await place?.close();
    place = undefined;
    await children.stopAll();
    rmSync(root, { recursive: true, force: true });
  });

  const agent = (first: string, style: Style, ...flags: string[]) => {
    const modal = fileURLToPath(new URL('./peers/acp/modal.ts', import.meta.url));
    const args = [modal, record, first, style, ...flags];
    return acpProvider(
      { id: 'modal', displayName: 'Modal', command: process.execPath, args, env: [] },
      { timers: systemTimers, children },
    );
  };
  const env = { PATH: process.env['PATH'] ?? '', HOME: tmpdir() };
  const recorded = () =>
    readFileSync(record, 'utf8')
      .split('\n')
      .filter((it) => it !== '')
      .map((it) => JSON.parse(it) as Recorded);
  const count = (event: Recorded['event'], from = 0) =>
    recorded()
      .slice(from)
      .filter((it) => it.event === event).length;
  const folder = (name: string) => {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  };
  const at = (name: string) => ({ workingDirectories: [pathToFileURL(folder(name)).href] });
  const modeOf = (peer: HostPeer, session: string) => peer.session(session).config?.values['mode'];
  const choose = async (peer: HostPeer, session: string, config: object = FREE) => {
    const { rejectionReason } = await peer.act(session, { type: 'session/configChanged', config } as AnyAction);
    assert.equal(rejectionReason, undefined);
  };
  const play = async (peer: HostPeer, chat: string, text: string) => peer.ended(chat, await peer.prompt(chat, text));

  /** Starts a turn that edits, and answers once the agent asked for it. */
  async function asks(peer: HostPeer, session: string, chat: string, path: string): Promise<void> {
    const turnId = await peer.prompt(chat, `edit ${path}`);
    await peer.until(
      () =>
        (peer.session(session).inputNeeded ?? []).length > 0 || peer.chat(chat).turns.some((it) => it.id === turnId),
    );
    assert.equal(peer.session(session).inputNeeded?.length, 1, 'the agent did not ask');
    await peer.act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 } as AnyAction);
  }

  /** New sessions of other clients, each in a folder of its own. */
  async function newOnesAsk(after: HostPlace, times: number): Promise<void> {
    const from = recorded().length;
    for (let n = 0; n < times; n += 1) {
      const peer = await after.connect(`other-${randomUUID()}`, { env });
      const { session, chat } = await peer.newSession(at(`new-${n}`));
      await asks(peer, session, chat, join(folder(`new-${n}`), 'file'));
      assert.equal(modeOf(peer, session), 'ask');
      peer.close();
    }
    assert.deepEqual([count('asked', from), count('edited', from)], [times, 0]);
  }

  for (const [style, first] of [
    ['modes', 'ask'],
    ['config', 'full-access'],
    ['form', 'full-access'],
  ] as const) {
    it(`does not travel from sessions where it was chosen, in whatever way, to twenty new ones (${style}, the agent begins in ${first})`, async () => {
      verifies(
        'host.mode.chosen',
        'host.mode.not-inherited',
        'host.mode.asking-default',
        'host.approvals.every-source',
      );
      place = await openHostPlace([agent(first, style)]);
      const peer = await place.connect('chooser', { env });
      const free = async ({ session, chat }: { session: string; chat: string }, by: HostPeer = peer) => {
        const from = recorded().length;
        await play(by, chat, `edit ${join(folder('a'), 'file')}`);
        assert.deepEqual([count('asked', from), count('edited', from)], [0, 1], 'what was chosen holds there');
        assert.equal(modeOf(by, session), 'full-access');
      };
      // With its making, by a client whose agent nobody knows yet.
      const made = await peer.newSession({ ...at('a'), config: FREE });
      await free(made);
      // With its making, of a known agent.
      await free(await peer.newSession({ ...at('a'), config: FREE }));
      // By a click in the session, before and after its first turn.
      const clicked = await peer.newSession(at('a'));
      await asks(peer, clicked.session, clicked.chat, join(folder('a'), 'asked'));
      await choose(peer, clicked.session);
      const { modes } = await peer.request('x-switchboard/rules', {});
      assert.ok(modes.some((it) => it.session === clicked.session));
      assert.ok(modes.every((it) => modeOf(peer, it.session) === 'full-access'));
      await play(peer, clicked.chat, 'go');
      await free(clicked);
      // By another client.
      const another = await place.connect('another', { env });
      await another.subscribe(clicked.session);
      await choose(another, clicked.session, { mode: 'auto' });
      await choose(another, clicked.session);
      // In the form of a session that is not there yet.
      await peer.request('resolveSessionConfig', { ...at('a'), config: FREE } as never);
      // With a message, which cannot set it.
      const worded = await peer.newSession(at('a'));
      const message = { text: 'go', origin: { kind: 'user' }, model: { id: 'modal', config: FREE } };
      const turnId = randomUUID();
      const startedAt = new Date().toISOString();
      await peer.act(worded.chat, { type: 'chat/turnStarted', turnId, startedAt, message } as AnyAction);
      await peer.ended(worded.chat, turnId);
      assert.equal(modeOf(peer, worded.session), 'ask');
      // By the agent itself.
      if (style !== 'form') await play(peer, worded.chat, 'become full-access');
      assert.equal(modeOf(peer, worded.session), 'ask');
      // In a fork, and in another chat, of a session where it was chosen.
      const copy = sessionUri(randomUUID());
      const fork = { session: made.session, turnId: peer.chat(made.chat).turns[0]!.id };
      await peer.request('createSession', { channel: copy, fork });
      const forked = await peer.subscribe<SessionState>(copy);
      await peer.subscribe<ChatState>(forked.defaultChat!);
      assert.equal(modeOf(peer, copy), 'ask');
      await asks(peer, copy, forked.defaultChat!, join(folder('a'), 'forked'));
      const second = chatUri(randomUUID());
      await peer.request('createChat', { channel: made.session, chat: second });
      await peer.subscribe(second);
      await free({ session: made.session, chat: second });

      await newOnesAsk(place, 20);
      // The next host does not know either.
      await place.restart();
      const later = await place.connect('later', { env });
      await later.subscribe(made.session);
      await later.subscribe(made.chat);
      await free(made, later);
      await newOnesAsk(place, 3);
    });
  }

  it('is kept by the session in which it was chosen over a restart of the host, and by no other', async () => {
    verifies('host.mode.resumed', 'host.mode.not-inherited');
    place = await openHostPlace([agent('ask', 'modes', '--load')]);
    const peer = await place.connect('c1', { env });
    const { session, chat } = await peer.newSession(at('a'));
    await play(peer, chat, 'go');
    await choose(peer, session);
    await play(peer, chat, `edit ${join(folder('a'), 'one')}`);
    await place.restart();
    const again = await place.connect('c2', { env });
    await again.subscribe(session);
    await again.subscribe(chat);
    const from = recorded().length;
    // The first conversation that this host sees has the mode, and a new session does not take it for the agent's own.
    await play(again, chat, `edit ${join(folder('a'), 'two')}`);
    assert.deepEqual([count('loaded', from), count('asked', from), count('edited', from)], [1, 0, 1]);
    const { values } = await again.request('resolveSessionConfig', at('b') as never);
    assert.equal(values['mode'], 'ask');
    await newOnesAsk(place, 3);
  });

  it('is not what an agent goes on with that went into it by itself while nobody looked', async () => {
    verifies('host.mode.own-change', 'host.mode.resumed');
    place = await openHostPlace([agent('ask', 'modes', '--load')]);
    const peer = await place.connect('c1', { env });
    const { chat } = await peer.newSession(at('a'));
    await play(peer, chat, 'go');
    const { sessionId } = recorded().at(-1)!;
    writeFileSync(`${record}.${sessionId}`, 'full-access');
    await place.restart();
    const again = await place.connect('c2', { env });
    const { items } = await again.request('listSessions', {});
    const session = items[0]!.resource;
    await again.subscribe(session);
    await again.subscribe(chat);
    await asks(again, session, chat, join(folder('a'), 'file'));
    assert.equal(count('edited'), 0);
  });

  for (const style of ['modes', 'config'] as const) {
    it(`is left again where the agent went into it by itself, and stays where it was chosen (${style})`, async () => {
      verifies('host.mode.own-change', 'host.mode.chosen');
      place = await openHostPlace([agent('ask', style)]);
      const peer = await place.connect('c1', { env });
      const { session, chat } = await peer.newSession(at('a'));
      const path = join(folder('a'), 'file');
      const turnId = await peer.prompt(chat, `become full-access and edit ${path}`);
      await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
      assert.equal(count('edited'), 0);
      await peer.act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 } as AnyAction);
      await choose(peer, session);
      const from = recorded().length;
      await play(peer, chat, 'become plan');
      await play(peer, chat, `become full-access and edit ${path}`);
      assert.equal(count('edited', from), 1);
    });
  }

  it('ends the turn of an agent that does not leave it, with a reason, and its process', async () => {
    verifies('host.mode.own-change');
    place = await openHostPlace([agent('ask', 'modes', '--stubborn')]);
    const peer = await place.connect('c1', { env });
    const { session, chat } = await peer.newSession(at('a'));
    const { error } = await play(peer, chat, `become full-access and edit ${join(folder('a'), 'file')}`);
    assert.match(String(error?.message), /^Modal changed to a mode that does not ask for approval/);
    await peer.subscribe(session);
    assert.equal(modeOf(peer, session), 'ask');
    assert.equal(count('edited'), 0);
    await until('its process ended', () => children.list().length === 0);
  });

  it('is no way to begin for an agent that cannot be set to ask: the session says why it cannot be used', async () => {
    verifies('host.mode.asking-default');
    place = await openHostPlace([agent('full-access', 'modes', '--stubborn')]);
    const peer = await place.connect('c1', { env });
    const { session } = await peer.newSession(at('a'));
    const { lifecycle, creationError } = peer.session(session);
    assert.equal(lifecycle, 'creationFailed');
    assert.match(
      String(creationError?.message),
      /started in a mode that does not ask for approval and could not be switched to one that does/,
    );
    assert.deepEqual([count('prompted'), children.list()], [0, []]);
  });

  it('does not travel by the public names either', async () => {
    verifies('host.mode.not-inherited');
    const open = await openPublicPlace([agent('ask', 'modes')], env);
    try {
      const { peer } = await open.connect();
      await peer.initialize('ui');
      const newSession = async (name: string, config?: object) => {
        const channel = `ahp-session:/${randomUUID()}`;
        const workingDirectory = pathToFileURL(folder(name)).href;
        await peer.request('createSession', {
          channel,
          provider: 'modal',
          workingDirectory,
          ...(config && { config }),
        });
        type Public = { lifecycle: string; defaultChat: string; config: { values: Record<string, unknown> } };
        let state = await peer.subscribe<Public>(channel);
        if (state.lifecycle === 'creating') {
          await peer.action(channel, 'session/ready');
          state = await peer.subscribe<Public>(channel);
        }
        await peer.subscribe(state.defaultChat);
        return { channel, state };
      };
      const prompt = (chat: string, text: string) =>
        peer.act(chat, {
          type: 'chat/turnStarted',
          turnId: randomUUID(),
          startedAt: new Date().toISOString(),
          message: { text, origin: { kind: 'user' } },
        });
      const { channel, state } = await newSession('a');
      await prompt(state.defaultChat, 'go');
      await peer.action(state.defaultChat, 'chat/turnComplete');
      await peer.act(channel, { type: 'session/configChanged', config: FREE });
      await prompt(state.defaultChat, 'again');
      const chosen = await newSession('b', FREE);
      assert.equal(chosen.state.config.values['mode'], 'full-access');
      for (let n = 0; n < 20; n += 1) {
        const made = await newSession(`new-${n}`);
        assert.equal(made.state.config.values['mode'], 'ask');
        await prompt(made.state.defaultChat, `edit ${join(folder(`new-${n}`), 'file')}`);
        await peer.action(made.channel, 'session/inputNeededSet');
      }
      assert.deepEqual([count('asked'), count('edited')], [20, 0]);
    } finally {
      await open.close();
    }
  });
});
