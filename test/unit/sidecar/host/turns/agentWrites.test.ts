import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../../../../sidecar/agents/acp/provider.ts';
import type { SessionFiles, ToolFacts } from '../../../../../sidecar/agents/provider.ts';
import { openChildren } from '../../../../../sidecar/platform/children/children.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { hasRunUnasked, PERMISSION_DIAL } from '../../../../../sidecar/protocol/channels/session/permissionDial.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { PermissionRule } from '../../../../../sidecar/protocol/window.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const rule = (effect: PermissionRule['effect'], pattern: string): PermissionRule => ({
  id: pattern,
  effect,
  target: 'edit',
  pattern,
  source: 'user',
});

describe('a file that an agent writes through the host', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let files: SessionFiles;
  /** What each write of the agent came to. */
  let outcomes: string[];
  beforeEach(() => {
    workspace = openWorkspace({ 'a.txt': 'before\n', 'b.txt': 'before\n' });
    outcomes = [];
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });

  const path = (name: string) => join(workspace.path, name);
  const held = (name: string) => readFileSync(path(name), 'utf8');
  const write = (name: string) =>
    files.writeText(path(name), 'agent\n').then(
      () => void outcomes.push('written'),
      (thrown: unknown) => void outcomes.push(thrown instanceof Fault ? thrown.message : 'a bug'),
    );
  const edit = (name: string): ToolFacts => ({
    toolCallId: `edit ${name}`,
    kind: 'edit',
    invocationMessage: `Edit ${name}`,
    paths: [path(name)],
  });
  async function open(script: Script, rules: readonly PermissionRule[] = []) {
    const provider = scriptedProvider(script);
    place = await openHostPlace([
      {
        ...provider,
        open: (context, signal) => {
          ({ files } = context);
          return provider.open(context, signal);
        },
      },
    ]);
    const peer = await place.connect('c1', { rules: [...rules] });
    return { peer, ...(await peer.newSession({ workingDirectories: [workspace.uri] })) };
  }
  const dial = (peer: HostPeer, session: string, value: string) =>
    peer.act(session, { type: 'session/configChanged', config: { [PERMISSION_DIAL]: value } } as AnyAction);
  const asked = (peer: HostPeer, session: string) =>
    (peer.session(session).inputNeeded ?? []).flatMap((it) => (it.kind === 'toolConfirmation' ? [it] : []));
  /** Waits for the one question, and answers it. */
  async function answer(peer: HostPeer, session: string, chat: string, approved: boolean) {
    await peer.until(() => asked(peer, session).length === 1);
    const [it] = asked(peer, session);
    const { turnId, toolCall } = it!;
    const about = { type: 'chat/toolCallConfirmed', turnId, toolCallId: toolCall.toolCallId, approved } as const;
    await peer.act(chat, {
      ...about,
      ...(approved ? { confirmed: 'user-action' } : { reason: 'denied' }),
    } as AnyAction);
    return toolCall;
  }
  const bare: Script = async function* () {
    await write('a.txt');
  };

  for (const approved of [true, false])
    it(`waits at Ask for a person who sees what would change, and is ${approved ? 'written' : 'left as it is'} then`, async () => {
      verifies('host.dial.writes', 'host.dial.ask');
      const { peer, session, chat } = await open(bare);
      const turnId = await peer.prompt(chat, 'go');
      await peer.until(() => asked(peer, session).length === 1);
      assert.equal(held('a.txt'), 'before\n');
      const call = await answer(peer, session, chat, approved);
      assert.equal(call.status === 'pending-confirmation' && call.edits?.items[0]?.diff?.added, 1);
      const turn = await peer.ended(chat, turnId);
      assert.equal(held('a.txt'), approved ? 'agent\n' : 'before\n');
      assert.deepEqual(outcomes, [approved ? 'written' : 'The user denied writing this file.']);
      const calls = turn.responseParts.flatMap((it) => (it.kind === 'toolCall' ? [it.toolCall.status] : []));
      assert.deepEqual(calls, [approved ? 'completed' : 'cancelled']);
      assert.equal(hasRunUnasked(peer.session(session)._meta), false);
    });

  it('is not asked about again under a call that was allowed to edit it, and another file is', async () => {
    verifies('host.dial.writes');
    const { peer, session, chat } = await open(async function* (_turn, host) {
      yield { kind: 'toolStarted', toolCallId: 'edit a.txt', toolName: 'edit', displayName: 'Edit file' };
      await host.confirm(edit('a.txt'));
      await write('a.txt');
      await write('b.txt');
      yield { kind: 'toolEnded', toolCallId: 'edit a.txt', success: true, pastTenseMessage: 'Edited', content: [] };
      await write('a.txt');
    });
    const turnId = await peer.prompt(chat, 'go');
    await answer(peer, session, chat, true);
    for (const count of [1, 2]) {
      await peer.until(() => outcomes.length === count);
      await answer(peer, session, chat, false);
    }
    await peer.ended(chat, turnId);
    assert.deepEqual(outcomes, ['written', ...Array(2).fill('The user denied writing this file.')]);
    assert.equal(held('b.txt'), 'before\n');
  });

  it('waits under the call that its agent ran without asking, which is asked about instead', async () => {
    verifies('host.dial.writes');
    const { peer, session, chat } = await open(async function* () {
      yield { kind: 'toolStarted', toolCallId: 'edit a.txt', toolName: 'edit', displayName: 'Edit file' };
      yield { kind: 'toolRunning', facts: edit('a.txt') };
      await write('a.txt');
      yield { kind: 'toolEnded', toolCallId: 'edit a.txt', success: true, pastTenseMessage: 'Edited', content: [] };
    });
    const turnId = await peer.prompt(chat, 'go');
    const { toolCallId } = await answer(peer, session, chat, true);
    assert.equal(toolCallId, 'edit a.txt');
    await peer.ended(chat, turnId);
    assert.deepEqual([outcomes, held('a.txt')], [['written'], 'agent\n']);
    assert.equal(hasRunUnasked(peer.session(session)._meta), false, 'a person was asked before anything was written');
  });

  for (const { how, rules = [], at, outcome } of [
    { how: 'a rule allows', rules: [rule('allow', '*.txt')], at: 'ask', outcome: /^written$/ },
    { how: 'a rule denies', rules: [rule('deny', 'a.txt')], at: 'ask', outcome: /^A rule denies this/ },
    { how: 'Accept edits allows', at: 'acceptEdits', outcome: /^written$/ },
    { how: 'Read only denies', at: 'readOnly', outcome: /^The user set this session to read-only/ },
  ])
    it(`is decided at once where ${how} it`, async () => {
      verifies('host.dial.writes', 'host.dial.read-only', 'host.dial.accept-edits');
      const { peer, session, chat } = await open(bare, rules);
      await dial(peer, session, at);
      await peer.ended(chat, await peer.prompt(chat, 'go'));
      assert.match(outcomes.join(), outcome);
      assert.equal(held('a.txt'), outcomes[0] === 'written' ? 'agent\n' : 'before\n');
    });

  it('stays as it is where it changed, or the session was set to Read only, while a person was asked', async () => {
    verifies('host.dial.writes', 'host.dial.read-only');
    const { peer, session, chat } = await open(bare);
    const first = await peer.prompt(chat, 'go');
    await peer.until(() => asked(peer, session).length === 1);
    writeFileSync(path('a.txt'), 'person\n');
    await answer(peer, session, chat, true);
    await peer.ended(chat, first);
    const second = await peer.prompt(chat, 'go');
    await peer.until(() => asked(peer, session).length === 1);
    await dial(peer, session, 'readOnly');
    await answer(peer, session, chat, true);
    await peer.ended(chat, second);
    assert.match(outcomes[0] ?? '', /^The file changed while the user was being asked/);
    assert.match(outcomes[1] ?? '', /^The user set this session to read-only/);
    assert.equal(held('a.txt'), 'person\n');
  });

  it('is asked about where a real agent writes without asking, and not in a mode in which it decides', async () => {
    verifies('host.dial.writes');
    const root = mkdtempSync(join(tmpdir(), 'switchboard-writes-'));
    const children = openChildren(join(root, 'children.json'), () => '2026-01-01T00:00:00Z');
    const file = fileURLToPath(new URL('../../../../integration/peers/acp/modal.ts', import.meta.url));
    const args = [file, join(root, 'record'), 'ask', 'modes'];
    const agent = { id: 'modal', displayName: 'Modal', command: process.execPath, args, env: [] };
    place = await openHostPlace([acpProvider(agent, { timers: systemTimers, children })]);
    const peer = await place.connect('c1', { env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir() } });
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    const denied = await peer.prompt(chat, `write ${path('new.txt')}`);
    await answer(peer, session, chat, false);
    await peer.ended(chat, denied);
    assert.equal(existsSync(path('new.txt')), false);
    assert.match(readFileSync(join(root, 'record'), 'utf8'), /"why":"The user denied writing this file\."/);
    await peer.act(session, { type: 'session/configChanged', config: { mode: 'full-access' } } as AnyAction);
    await peer.ended(chat, await peer.prompt(chat, `write ${path('new.txt')}`));
    assert.equal(held('new.txt'), 'edited\n');
    await children.stopAll();
    rmSync(root, { recursive: true, force: true });
  });
});
