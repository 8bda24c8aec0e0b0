import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import { runbookProvider } from '../../../../../sidecar/agents/runbook/provider.ts';
import { type Children, openChildren } from '../../../../../sidecar/platform/children/children.ts';
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
const env = { PATH: process.env['PATH'] ?? '' };

describe('workspace files that change while trust is asked', () => {
  const turns: TurnRequest[] = [];
  let workspace: Workspace;
  let children: Children;
  let place: HostPlace;
  beforeEach(async () => {
    turns.length = 0;
    workspace = openWorkspace();
    children = openChildren(join(workspace.path, 'children.json'), () => '2026-01-01T00:00:00Z');
    const agent = scriptedProvider(async function* (turn) {
      turns.push(turn);
    });
    place = await openHostPlace([agent, runbookProvider({ children })]);
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
  /** The files change while the person is asked; then the answer is yes. */
  function trust(peer: HostPeer, after: Readonly<Record<string, string>>): void {
    workspace.write(after);
    peer.peer.sendNotification('x-switchboard/windowChanged', {
      channel: ROOT,
      window: { ...testWindow, trusted: true, env },
    });
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

  it('count as they are after it: hooks', async () => {
    verifies('security.changed-files');
    const touch = (name: string) => ({
      [SETTINGS]: settings({ UserPromptSubmit: `touch "${workspace.path}/${name}"` }),
    });
    const { peer, chat } = await open('scripted', touch('before'));
    await assert.rejects(peer.prompt(chat, 'hello'), { message: 'Trust this folder to run agents.' });
    trust(peer, touch('after'));
    await peer.ended(chat, await peer.prompt(chat, 'hello'));
    assert.deepEqual(['before', 'after'].map(was), [false, true]);
  });

  it('count as they are after it, and are shown before they run: the steps of a runbook', async () => {
    verifies('security.changed-files');
    const { peer, session, chat } = await open('runbook', { [RUNBOOK]: step('touch before') });
    const asked = { channel: chat, kind: 'userMessage', text: '/g', offset: 2 } as const;
    assert.deepEqual((await peer.request('completions', asked)).items, [], 'no runbook is read');
    await assert.rejects(peer.prompt(chat, '/go'), { message: 'Trust this folder to run agents.' });
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
    peer.peer.sendNotification('x-switchboard/windowChanged', {
      channel: ROOT,
      window: { ...testWindow, trusted: false, env },
    });
    await assert.rejects(peer.prompt(chat, '/go'), { message: 'Trust this folder to run agents.' });
    assert.deepEqual(turns, []);
    assert.equal(was('before'), false);
  });
});
