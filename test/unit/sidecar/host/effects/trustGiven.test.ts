import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import { runbookProvider } from '../../../../../sidecar/agents/runbook/provider.ts';
import { type Children, openChildren } from '../../../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import { approve, entryOf, onlyCall } from '../../../../support/host/clientTools.ts';
import { SETTINGS, settings } from '../../../../support/host/hooks.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const RUNBOOK = '.switchboard/runbooks/go.md';
const step = (command: string) => `# Go\n\n\`\`\`sh\n${command}\n\`\`\`\n`;
const REFUSED = 'Trust this folder to run agents.';
const env = { PATH: process.env['PATH'] ?? '' };

describe('workspace files that change while trust is asked', () => {
  const turns: TurnRequest[] = [];
  /** What the scripted agent waits for in each turn. */
  let hold: Promise<void> | undefined;
  let workspace: Workspace;
  let children: Children;
  let place: HostPlace;
  beforeEach(async () => {
    turns.length = 0;
    hold = undefined;
    workspace = openWorkspace();
    children = openChildren(join(workspace.path, 'children.json'), () => '2026-01-01T00:00:00Z');
    const agent = scriptedProvider(async function* (turn) {
      turns.push(turn);
      yield { kind: 'text', partId: 'a', text: turn.text };
      await hold;
    });
    place = await openHostPlace([agent, runbookProvider({ timers: systemTimers, children })]);
  });
  afterEach(async () => {
    await place.close();
    await children.stopAll();
    workspace.remove();
  });

  const was = (name: string) => existsSync(join(workspace.path, name));
  /** A session of a folder that is not trusted, as its files are before the question. */
  async function open(provider: string, before: Readonly<Record<string, string>>) {
    workspace.write(before);
    const peer = await place.connect('c1', { trusted: false, env });
    return { peer, ...(await peer.newSession({ provider, workingDirectories: [workspace.uri] })) };
  }
  function answer(peer: HostPeer, trusted: boolean): void {
    const window = { ...testWindow, trusted, env };
    peer.peer.sendNotification('x-switchboard/windowChanged', { channel: ROOT, window });
  }
  /** The files change while the person is asked; then the answer is yes. */
  function trust(peer: HostPeer, after: Readonly<Record<string, string>>): void {
    workspace.write(after);
    answer(peer, true);
  }

  it('count as they are after it: custom agents and their words', async () => {
    verifies('security.changed-files');
    const { peer, session, chat } = await open('scripted', { '.github/agents/reviewer.md': 'Before.' });
    await peer.request('ping', {});
    assert.equal(peer.session(session).customizations, undefined);
    trust(peer, { '.github/agents/reviewer.md': 'After.', '.github/agents/second.md': 'x' });
    const uri = workspace.uriOf('.github/agents/reviewer.md');
    const shown = () => JSON.stringify(peer.session(session).customizations ?? []);
    await peer.until(() => shown().includes('second.md') && shown().includes(uri));
    const turnId = randomUUID();
    const message = { text: 'go', origin: { kind: 'user' }, agent: { uri } };
    const startedAt = new Date().toISOString();
    await peer.act(chat, { type: 'chat/turnStarted', turnId, startedAt, message } as AnyAction);
    await peer.ended(chat, turnId);
    assert.deepEqual(turns[0]?.customAgent, { name: 'reviewer', instructions: 'After.' });
  });

  it('are followed for the window that trusts their folder, also when one looks that does not', async () => {
    const { peer, session } = await open('scripted', { '.github/agents/reviewer.md': 'x' });
    trust(peer, {});
    const shown = () => JSON.stringify(peer.session(session).customizations ?? []);
    await peer.until(() => shown().includes('reviewer.md'));
    const other = await place.connect('c2', { trusted: false });
    await other.subscribe(session);
    await other.request('ping', {});
    workspace.write({ '.github/agents/later.md': 'y' });
    await peer.until(() => shown().includes('later.md'), 'a file that came later is shown');
  });

  it('count as they are after it: hooks', async () => {
    verifies('security.changed-files');
    const touch = (name: string) => ({
      [SETTINGS]: settings({ UserPromptSubmit: `touch "${workspace.path}/${name}"` }),
    });
    const { peer, chat } = await open('scripted', touch('before'));
    await assert.rejects(peer.prompt(chat, 'hello'), { message: REFUSED });
    trust(peer, touch('after'));
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    assert.deepEqual(['before', 'after'].map(was), [false, true]);
  });

  it('count as they are after it, and are shown before they run: the steps of a runbook', async () => {
    verifies('security.changed-files');
    const { peer, session, chat } = await open('runbook', { [RUNBOOK]: step('touch before') });
    const asked = { channel: chat, kind: 'userMessage', text: '/g', offset: 2 } as const;
    assert.deepEqual((await peer.request('completions', asked)).items, [], 'no runbook is read');
    await assert.rejects(peer.prompt(chat, '/go'), { message: REFUSED });
    trust(peer, { [RUNBOOK]: step('touch after') });
    const turnId = await peer.prompt(chat, '/go');
    await entryOf(peer, session, 'toolConfirmation');
    const call = onlyCall(peer, chat);
    assert.equal(call.status === 'pending-confirmation' && call.toolInput, 'touch after');
    workspace.write({ [RUNBOOK]: step('touch changed-once-more') });
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    assert.deepEqual(['before', 'after', 'changed-once-more'].map(was), [false, true, false]);
  });

  it('are not used at all where the answer is taken back before a turn', async () => {
    verifies('security.changed-files');
    const { peer, chat } = await open('runbook', { [RUNBOOK]: step('touch before') });
    trust(peer, {});
    answer(peer, false);
    await assert.rejects(peer.prompt(chat, '/go'), { message: REFUSED });
    assert.deepEqual(turns, []);
    assert.equal(was('before'), false);
  });

  describe('trust taken back', () => {
    const about = (turnId: string, toolCallId: string) => ({ type: 'chat/toolCallConfirmed', turnId, toolCallId });
    const yes = { approved: true, confirmed: 'user-action', selectedOptionId: 'allow-once' };
    const queued = (id: string) => ({
      type: 'chat/pendingMessageSet',
      kind: 'queued',
      id,
      message: { text: id, origin: { kind: 'user' } },
    });

    it('while a tool call waits for a yes lets no window without trust say it, and the call waits on', async () => {
      verifies('security.trust-taken-back');
      const { peer, session, chat } = await open('runbook', { [RUNBOOK]: step('touch ran') });
      answer(peer, true);
      const turnId = await peer.prompt(chat, '/go');
      await entryOf(peer, session, 'toolConfirmation');
      const { toolCallId } = onlyCall(peer, chat);
      answer(peer, false);
      const refused = await peer.act(chat, { ...about(turnId, toolCallId), ...yes } as AnyAction);
      assert.equal(refused.rejectionReason, REFUSED);
      assert.equal(onlyCall(peer, chat).status, 'pending-confirmation');
      assert.equal(peer.session(session).inputNeeded?.length, 1);
      assert.equal(was('ran'), false);
      answer(peer, true);
      await approve(peer, session, chat, turnId);
      assert.equal((await peer.ended(chat, turnId)).state, 'complete');
      assert.equal(was('ran'), true);
    });

    it('while a tool call waits still lets that window say no', async () => {
      verifies('security.trust-taken-back');
      const { peer, session, chat } = await open('runbook', { [RUNBOOK]: step('touch ran') });
      answer(peer, true);
      const turnId = await peer.prompt(chat, '/go');
      await entryOf(peer, session, 'toolConfirmation');
      const { toolCallId } = onlyCall(peer, chat);
      answer(peer, false);
      const no = { ...about(turnId, toolCallId), approved: false, reason: 'denied' };
      assert.equal((await peer.act(chat, no as AnyAction)).rejectionReason, undefined);
      await peer.ended(chat, turnId);
      assert.equal(was('ran'), false);
    });

    it('gives an agent that runs already no further message, neither a new one nor one that waited', async () => {
      verifies('security.trust-taken-back');
      const { peer, chat } = await open('scripted', {});
      answer(peer, true);
      await peer.ended(chat, await peer.prompt(chat, 'first'));
      answer(peer, false);
      assert.equal((await peer.act(chat, queued('second') as AnyAction)).rejectionReason, REFUSED);
      answer(peer, true);
      let goOn = () => {};
      hold = new Promise((resolve) => void (goOn = resolve));
      const held = await peer.prompt(chat, 'held');
      await peer.act(chat, queued('third') as AnyAction);
      await peer.until(() => peer.chat(chat).activeTurn?.responseParts.length === 1);
      answer(peer, false);
      await peer.request('ping', {});
      goOn();
      await peer.ended(chat, held);
      await peer.until(() => peer.chat(chat).turns.some((it) => it.message.text === 'third'));
      assert.deepEqual(
        turns.map((it) => it.text),
        ['first', 'held'],
      );
      const { state, error } = peer.chat(chat).turns.at(-1)!;
      assert.deepEqual([state, error?.errorType, error?.message], ['error', 'notTrusted', REFUSED]);
    });
  });
});
