import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ToolDecision } from '../../../sidecar/agents/provider.ts';
import { HostPeer } from '../../support/host/hostPeer.ts';
import { testWindow } from '../../support/host/hostPlace.ts';
import {
  type PublicAction,
  type PublicInitialized,
  type PublicPeer,
  publicRoot,
} from '../../support/host/publicPeer.ts';
import { connectPublic, openPublicPlace, type PublicPlace } from '../../support/host/publicPlace.ts';
import { serve } from '../../support/host/served.ts';
import { openWebSocket } from '../../support/host/webSocketStream.ts';
import { openWorkspace, type Workspace } from '../../support/host/workspace.ts';
import { scriptedProvider } from '../../support/scriptedProvider.ts';
import { openSidecarPlace, type SidecarPlace } from '../../support/sidecar.ts';
import { verifies } from '../../support/verifies.ts';

interface SessionShown {
  readonly provider: string;
  readonly lifecycle: string;
  readonly defaultChat: string;
  readonly changesets?: readonly { readonly uriTemplate: string; readonly changeKind: string }[];
}
interface ChatShown {
  readonly turns: readonly { readonly id: string; readonly state: string; readonly responseParts: unknown[] }[];
}
interface Listed {
  readonly items: readonly { readonly resource: string; readonly provider: string; readonly title: string }[];
}

const options = [
  { id: 'red', label: 'Red' },
  { id: 'blue', label: 'Blue' },
];
const shell = { toolCallId: 'k1', kind: 'shell', invocationMessage: 'Run make', command: 'make', paths: [] } as const;

describe('a client of the public protocol', () => {
  let place: PublicPlace;
  let decisions: ToolDecision[];
  let said: unknown[];

  /** Does what its prompt says. */
  const agent = scriptedProvider(async function* ({ text }, host) {
    yield { kind: 'text', partId: 'm1', text: 'You said: ' };
    yield { kind: 'text', partId: 'm1', text };
    if (text === 'run') {
      yield { kind: 'toolStarted', toolCallId: 'k1', toolName: 'shell', displayName: 'Run command' };
      decisions.push(await host.confirm({ ...shell }));
      yield { kind: 'toolEnded', toolCallId: 'k1', success: true, pastTenseMessage: 'Ran make', content: [] };
    }
    if (text === 'ask') {
      const question = { id: 'col', kind: 'single-select', message: 'Which colour?', options } as const;
      said.push(await host.ask({ id: 'q1', questions: [question] }));
    }
    if (text === 'tool') said.push(await host.tools.call('runTask', { task: 'build' }));
  });

  beforeEach(async () => {
    decisions = [];
    said = [];
    place = await openPublicPlace([agent]);
  });
  afterEach(() => place.close());

  async function open(versions: readonly string[] = ['0.9.0']) {
    const connection = await place.connect();
    const { peer } = connection;
    const hello = await peer.initialize('ui', versions);
    return { ...connection, hello };
  }
  /** As VS Code does it: its own URI, and a turn before the session says that it is ready. */
  async function newSession(peer: PublicPeer, more: object = {}) {
    const session = `scripted:/${randomUUID()}`;
    const config = { isolation: 'folder', autoApprove: 'default', mode: 'interactive' };
    await peer.request('createSession', { channel: session, provider: 'scripted', config, ...more });
    const { defaultChat: chat } = await peer.subscribe<SessionShown>(session);
    await peer.subscribe(chat);
    return { session, chat };
  }
  const start = (text: string, turnId: string): PublicAction => ({
    type: 'chat/turnStarted',
    turnId,
    startedAt: '2026-01-01T00:00:00.000Z',
    message: { text, origin: { kind: 'user' }, model: { id: 'x-switchboard-default' } },
  });
  async function prompt(peer: PublicPeer, chat: string, text: string): Promise<string> {
    const turnId = `request_${randomUUID()}`;
    const echo = await peer.act(chat, start(text, turnId));
    assert.equal(echo.rejectionReason, undefined);
    assert.equal(echo.action?.type, 'chat/turnStarted');
    return turnId;
  }
  const ends = (peer: PublicPeer, chat: string, turnId: string, type = 'chat/turnComplete') =>
    peer.action(chat, type, (it) => it['turnId'] === turnId);
  const waiting = (peer: PublicPeer, session: string, kind: string) =>
    peer.action(session, 'session/inputNeededSet', (it) => (it['request'] as { kind: string }).kind === kind);

  it('finds the agents on the public root, makes a session under the name of its agent, and streams a turn', async () => {
    const { peer, hello } = await open(['0.9.0', '0.7.0', '0.6.0', '0.5.2', '0.5.1']);
    assert.equal(hello.protocolVersion, '0.9.0');
    await peer.until(() => JSON.stringify(peer.heard).includes('"provider":"scripted"'));
    const { session, chat } = await newSession(peer, { progressToken: 'p' });
    const turnId = await prompt(peer, chat, 'hello');
    await ends(peer, chat, turnId);
    const text = peer
      .actions(chat)
      .filter((it) => it.type === 'chat/delta')
      .map((it) => it['content']);
    assert.equal(text.join(''), 'You said: hello');
    const progress = await peer.find((it) => it.method === 'root/progress');
    assert.equal(progress.params?.channel, publicRoot);
    const added = await peer.find((it) => it.method === 'root/sessionAdded');
    assert.equal((added.params!['summary'] as { resource: string }).resource, session);
    const { items } = await peer.request<Listed>('listSessions', { channel: publicRoot });
    assert.deepEqual(
      items.map((it) => [it.resource, it.provider]),
      [[session, 'scripted']],
    );
    assert.ok(!JSON.stringify(peer.heard).includes('"host-'), 'a name of ours went out');
  });

  it('approves one tool call and denies another', async () => {
    const { peer } = await open();
    const { session, chat } = await newSession(peer);
    for (const approved of [true, false]) {
      const turnId = await prompt(peer, chat, 'run');
      const request = await peer.action(session, 'session/inputNeededSet', (it) => {
        const { turnId: of, chat: where } = it['request'] as { turnId: string; chat: string };
        return of === turnId && where === chat;
      });
      assert.equal((request['request'] as { kind: string }).kind, 'toolConfirmation');
      const answer = approved ? { confirmed: 'user-action', selectedOptionId: 'allow-once' } : { reason: 'denied' };
      await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId: 'k1', approved, ...answer });
      await ends(peer, chat, turnId);
    }
    assert.deepEqual(decisions, [{ allow: true }, { allow: false, skipped: false }]);
  });

  it('answers a question, with the members that VS Code sends', async () => {
    const { peer } = await open();
    const { session, chat } = await newSession(peer);
    const turnId = await prompt(peer, chat, 'ask');
    const { request } = (await waiting(peer, session, 'chatInput')) as unknown as {
      request: { request: { id: string } };
    };
    const answers = { col: { state: 'submitted', value: { kind: 'selected', value: 'blue' } } };
    const requestId = request.request.id;
    await peer.act(chat, { type: 'chat/inputCompleted', requestId, response: 'accept', answers });
    await ends(peer, chat, turnId);
    assert.match(JSON.stringify(said), /"blue"/);
  });

  it('runs a tool of its own for the agent, and may say that it needs no confirmation', async () => {
    const { peer } = await open();
    const { session, chat } = await newSession(peer);
    const tools = [{ name: 'runTask', title: 'Run Task', inputSchema: { type: 'object', properties: {} } }];
    const activeClient = { clientId: 'ui', tools, customizations: [] };
    await peer.act(session, { type: 'session/activeClientSet', activeClient });
    const turnId = await prompt(peer, chat, 'tool');
    await waiting(peer, session, 'toolConfirmation');
    const { toolCallId } = (await peer.action(chat, 'chat/toolCallStart')) as unknown as { toolCallId: string };
    const yes = { type: 'chat/toolCallConfirmed', turnId, toolCallId, approved: true };
    await peer.act(chat, { ...yes, confirmed: 'user-action', selectedOptionId: 'allow-once' });
    await waiting(peer, session, 'toolClientExecution');
    const twice = await peer.act(chat, { ...yes, confirmed: 'not-needed' });
    assert.match(twice.rejectionReason ?? '', /is no longer waiting for confirmation/);
    const result = { success: true, pastTenseMessage: 'Ran', content: [{ type: 'text', text: 'built' }] };
    await peer.act(chat, { type: 'chat/toolCallComplete', turnId, toolCallId, result });
    await ends(peer, chat, turnId);
    assert.match(JSON.stringify(said), /"built"/);
  });

  it('stops a turn, and its late approval of the tool that waited runs nothing', async () => {
    const { peer } = await open();
    const { session, chat } = await newSession(peer);
    const turnId = await prompt(peer, chat, 'run');
    await waiting(peer, session, 'toolConfirmation');
    peer.dispatch(chat, { type: 'chat/turnCancelled', turnId, duration: 5 });
    const late = { type: 'chat/toolCallConfirmed', turnId, toolCallId: 'k1', approved: true, confirmed: 'user-action' };
    assert.match((await peer.act(chat, late)).rejectionReason ?? '', /is no longer waiting for confirmation/);
    const queued = { text: 'after that', origin: { kind: 'user' } };
    await peer.act(chat, { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q', message: queued });
    const next = await peer.action(chat, 'chat/turnStarted', (it) => it['queuedMessageId'] === 'q');
    await ends(peer, chat, String(next['turnId']));
    assert.deepEqual(decisions, []);
  });

  it('comes back after its socket was killed and misses nothing; a stranger is told to say hello', async () => {
    const { peer, socket, closed } = await open();
    const { session, chat } = await newSession(peer);
    const turnId = await prompt(peer, chat, 'run');
    await waiting(peer, session, 'toolConfirmation');
    const lastSeenServerSeq = Math.max(...peer.heard.map((it) => it.params?.serverSeq ?? 0));
    socket.terminate();
    await closed;
    const other = await place.connect();
    await other.peer.initialize('other');
    const answer = {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId: 'k1',
      approved: true,
      confirmed: 'user-action',
    };
    await other.peer.subscribe(session);
    await other.peer.subscribe(chat);
    await other.peer.act(chat, answer);
    await ends(other.peer, chat, turnId);

    const stranger = await place.connect();
    const params = { lastSeenServerSeq, subscriptions: [publicRoot, session, chat], _meta: { 'vscode.x': 'y' } };
    const { error } = await stranger.peer.ask('reconnect', { ...params, clientId: 'nobody' });
    assert.equal(error?.code, -32008);
    const again = await stranger.peer.initialize('nobody');
    assert.equal(again.protocolVersion, '0.9.0');

    const back = await place.connect();
    const replayed = await back.peer.request<{
      type: string;
      missing: string[];
      actions: { channel: string; action: PublicAction }[];
    }>('reconnect', { ...params, clientId: 'ui' });
    assert.deepEqual([replayed.type, replayed.missing], ['replay', []]);
    const types = replayed.actions.filter((it) => it.channel === chat).map((it) => it.action.type);
    assert.ok(types.includes('chat/toolCallConfirmed') && types.at(-1) === 'chat/turnComplete', types.join());
    back.peer.clientId = 'ui';
    await back.peer.act(session, { type: 'session/isReadChanged', isRead: true });
  });

  it('gives up a draft session for another, sends its settings seven times, and may ask for what nobody knows', async () => {
    const { peer } = await open();
    for (let n = 0; n < 7; n += 1) {
      const action = { type: 'root/configChanged', config: { [`own.${n}`]: n } };
      peer.notify('dispatchAction', { channel: publicRoot, clientSeq: 0, action });
    }
    peer.notify('setClientManagedSettingsPermissions', { permissions: {} });
    const provider = 'scripted';
    const resolved = await peer.request('resolveSessionConfig', { channel: publicRoot, provider });
    const { schema, values } = resolved as { schema: { properties: object }; values: object };
    assert.deepEqual(Object.keys(schema.properties), ['switchboard.permissions', 'switchboard.sandbox']);
    assert.deepEqual(values, { 'switchboard.permissions': 'ask', 'switchboard.sandbox': 'off' });
    const draft = await newSession(peer);
    const kept = await newSession(peer);
    assert.equal(await peer.request('disposeSession', { channel: draft.session }), null);
    await ends(peer, kept.chat, await prompt(peer, kept.chat, 'hello'));
    assert.equal((await peer.ask('getNetworkDiagnosticsInfo', { channel: publicRoot })).error?.code, -32601);
    assert.equal(await peer.request('ping', { channel: publicRoot }), null);
    const echoes = peer.actions(publicRoot).filter((it) => JSON.stringify(it).includes('"own.'));
    assert.equal(echoes.length, 7);
  });

  it('hears why what only later versions have is not done, and goes on', async () => {
    const { peer } = await open();
    const { session, chat } = await newSession(peer);
    const replaced = { type: 'session/workingDirectoryReplaced', directory: 'file:///a', replacement: 'file:///b' };
    assert.match(
      (await peer.act(session, replaced)).rejectionReason ?? '',
      /a folder cannot be replaced in place; add the new folder, and then remove this one/,
    );
    const turnId = await prompt(peer, chat, 'hello');
    await ends(peer, chat, turnId);
    const resumed = await peer.act(chat, { type: 'chat/turnResume', turnId });
    assert.match(resumed.rejectionReason ?? '', /send the message again/);
    assert.equal((await peer.ask('subscribe', { channel: 'ahp-automations:/1' })).error?.code, -32001);
    assert.equal((await peer.ask('fetchAutomationRuns', { channel: publicRoot })).error?.code, -32601);
    await ends(peer, chat, await prompt(peer, chat, 'hello'));
  });

  it('names its chats as it likes, also when it comes again', async () => {
    const { peer } = await open();
    const { session } = await newSession(peer);
    const chat = `ahp-chat://default/${Buffer.from(session).toString('base64url')}`;
    assert.equal(await peer.request('createChat', { channel: session, chat }), null);
    await peer.subscribe(chat);
    const turnId = await prompt(peer, chat, 'hello');
    await ends(peer, chat, turnId);
    const { peer: again } = await place.connect();
    await again.initialize('again');
    const { turns } = await again.subscribe<ChatShown>(chat);
    assert.deepEqual(
      turns.map((it) => [it.id, it.state]),
      [[turnId, 'complete']],
    );
  });

  const free = { kind: 'selected', value: '', freeformValues: ['teal'] };
  for (const version of ['0.5.1', '0.5.2', '0.6.0', '0.7.0', '0.8.0', '0.9.0', '1.0.0'])
    for (const [how, answer] of [
      ['chosen', { state: 'submitted', value: free }],
      ['skipped', { state: 'skipped', freeformValues: ['teal'] }],
    ] as const)
      it(`is told in ${version} that a question takes no text of its own, and answers it after a refused one (${how})`, async () => {
        verifies('host.input.freeform-said', 'host.input.freeform-refused');
        const { peer } = await open([version]);
        const { session, chat } = await newSession(peer);
        const turnId = await prompt(peer, chat, 'ask');
        const waits = (await waiting(peer, session, 'chatInput')) as unknown as {
          request: { request: { id: string; questions: { allowFreeformInput?: boolean }[] } };
        };
        const { id: requestId, questions } = waits.request.request;
        assert.equal(questions[0]?.allowFreeformInput, false);
        const complete = (col: object) =>
          peer.act(chat, { type: 'chat/inputCompleted', requestId, response: 'accept', answers: { col } });
        const refused = await complete(answer);
        assert.match(String(refused.rejectionReason), /must be one of the choices: Red, Blue/);
        const shown = await peer.subscribe<{ inputNeeded?: object[] }>(session);
        assert.equal(shown.inputNeeded?.length, 1);
        assert.deepEqual(said, []);
        await complete({ state: 'submitted', value: { kind: 'selected', value: 'blue' } });
        await ends(peer, chat, turnId);
        assert.deepEqual(said, [{ response: 'accept', values: { col: 'blue' } }]);
      });

  for (const version of ['0.5.1', '0.5.2', '0.6.0', '0.7.0', '0.8.0', '0.9.0', '1.0.0'])
    it(`plays a turn in ${version}`, async () => {
      const { peer, hello } = await open([version]);
      assert.equal(hello.protocolVersion, version);
      const { chat } = await newSession(peer);
      const turnId = await prompt(peer, chat, 'hello');
      await ends(peer, chat, turnId);
      const { turns } = await peer.subscribe<ChatShown>(chat);
      assert.deepEqual(
        turns.map((it) => it.state),
        ['complete'],
      );
    });

  it('that speaks no version of these is told which there are, and let go', async () => {
    const { peer, closed } = await place.connect();
    const params = { channel: publicRoot, protocolVersions: ['2.0.0'], clientId: 'new' };
    assert.equal((await peer.ask('initialize', params)).error?.code, -32005);
    assert.equal(await closed, 1000);
  });
});

describe('switchboard serve for clients of the public protocol', () => {
  let place: SidecarPlace;
  let root: string;
  let workspace: Workspace;
  beforeEach(() => {
    place = openSidecarPlace();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-public-')));
    workspace = openWorkspace({
      '.switchboard/runbooks/make.md': '---\ntitle: Make\n---\nNow.\n\n```sh\necho made > made.txt\n```\n',
    });
  });
  afterEach(async () => {
    await place.close();
    workspace.remove();
    rmSync(root, { recursive: true, force: true });
  });

  it('serves them and ours on one port, on one host, and shows what a turn changed', async () => {
    const served = await serve(place, root);
    const { peer } = await connectPublic(`${served.url}/?tkn=${served.token}`);
    const hello: PublicInitialized = await peer.initialize('ui', ['0.9.0', '0.7.0']);
    assert.equal(hello.protocolVersion, '0.9.0');
    const session = `runbook:/${randomUUID()}`;
    await peer.request('createSession', {
      channel: session,
      provider: 'runbook',
      workingDirectories: [workspace.uri],
    });
    const { defaultChat: chat } = await peer.subscribe<SessionShown>(session);
    await peer.subscribe(chat);
    const started = { startedAt: new Date().toISOString(), message: { text: '/make', origin: { kind: 'user' } } };
    await peer.act(chat, { type: 'chat/turnStarted', turnId: 't1', ...started });
    const { toolCallId } = (await peer.action(chat, 'chat/toolCallReady')) as unknown as { toolCallId: string };
    const yes = { approved: true, confirmed: 'user-action', selectedOptionId: 'allow-once' };
    await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId: 't1', toolCallId, ...yes });
    await peer.action(chat, 'chat/turnComplete');
    const { changesets = [] } = await peer.subscribe<SessionShown>(session);
    const turns = changesets.find((it) => it.changeKind === 'turn');
    assert.equal(turns?.uriTemplate, `${session}/changeset/turn/{turnId}`);
    const changes = await peer.subscribe<{ files: { edit: { after: { content: { uri: string } } } }[] }>(
      `${session}/changeset/turn/t1`,
    );
    const uri = changes.files[0]?.edit.after.content.uri;
    assert.match(uri ?? '', /^ahp-content:/);
    const read = await peer.request('resourceRead', { channel: publicRoot, uri, encoding: 'utf-8' });
    assert.equal((read as { data: string }).data, 'made\n');

    const ours = new HostPeer((await openWebSocket(served.url, served.headers)).stream);
    await ours.initialize('ours', testWindow);
    const { items } = await ours.request('root/listSessions', {});
    assert.deepEqual(
      items.map((it) => it.resource),
      [session.replace('runbook:', 'host-session:')],
    );
    assert.ok(!served.stderr().includes(served.token));
  });
});
