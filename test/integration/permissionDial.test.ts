import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../sidecar/agents/acp/provider.ts';
import type { AgentProvider, ToolDecision, ToolFacts, ToolKind } from '../../sidecar/agents/provider.ts';
import { type Children, openChildren } from '../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import type { ChatState } from '../../sidecar/protocol/channels/chat/schema.ts';
import {
  dialOf,
  hasRunUnasked,
  PERMISSION_DIAL,
  type PermissionDial,
} from '../../sidecar/protocol/channels/session/permissionDial.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { chatUri, sessionUri } from '../../sidecar/protocol/uris.ts';
import type { PermissionRule } from '../../sidecar/protocol/window.ts';
import type { HostPeer } from '../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../support/host/hostPlace.ts';
import { scriptedProvider } from '../support/scriptedProvider.ts';
import { verifies } from '../support/verifies.ts';

type Wish = { readonly kind: ToolKind; readonly path?: string; readonly command?: string; readonly runs?: boolean };

describe('the dial of permissions', () => {
  let root: string;
  let children: Children;
  let place: HostPlace | undefined;
  let decisions: ToolDecision[];
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-dial-')));
    mkdirSync(join(root, 'work'));
    children = openChildren(join(root, 'children.json'), () => '2026-01-01T00:00:00Z');
    decisions = [];
    at.workingDirectories = [pathToFileURL(join(root, 'work')).href];
  });
  afterEach(async () => {
    await place?.close();
    place = undefined;
    await children.stopAll();
    rmSync(root, { recursive: true, force: true });
  });

  /** A real process with modes: it asks before it edits, in a mode that asks. */
  const modal = () => {
    const file = fileURLToPath(new URL('./peers/acp/modal.ts', import.meta.url));
    writeFileSync(join(root, 'record'), '');
    const args = [file, join(root, 'record'), 'ask', 'modes', '--load'];
    return acpProvider(
      { id: 'modal', displayName: 'Modal', command: process.execPath, args, env: [] },
      { timers: systemTimers, children },
    );
  };
  /** Asks about each wish of a prompt in turn, or runs it without asking. */
  const wishing = (): AgentProvider => ({
    ...scriptedProvider(async function* (turn, host) {
      if (!turn.text.startsWith('[')) return;
      for (const [at, wish] of (JSON.parse(turn.text) as Wish[]).entries()) {
        const { kind, path, command, runs } = wish;
        const toolCallId = `${turn.turnId}-${at}`;
        const paths = path === undefined ? [] : [join(root, path)];
        const facts: ToolFacts = {
          toolCallId,
          kind,
          invocationMessage: kind,
          paths,
          ...(command !== undefined && { command, cwd: join(root, 'work') }),
        };
        yield { kind: 'toolStarted', toolCallId, toolName: kind, displayName: kind };
        if (runs) yield { kind: 'toolRunning', facts };
        else decisions.push(await host.confirm(facts));
        yield { kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: kind, content: [] };
      }
    }),
    capabilities: { multipleChats: { fork: true } },
  });
  const at = { workingDirectories: [] as string[] };
  const env = { PATH: process.env['PATH'] ?? '', HOME: tmpdir() };
  const open = async (...providers: AgentProvider[]) => {
    place = await openHostPlace(providers);
    return place.connect('c1', { env });
  };
  const set = async (peer: HostPeer, session: string, dial: string) =>
    (await peer.act(session, { type: 'session/configChanged', config: { [PERMISSION_DIAL]: dial } } as AnyAction))
      .rejectionReason;
  const dial = (peer: HostPeer, session: string): PermissionDial => dialOf(peer.session(session).config?.values);
  const play = async (peer: HostPeer, chat: string, wishes: readonly Wish[]) =>
    peer.ended(chat, await peer.prompt(chat, JSON.stringify(wishes)));
  /** Plays wishes of which each is decided without a person, and answers what the agent got. */
  const decided = async (peer: HostPeer, chat: string, wishes: readonly Wish[]) => {
    decisions = [];
    await play(peer, chat, wishes);
    return decisions;
  };
  /** Plays one wish, and answers whether a person was asked; who denies it. */
  const asks = async (peer: HostPeer, session: string, chat: string, wish: Wish): Promise<boolean> => {
    const turnId = await peer.prompt(chat, JSON.stringify([wish]));
    const isOver = () => peer.chat(chat).turns.some((it) => it.id === turnId);
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length > 0 || isOver());
    if (isOver()) return false;
    await peer.act(chat, { type: 'chat/turnCancelled', turnId, duration: 1 } as AnyAction);
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 0);
    return true;
  };
  const inside: Wish = { kind: 'edit', path: 'work/a.txt' };

  it('is at Ask in a new session, where an edit waits for a person', async () => {
    verifies('host.dial.ask');
    const peer = await open(wishing());
    const { session, chat } = await peer.newSession(at);
    assert.equal(dial(peer, session), 'ask');
    assert.equal(peer.session(session).config?.schema.properties[PERMISSION_DIAL]?.default, 'ask');
    assert.equal(await asks(peer, session, chat, inside), true);
    assert.match(String(await set(peer, session, 'everything')), /is not one of the choices/);
    assert.equal(dial(peer, session), 'ask');
  });

  it('lets edits in the folders of the session run at Accept edits, and asks about everything else', async () => {
    verifies('host.dial.accept-edits');
    const peer = await open(wishing());
    const { session, chat } = await peer.newSession(at);
    assert.equal(await set(peer, session, 'acceptEdits'), undefined);
    assert.deepEqual(await decided(peer, chat, [inside]), [{ allow: true }]);
    for (const wish of [
      { kind: 'edit', path: 'elsewhere.txt' },
      { kind: 'edit', path: 'work/.git/config' },
      { kind: 'delete', path: 'work/a.txt' },
      { kind: 'move', path: 'work/a.txt' },
      { kind: 'shell', command: 'touch a.txt' },
      { kind: 'fetch' },
      { kind: 'other' },
    ] satisfies Wish[])
      assert.equal(await asks(peer, session, chat, wish), true, JSON.stringify(wish));
  });

  it('denies changes and commands at Read only, with words for the agent, whatever rules allow', async () => {
    verifies('host.dial.read-only', 'host.dial.narrowing');
    const rules: PermissionRule[] = [
      { id: 'e', effect: 'allow', target: 'edit', pattern: '**', source: 'user' },
      { id: 's', effect: 'allow', target: 'shell', pattern: '*', source: 'user' },
      { id: 't', effect: 'allow', target: 'tool', pattern: '*', source: 'user' },
    ];
    place = await openHostPlace([wishing()]);
    const peer = await place.connect('c1', { env, rules });
    const { session, chat } = await peer.newSession(at);
    const wishes: Wish[] = [inside, { kind: 'delete', path: 'work/a.txt' }, { kind: 'shell', command: 'touch a.txt' }];
    await set(peer, session, 'readOnly');
    for (const it of await decided(peer, chat, wishes)) {
      assert.equal(it.allow, false);
      assert.match(
        String('reason' in it && it.reason),
        /^The user set this session to read-only, so changes and commands/,
      );
    }
    assert.deepEqual(await decided(peer, chat, [{ kind: 'read', path: 'work/a.txt' }]), [{ allow: true }]);
    assert.equal(await asks(peer, session, chat, { kind: 'other' }), true);
    await set(peer, session, 'ask');
    assert.deepEqual(await decided(peer, chat, [{ kind: 'shell', command: 'touch a.txt' }]), [{ allow: true }]);
  });

  it('denies what waited for a person when it was set to Read only', async () => {
    verifies('host.dial.read-only');
    const peer = await open(wishing());
    const { session, chat } = await peer.newSession(at);
    const turnId = await peer.prompt(chat, JSON.stringify([inside]));
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
    await set(peer, session, 'readOnly');
    const toolCallId = `${turnId}-0`;
    const allowed = { type: 'chat/toolCallConfirmed', turnId, toolCallId, approved: true, confirmed: 'user-action' };
    await peer.act(chat, allowed as AnyAction);
    await peer.ended(chat, turnId);
    assert.equal(decisions[0]?.allow, false);
  });

  it('lets deny and ask rules win over Accept edits', async () => {
    verifies('host.dial.narrowing');
    const rules: PermissionRule[] = [
      { id: 'd', effect: 'deny', target: 'edit', pattern: 'keys/**', source: 'user' },
      { id: 'w', effect: 'ask', target: 'edit', pattern: 'src/**', source: 'workspace' },
    ];
    place = await openHostPlace([wishing()]);
    const peer = await place.connect('c1', { env, rules });
    const { session, chat } = await peer.newSession(at);
    await set(peer, session, 'acceptEdits');
    assert.equal((await decided(peer, chat, [{ kind: 'edit', path: 'work/keys/k' }]))[0]?.allow, false);
    assert.equal(await asks(peer, session, chat, { kind: 'edit', path: 'work/src/s' }), true);
    assert.deepEqual(await decided(peer, chat, [inside]), [{ allow: true }]);
  });

  describe('does not travel', () => {
    for (const chosen of ['acceptEdits', 'readOnly'] as const) {
      it(`to a fork (${chosen})`, async () => {
        verifies('host.dial.not-inherited');
        const peer = await open(wishing());
        const { session, chat } = await peer.newSession(at);
        await set(peer, session, chosen);
        await play(peer, chat, []);
        const fork = sessionUri(randomUUID());
        const { id: turnId } = peer.chat(chat).turns[0]!;
        await peer.request('createSession', { channel: fork, fork: { session, turnId } });
        const { defaultChat } = await peer.subscribe<SessionState>(fork);
        await peer.subscribe<ChatState>(defaultChat!);
        assert.equal(dial(peer, fork), 'ask');
        assert.equal(await asks(peer, fork, defaultChat!, inside), true);
        assert.equal(dial(peer, session), chosen);
      });

      it(`to a new session, though its making asks for it (${chosen})`, async () => {
        verifies('host.dial.not-inherited');
        const peer = await open(wishing());
        const config = { [PERMISSION_DIAL]: chosen };
        const offered = await peer.request('resolveSessionConfig', { ...at, config } as never);
        assert.equal(dialOf(offered.values), 'ask');
        for (let n = 0; n < 2; n += 1) {
          const { session, chat } = await peer.newSession({ ...at, config });
          assert.equal(dial(peer, session), 'ask');
          assert.equal(await asks(peer, session, chat, inside), true);
        }
      });

      it(`to the sessions of other clients (${chosen})`, async () => {
        verifies('host.dial.not-inherited');
        const peer = await open(wishing());
        const { session } = await peer.newSession(at);
        await set(peer, session, chosen);
        const other = await place!.connect('other', { env });
        const theirs = await other.newSession(at);
        assert.equal(dial(other, theirs.session), 'ask');
        assert.equal(await asks(other, theirs.session, theirs.chat, inside), true);
      });

      it(`over a restart of the host, after which the session is at Ask (${chosen})`, async () => {
        verifies('host.dial.restart');
        const peer = await open(wishing());
        const { session, chat } = await peer.newSession(at);
        await play(peer, chat, []);
        await set(peer, session, chosen);
        await place!.restart();
        const again = await place!.connect('c2', { env });
        await again.subscribe(session);
        await again.subscribe(chat);
        assert.equal(dial(again, session), 'ask');
        assert.equal(await asks(again, session, chat, inside), true);
      });
    }

    it('to a chat that joins the session: Accept edits falls back to Ask, and Read only stays', async () => {
      verifies('host.dial.not-inherited');
      const peer = await open(wishing());
      const { session, chat } = await peer.newSession(at);
      await set(peer, session, 'acceptEdits');
      const second = chatUri(randomUUID());
      await peer.request('createChat', { channel: session, chat: second });
      await peer.subscribe(second);
      await peer.until(() => dial(peer, session) === 'ask');
      for (const it of [chat, second]) assert.equal(await asks(peer, session, it, inside), true);
      await set(peer, session, 'readOnly');
      await peer.request('createChat', { channel: session, chat: chatUri(randomUUID()) });
      assert.equal((await decided(peer, second, [inside]))[0]?.allow, false);
    });

    it('to a host elsewhere: whoever was let in by a credential may narrow, and not accept edits', async () => {
      verifies('host.dial.let-in', 'host.dial.not-inherited');
      const peer = await open(wishing());
      const own = await peer.newSession(at);
      await set(peer, own.session, 'acceptEdits');
      const far = place!.connectSilently('a credential');
      await far.initialize('far', testWindow);
      const { session, chat } = await far.newSession(at);
      assert.equal(dial(far, session), 'ask');
      assert.match(
        String(await set(far, session, 'acceptEdits')),
        /^"Accept edits" can be chosen only in a VS Code window/,
      );
      assert.equal(await asks(far, session, chat, inside), true);
      assert.equal(await set(far, session, 'readOnly'), undefined);
      assert.equal((await decided(far, chat, [inside]))[0]?.allow, false);
      assert.equal(await set(far, session, 'ask'), undefined);
    });
  });

  it('holds for a real agent, and is at Ask and cannot be set while that decides by itself', async () => {
    verifies('host.dial.accept-edits', 'host.dial.not-holding');
    const peer = await open(modal());
    const { session, chat } = await peer.newSession(at);
    const edit = async (name: string) => peer.ended(chat, await peer.prompt(chat, `edit ${join(root, 'work', name)}`));
    await set(peer, session, 'acceptEdits');
    await edit('accepted');
    assert.equal(existsSync(join(root, 'work/accepted')), true);
    await set(peer, session, 'readOnly');
    await edit('denied');
    assert.equal(existsSync(join(root, 'work/denied')), false);
    await peer.act(session, { type: 'session/configChanged', config: { mode: 'full-access' } } as AnyAction);
    await peer.until(() => dial(peer, session) === 'ask');
    assert.match(String(await set(peer, session, 'readOnly')), /^In its current mode, the agent decides for itself/);
    await edit('free');
    assert.equal(existsSync(join(root, 'work/free')), true);
    assert.equal(hasRunUnasked(peer.session(session)._meta), false, 'its mode says so already');
  });

  it('is not shown as holding once an agent ran a tool without asking, and stops such an agent at Read only', async () => {
    verifies('host.dial.not-holding');
    const peer = await open(wishing());
    const { session, chat } = await peer.newSession(at);
    await play(peer, chat, [{ kind: 'read', path: 'work/a.txt', runs: true }]);
    assert.equal(hasRunUnasked(peer.session(session)._meta), false);
    await play(peer, chat, [{ ...inside, runs: true }]);
    assert.equal(hasRunUnasked(peer.session(session)._meta), true);
    await set(peer, session, 'readOnly');
    const { error } = await play(peer, chat, [{ ...inside, runs: true }]);
    assert.match(String(error?.message), /^This session is read-only\. Scripted ran the tool without asking/);
  });
});
