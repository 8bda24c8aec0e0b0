import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentProvider, TurnRequest } from '../../../../../sidecar/agents/provider.ts';
import type {
  ChildCustomization,
  Customization,
} from '../../../../../sidecar/protocol/channels/session/customizations.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('customizations of a session', () => {
  let place: HostPlace;
  let workspace: Workspace;
  const turns: TurnRequest[] = [];
  const tools: string[][] = [];
  const provider = scriptedProvider(
    async function* (turn, host) {
      turns.push(turn);
      tools.push(host.tools.list().map((it) => it.name));
    },
    { options: { models: [{ id: 'm1', name: 'Small' }], model: 'm0', properties: [], commands: [] } },
  );
  beforeEach(() => {
    turns.length = 0;
    tools.length = 0;
    workspace = openWorkspace({ '.github/agents/reviewer.md': '---\nmodel: Small\ntools: count\n---\nReview well.' });
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });
  async function open(more: Partial<AgentProvider> = {}, trusted = true) {
    place = await openHostPlace([{ ...provider, ...more }]);
    const peer = await place.connect('c1', { trusted });
    return { peer, ...(await peer.newSession({ workingDirectories: [workspace.uri] })) };
  }
  const containers = (peer: HostPeer, session: string) => peer.session(session).customizations ?? [];
  const named = (peer: HostPeer, session: string, name: string) =>
    containers(peer, session).find((it) => it.name === name) as
      | Extract<Customization, { type: 'directory' }>
      | undefined;
  const children = (it: Customization | undefined): ChildCustomization[] =>
    it && 'children' in it ? (it.children ?? []) : [];
  const loaded = async (peer: HostPeer, session: string, name = '.github/agents') => {
    await peer.until(() => named(peer, session, name)?.load?.kind === 'loaded');
    return named(peer, session, name)!;
  };
  const message = (uri: string) => ({ text: 'go', origin: { kind: 'user' }, agent: { uri } });
  const start = (turnId: string, uri: string) =>
    ({ type: 'chat/turnStarted', turnId, startedAt: new Date().toISOString(), message: message(uri) }) as AnyAction;
  const toggle = (id: string, enabled: boolean) => ({ type: 'session/customizationToggled', id, enabled }) as AnyAction;

  it('are announced before they are read, and then filled', async () => {
    const { peer, session } = await open();
    const agents = await loaded(peer, session);
    assert.deepEqual(
      children(agents).map((it) => [it.type, it.name, it.uri]),
      [['agent', 'reviewer', workspace.uriOf('.github/agents/reviewer.md')]],
    );
    const changed = peer.envelopes.map((it) => it.action).filter((it) => it.type === 'session/customizationsChanged');
    for (const { customizations } of changed as unknown as { customizations: Customization[] }[]) {
      assert.ok(customizations.every((it) => 'load' in it && it.load?.kind === 'loading' && !('children' in it)));
    }
    const { children: none, load } = await loaded(peer, session, '.agents/skills');
    assert.deepEqual([none, load], [[], { kind: 'loaded' }]);
  });

  it('follow the disk: what is written, changed, renamed or deleted', async () => {
    const { peer, session } = await open();
    await loaded(peer, session);
    const names = (of: string) => children(named(peer, session, of)).map((it) => it.name);
    workspace.write({ '.claude/skills/new/SKILL.md': '---\nname: New\n---\n', 'AGENTS.md': 'Hello.' });
    await peer.until(() => names('.claude/skills').includes('New') && names('Instructions').includes('AGENTS'));
    workspace.write({ '.claude/skills/new/SKILL.md': '---\nname: Newer\n---\n' });
    await peer.until(() => names('.claude/skills').includes('Newer'));
    workspace.remove('.github/agents/reviewer.md');
    await peer.until(() => names('.github/agents').length === 0);
    assert.deepEqual(named(peer, session, '.github/agents')?.children, []);
    workspace.remove('.claude');
    await peer.until(() => named(peer, session, '.claude/skills') === undefined);
    workspace.write({ '.claude/skills/again/SKILL.md': 'Again.' });
    await peer.until(() => names('.claude/skills').includes('again'));
  });

  it('stay off once they were turned off: when their file changes, and after a restart', async () => {
    const { peer, session, chat } = await open();
    const agent = children(await loaded(peer, session))[0]!;
    await peer.act(session, toggle(agent.id, false));
    await peer.act(session, toggle(named(peer, session, '.github/prompts')!.id, false));
    workspace.write({ '.github/agents/reviewer.md': '---\nname: Other\n---\nx' });
    await peer.until(() => children(named(peer, session, '.github/agents'))[0]?.name === 'Other');
    assert.equal(children(named(peer, session, '.github/agents'))[0]?.enabled, false);
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    await place.restart();
    const later = await place.connect('c2');
    await later.subscribe(session);
    await later.until(() => children(named(later, session, '.github/agents'))[0]?.name === 'Other');
    assert.equal(children(named(later, session, '.github/agents'))[0]?.enabled, false);
    await loaded(later, session, '.github/prompts');
    assert.equal(named(later, session, '.github/prompts')?.enabled, false);
    assert.equal(named(later, session, '.github/instructions')?.enabled, true);
    await later.act(session, toggle(agent.id, true));
    assert.equal(children(named(later, session, '.github/agents'))[0]?.enabled, true);
  });

  it('keep all decisions about them when their file changes and after a restart', async () => {
    verifies('host.customization.enablement');
    const { peer, session, chat } = await open();
    const { id } = children(await loaded(peer, session))[0]!;
    const enablement = [
      { kind: 'global', enabled: false },
      { kind: 'session', enabled: true },
    ];
    const shown = (by: typeof peer) => children(named(by, session, '.github/agents'))[0]?.enablement;
    await peer.act(session, { ...toggle(id, true), enablement } as AnyAction);
    workspace.write({ '.github/agents/reviewer.md': '---\nname: Other\n---\nx' });
    await peer.until(() => children(named(peer, session, '.github/agents'))[0]?.name === 'Other');
    assert.deepEqual(shown(peer), enablement);
    await peer.ended(chat, await peer.prompt(chat, 'go'));
    await place.restart();
    const later = await place.connect('c2');
    await later.subscribe(session);
    await later.until(() => children(named(later, session, '.github/agents'))[0]?.name === 'Other');
    assert.deepEqual(shown(later), enablement);
    await later.act(session, toggle(id, false));
    assert.equal(shown(later), undefined);
  });

  it('may be added by a client, into a writable directory that was not there', async () => {
    verifies('host.customization.directory-absent', 'host.customization.writable');
    const { peer, session } = await open();
    const { uri, writable } = await loaded(peer, session, '.github/prompts');
    assert.equal(writable, true);
    await peer.request('resourceMkdir', { uri });
    await peer.request('resourceWrite', { uri: `${uri}/new.prompt.md`, data: 'New.', encoding: 'utf-8' });
    await peer.until(() => children(named(peer, session, '.github/prompts'))[0]?.name === 'new');
  });

  it('give a message the custom agent that it chooses, and none the agent as it is', async () => {
    verifies('host.selection.none');
    const { peer, session, chat } = await open();
    const { uri, id } = children(await loaded(peer, session))[0]!;
    await peer.act(session, {
      type: 'session/activeClientSet',
      activeClient: { clientId: 'c1', tools: [{ name: 'count' }, { name: 'other' }] },
    } as AnyAction);
    await peer.act(chat, start('t1', uri));
    await peer.ended(chat, 't1');
    await peer.ended(chat, await peer.prompt(chat, 'plain'));
    assert.deepEqual(
      turns.map(({ customAgent, model }) => ({ customAgent, model })),
      [
        { customAgent: { name: 'reviewer', instructions: 'Review well.' }, model: 'm1' },
        { customAgent: undefined, model: 'm0' },
      ],
    );
    assert.deepEqual(tools, [['count'], ['count', 'other']]);
    const refused = 'message.agent.uri: agent not found in this session';
    assert.equal((await peer.act(chat, start('t2', 'file:///none.md'))).rejectionReason, refused);
    const queued = { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q', message: message('file:///none.md') };
    assert.equal((await peer.act(chat, queued as AnyAction)).rejectionReason, refused);
    for (const off of [id, named(peer, session, '.github/agents')!.id]) {
      await peer.act(session, toggle(off, false));
      assert.equal((await peer.act(chat, start('t2', uri))).rejectionReason, refused);
      await peer.act(session, toggle(off, true));
    }
    workspace.write({ '.github/agents/reviewer.md': '---\nuser-invocable: false\n---\nx' });
    await peer.until(() => 'disableUserInvocation' in (children(named(peer, session, '.github/agents'))[0] ?? {}));
    assert.equal((await peer.act(chat, start('t2', uri))).rejectionReason, refused);
  });

  it('that an agent brings are those of the agent, and of each of its new sessions from the first moment', async () => {
    verifies('host.agent.customizations-propagated');
    workspace.write({ 'own/first.md': '---\ndescription: The first\n---\n' });
    const path = `${workspace.path}/own`;
    const { peer, session } = await open({ folders: [{ path, name: 'Own', contents: 'prompt', writable: true }] });
    const root = peer.states.get(ROOT) as { agents: { customizations?: Customization[] }[] };
    const [announced] = root.agents[0]?.customizations ?? [];
    const { children: found, load: _load, ...directory } = await loaded(peer, session, 'Own');
    assert.deepEqual(directory, announced);
    assert.deepEqual(
      found?.map((it) => [it.type, it.name]),
      [['prompt', 'first']],
    );
    workspace.write({ 'own/second.md': 'x' });
    await peer.until(() => children(named(peer, session, 'Own')).length === 2);
    const next = `host-session:/${crypto.randomUUID()}`;
    const [, { snapshot }] = await Promise.all([
      peer.request('createSession', { channel: next }),
      peer.request('subscribe', { channel: next }),
    ]);
    const state = snapshot?.state as { customizations?: Customization[] } | undefined;
    assert.deepEqual(state?.customizations?.[0]?.id, announced?.id);
  });

  it('of a folder that is not trusted are not read until it is', async () => {
    const { peer, session } = await open({}, false);
    // Another session of the same folder, which is trusted there: once its files are read, those of this one would be.
    const trusting = await place.connect('c2');
    const other = await trusting.newSession({ workingDirectories: [workspace.uri] });
    await loaded(trusting, other.session);
    workspace.write({ '.github/agents/second.md': 'x' });
    await trusting.until(() => children(named(trusting, other.session, '.github/agents')).length === 2);
    await peer.request('ping', {});
    assert.equal(peer.session(session).customizations, undefined);
    await trusting.subscribe(session);
    await loaded(peer, session);
  });
});
