import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { OfferedResult } from '../../../../../sidecar/agents/provider.ts';
import { approve, onlyCall } from '../../../../support/host/clientTools.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import {
  mcpJson,
  moves,
  server,
  startRequest,
  stdioEntry,
  stopRequest,
  toggle,
  toolNames,
  whenServer,
} from '../../../../support/host/mcpSession.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { type HttpFixture, httpFixture } from '../../../../support/mcp/httpFixture.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

const FILE = '.vscode/mcp.json';

describe('MCP servers of a session', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let fixture: HttpFixture | undefined;
  const results: OfferedResult[] = [];
  const names: string[][] = [];
  beforeEach(() => {
    results.length = 0;
    names.length = 0;
    workspace = openWorkspace();
  });
  afterEach(async () => {
    await place.close();
    await fixture?.close();
    fixture = undefined;
    workspace.remove();
  });

  /** An agent that calls the tool that its prompt names, with the rest of the prompt as JSON. */
  const user = scriptedProvider(async function* (turn, host) {
    names.push(host.tools.list().map((it) => it.name));
    const [name = '', ...rest] = turn.text.split(' ');
    if (name !== 'list') results.push(await host.tools.call(name, JSON.parse(rest.join(' ') || '{}')));
    yield { kind: 'text', partId: 'a', text: 'done' };
  });
  async function open(servers: object, window: object = {}) {
    workspace.write({ [FILE]: mcpJson(servers) });
    place = await openHostPlace([user]);
    const peer = await place.connect('c1', window);
    return { peer, ...(await peer.newSession({ workingDirectories: [workspace.uri] })) };
  }
  const pids = async (peer: HostPeer) => {
    const { items } = await peer.request('x-switchboard/processes', {});
    return items.filter((it) => it.role === 'tool').map((it) => it.pid);
  };
  const isThere = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false; // no such process
    }
  };

  async function gone(peer: HostPeer, pid: number): Promise<void> {
    await until(`process ${pid} ended`, async () => !(await pids(peer)).includes(pid));
  }

  it('that are programs are started, told as it goes, and offer their tools to the agent', async () => {
    verifies('host.session.server-tools');
    const { peer, session, chat } = await open({ mine: stdioEntry() });
    const { id } = await whenServer(peer, session, 'mine', 'ready');
    assert.deepEqual(moves(peer, session, id), ['starting', 'ready']);
    const echo = peer.session(session).serverTools?.find((it) => it.name === 'echo');
    assert.equal(echo?.description, 'Answers with what it got');
    assert.deepEqual(echo?._meta, { customizationId: id, server: 'mine' });
    const turnId = await peer.prompt(chat, 'echo {"text":"hello","loud":true}');
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    assert.deepEqual(results, [{ success: true, content: [{ kind: 'text', text: 'HELLO' }] }]);
    const call = onlyCall(peer, chat);
    assert.deepEqual(
      [call.status, call.toolName, call.contributor],
      ['completed', 'echo', { kind: 'mcp', customizationId: id }],
    );
    assert.ok(names[0]?.includes('echo'));
  });

  it('that are reached over HTTP get their headers, and tell what went wrong', async () => {
    fixture = await httpFixture();
    const { peer, session, chat } = await open(
      { web: { type: 'http', url: fixture.url, headers: { 'X-Of': `\${env:OF}` } } },
      { env: { OF: 'the window' } },
    );
    await whenServer(peer, session, 'web', 'ready');
    assert.ok(fixture.seen.every((it) => it.headers['x-of'] === 'the window'));
    const turnId = await peer.prompt(chat, 'test_error_handling');
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    assert.equal(results[0]?.success, false);
    assert.match(results[0]?.error ?? '', /intentionally returns an error/);
    assert.equal(onlyCall(peer, chat).status, 'completed');
  });

  it('stop and start as a person wants, without being turned off by that', async () => {
    const { peer, session } = await open({ mine: stdioEntry() });
    const { id } = await whenServer(peer, session, 'mine', 'ready');
    const [pid = 0] = await pids(peer);
    await peer.act(session, stopRequest(id));
    await peer.until(() => toolNames(peer, session).length === 0);
    assert.deepEqual(
      [server(peer, session, 'mine')?.state.kind, server(peer, session, 'mine')?.enabled],
      ['stopped', true],
    );
    workspace.write({ 'AGENTS.md': 'Hello.' });
    await peer.until(() => peer.session(session).customizations?.some((it) => it.name === 'Instructions') === true);
    assert.equal(server(peer, session, 'mine')?.state.kind, 'stopped');
    await peer.act(session, startRequest(id));
    await peer.until(() => toolNames(peer, session).includes('echo'));
    await gone(peer, pid);
    const [next = 0] = await pids(peer);
    assert.ok(next !== pid && isThere(next));
    assert.equal(
      (await peer.act(session, startRequest('none'))).rejectionReason,
      'id: server not found in this session',
    );
  });

  it('end when they are turned off, and with their session', async () => {
    const { peer, session } = await open({ mine: stdioEntry(), other: stdioEntry('other') });
    const { id } = await whenServer(peer, session, 'mine', 'ready');
    await whenServer(peer, session, 'other', 'ready');
    await peer.act(session, toggle(id, false));
    await whenServer(peer, session, 'mine', 'stopped');
    assert.equal((await peer.act(session, startRequest(id))).rejectionReason, 'This server is turned off.');
    await peer.until(
      () => !toolNames(peer, session).includes('other_echo') && toolNames(peer, session).includes('echo'),
    );
    const holder = peer.session(session).customizations!.find((it) => it.name === FILE)!;
    await peer.act(session, toggle(holder.id, false));
    await whenServer(peer, session, 'other', 'stopped');
    await peer.act(session, toggle(holder.id, true));
    await whenServer(peer, session, 'other', 'ready');
    assert.equal(server(peer, session, 'mine')?.state.kind, 'stopped');
    const [pid = 0] = await pids(peer);
    assert.ok(isThere(pid));
    await peer.request('disposeSession', { channel: session });
    assert.equal(isThere(pid), false);
  });

  it('of one name keep their tools apart', async () => {
    const { peer, session, chat } = await open({ first: stdioEntry('a'), 'the second': stdioEntry('b') });
    await peer.until(() => toolNames(peer, session).filter((it) => it.endsWith('echo')).length === 2);
    assert.deepEqual(
      toolNames(peer, session).filter((it) => it.endsWith('echo')),
      ['echo', 'the_second_echo'],
    );
    const turnId = await peer.prompt(chat, 'the_second_echo {"text":"b"}');
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    assert.deepEqual(results[0]?.content, [{ kind: 'text', text: 'b' }]);
  });

  it('are started anew when their file says something else, and go with their entry', async () => {
    const { peer, session } = await open({ mine: { type: 'stdio', command: 'no-such-program' } });
    const { id, state } = await whenServer(peer, session, 'mine', 'error');
    assert.deepEqual(state.kind === 'error' && state.error.message, 'The program "no-such-program" was not found.');
    workspace.write({ [FILE]: mcpJson({ mine: stdioEntry() }) });
    await whenServer(peer, session, 'mine', 'ready');
    assert.deepEqual(moves(peer, session, id), ['starting', 'error', 'starting', 'ready']);
    const [pid = 0] = await pids(peer);
    workspace.write({ [FILE]: mcpJson({}) });
    await peer.until(() => toolNames(peer, session).length === 0);
    assert.equal(server(peer, session, 'mine'), undefined);
    await gone(peer, pid);
  });

  it('that end by themselves say so, and their calls fail', async () => {
    const { peer, session, chat } = await open({ mine: stdioEntry() });
    await whenServer(peer, session, 'mine', 'ready');
    const turnId = await peer.prompt(chat, 'exit');
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    const { state } = await whenServer(peer, session, 'mine', 'error');
    assert.match(state.kind === 'error' ? state.error.message : '', /^mine stopped \(exit code 3\)/);
    assert.equal(results[0]?.success, false);
    await peer.until(() => toolNames(peer, session).length === 0);
  });

  it('get the plain environment and their own, and nothing else of the window', async () => {
    const env = { PATH: process.env['PATH']!, SECRET_OF_WINDOW: 'hidden' };
    const { peer, session, chat } = await open({ mine: stdioEntry('x', { env: { OWN: '1' } }) }, { env });
    await whenServer(peer, session, 'mine', 'ready');
    const turnId = await peer.prompt(chat, 'env');
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    const [content] = results[0]?.content ?? [];
    const found = content?.kind === 'text' ? content.text.split(' ') : [];
    assert.ok(found.includes('OWN') && found.includes('PATH') && !found.includes('SECRET_OF_WINDOW'));
  });

  it('of a folder that is not trusted are not started, also when a person asks for it', async () => {
    workspace.write({ [FILE]: mcpJson({ mine: stdioEntry() }) });
    place = await openHostPlace([user]);
    const careful = await place.connect('c1', { trusted: false });
    const { session } = await careful.newSession({ workingDirectories: [workspace.uri] });
    const trusting = await place.connect('c2');
    await trusting.subscribe(session);
    const { id } = await whenServer(trusting, session, 'mine', 'ready');
    const before = await pids(trusting);
    assert.equal(before.length, 1);
    const refused = await careful.act(session, startRequest(id));
    assert.equal(refused.rejectionReason, 'Trust this folder to start servers.');
    assert.deepEqual(await pids(trusting), before);
  });

  it('end with the last who looks at their session, and come back with the next', async () => {
    const { peer, session } = await open({ mine: stdioEntry() });
    await whenServer(peer, session, 'mine', 'ready');
    const [pid = 0] = await pids(peer);
    peer.peer.sendNotification('unsubscribe', { channel: session });
    await gone(peer, pid);
    await peer.subscribe(session);
    assert.equal(peer.session(session).serverTools?.length ?? 0, 0);
    await peer.until(() => toolNames(peer, session).includes('echo'));
  });
});
