import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentProvider, ToolFacts } from '../../../../../sidecar/agents/provider.ts';
import { PERMISSION_DIAL } from '../../../../../sidecar/protocol/channels/session/permissionDial.ts';
import { type UnaskedRuns, unaskedRunsOf } from '../../../../../sidecar/protocol/channels/session/unaskedRuns.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { WindowInfo } from '../../../../../sidecar/protocol/window.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

/** Kind of a tool, then `asked` for one that asks first, and `failed` for one that did nothing. */
type Wish = readonly [kind: ToolFacts['kind'], how?: 'asked' | 'failed'];

const rules: WindowInfo['rules'] = [{ id: 'r', source: 'user', target: 'shell', pattern: 'npm test', effect: 'allow' }];

const deciding = {
  id: 'mode',
  title: 'Mode',
  value: 'ask',
  values: [
    { id: 'ask', label: 'Ask' },
    { id: 'bypassPermissions', label: 'Bypass permissions', agentDecides: true },
  ],
};

describe('a tool that an agent runs without asking', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let version: string | undefined;
  beforeEach(() => {
    workspace = openWorkspace({ 'a.txt': 'a\n' });
    version = '1.2.3';
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });

  function agent(): AgentProvider {
    const script = scriptedProvider(async function* ({ turnId, text }, host) {
      for (const [at, [kind, how]] of (JSON.parse(text) as Wish[]).entries()) {
        const toolCallId = `${turnId}-${at}`;
        const paths = kind === 'shell' ? [] : [join(workspace.path, 'a.txt')];
        const command = kind === 'shell' ? { command: 'npm test', cwd: workspace.path } : {};
        const facts: ToolFacts = { toolCallId, kind, invocationMessage: kind, paths, ...command };
        yield { kind: 'toolStarted', toolCallId, toolName: kind, displayName: kind };
        yield { kind: 'toolRunning', facts, ...(how === 'failed' && { hasFailed: true }) };
        if (how === 'asked') await host.confirm(facts);
        yield { kind: 'toolEnded', toolCallId, success: how !== 'failed', pastTenseMessage: kind, content: [] };
      }
    });
    return {
      ...script,
      open: async (...given) => {
        const options = { models: [], properties: [deciding], commands: [] };
        return Object.assign(await script.open(...given), { version, options });
      },
    };
  }
  async function connect(window: Partial<WindowInfo> = {}): Promise<HostPeer> {
    place = await openHostPlace([agent()]);
    return place.connect('c1', window);
  }
  const newSession = (peer: HostPeer) => peer.newSession({ workingDirectories: [workspace.uri] });
  async function runs(peer: HostPeer, made: { session: string; chat: string }, wishes: readonly Wish[]) {
    await peer.ended(made.chat, await peer.prompt(made.chat, JSON.stringify(wishes)));
    return unaskedRunsOf(peer.session(made.session)._meta);
  }
  const choose = (peer: HostPeer, session: string, config: Record<string, string>) =>
    peer.act(session, { type: 'session/configChanged', config } as AnyAction);
  const counted = (here: number, all: number): UnaskedRuns => ({ here, all, version: '1.2.3' });

  it('is counted for its session and for the version of the agent, over sessions and restarts', async () => {
    verifies('host.unasked.counted');
    const peer = await connect();
    assert.deepEqual(await runs(peer, await newSession(peer), [['shell'], ['edit']]), counted(2, 2));
    assert.deepEqual(await runs(peer, await newSession(peer), [['delete']]), counted(1, 3));
    await place.restart();
    const next = await place.connect('c2');
    version = '2.0.0';
    assert.deepEqual(await runs(next, await newSession(next), [['move']]), { here: 1, all: 1, version: '2.0.0' });
    version = '1.2.3';
    assert.deepEqual(await runs(next, await newSession(next), [['shell']]), counted(1, 4));
    version = undefined;
    assert.deepEqual(await runs(next, await newSession(next), [['shell']]), { here: 1, all: 1 });
  });

  it('is not counted if it only reads, asks after all, or fails before it runs', async () => {
    verifies('host.unasked.no-false-alarm');
    const peer = await connect({ rules });
    const made = await newSession(peer);
    const harmless: Wish[] = [['read'], ['search'], ['think'], ['other'], ['edit', 'failed'], ['shell', 'asked']];
    assert.equal(await runs(peer, made, harmless), undefined);
  });

  it('is not counted if a rule or Accept edits lets it run without a question', async () => {
    verifies('host.unasked.no-false-alarm');
    const peer = await connect({ rules });
    const made = await newSession(peer);
    assert.equal(await runs(peer, made, [['shell']]), undefined);
    await choose(peer, made.session, { [PERMISSION_DIAL]: 'acceptEdits' });
    assert.equal(await runs(peer, made, [['edit']]), undefined);
    await choose(peer, made.session, { [PERMISSION_DIAL]: 'ask' });
    assert.deepEqual(await runs(peer, made, [['edit']]), counted(1, 1));
  });

  it('is not counted in a mode in which the agent decides by itself', async () => {
    verifies('host.unasked.no-false-alarm');
    const peer = await connect();
    const made = await newSession(peer);
    await choose(peer, made.session, { mode: 'bypassPermissions' });
    assert.equal(await runs(peer, made, [['shell'], ['edit']]), undefined);
  });
});
