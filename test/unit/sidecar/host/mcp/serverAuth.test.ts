import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { OfferedResult } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { activityOf, status } from '../../../../../sidecar/protocol/status.ts';
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../../../support/backends/authorizationServer.ts';
import { tokenFor } from '../../../../support/backends/tokenFor.ts';
import { approve, entryOf, onlyCall } from '../../../../support/host/clientTools.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { mcpJson, moves, server, toolNames, whenServer } from '../../../../support/host/mcpSession.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { type GuardedServer, guardedServer } from '../../../../support/mcp/guardedServer.ts';
import { type HttpFixture, httpFixture } from '../../../../support/mcp/httpFixture.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('MCP servers that want a token', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let fixture: HttpFixture;
  let idp: AuthorizationServer;
  let guarded: GuardedServer;
  const results: OfferedResult[] = [];
  const user = scriptedProvider(async function* (turn, host) {
    results.push(await host.tools.call('echo', { text: turn.text }));
    yield { kind: 'text', partId: 'a', text: 'done' };
  });
  beforeEach(async () => {
    results.length = 0;
    fixture = await httpFixture();
    idp = await startAuthorizationServer();
  });
  afterEach(async () => {
    await place.close();
    await guarded.close();
    await fixture.close();
    await idp.close();
    workspace.remove();
  });
  async function open(guards: 'all' | 'calls' | 'writes', more: object = {}) {
    guarded = await guardedServer(fixture, idp, guards);
    workspace = openWorkspace({ '.vscode/mcp.json': mcpJson({ web: { url: guarded.url, ...more } }) });
    place = await openHostPlace([user]);
    const peer = await place.connect();
    return { peer, ...(await peer.newSession({ workingDirectories: [workspace.uri] })) };
  }

  it('say which, and are ready with it', async () => {
    const { peer, session } = await open('all', { oauth: { clientId: 'ours' } });
    const { id, state } = await whenServer(peer, session, 'web', 'authRequired');
    assert.deepEqual(state, {
      kind: 'authRequired',
      reason: 'required',
      resource: { resource: guarded.url, authorization_servers: [idp.url] },
      oauthClient: { clientId: 'ours' },
    });
    assert.deepEqual(toolNames(peer, session), []);
    await assert.rejects(peer.request('authenticate', { resource: `${guarded.url}/x`, token: 't' }), { code: -32602 });
    const token = await tokenFor(idp, guarded.url);
    await peer.request('authenticate', { resource: guarded.url, token });
    await whenServer(peer, session, 'web', 'ready');
    assert.ok(toolNames(peer, session).includes('echo'));
    assert.deepEqual(moves(peer, session, id), ['starting', 'authRequired', 'starting', 'ready']);
    assert.equal(guarded.accounts[0], 'alice');
    assert.ok(!JSON.stringify(peer.envelopes).includes(token) && !place.log.join('\n').includes(token));
  });

  it('for a call have it asked for, and the call goes on with the token of whoever sees the entry', async () => {
    verifies(
      'host.auth.mid-call',
      'host.auth.mid-call-token',
      'host.input.authentication-answer',
      'host.move.auth-resolved',
      'host.event.auth-resolved',
    );
    const { peer, session, chat } = await open('calls');
    const { id } = await whenServer(peer, session, 'web', 'ready');
    const turnId = await peer.prompt(chat, 'hello');
    await approve(peer, session, chat, turnId);
    const entry = await entryOf(peer, session, 'toolAuthentication');
    assert.ok(entry.kind === 'toolAuthentication' && entry.toolCall.status === 'auth-required');
    assert.deepEqual(
      [entry.chat, entry.turnId, entry.toolCall.contributor],
      [chat, turnId, { kind: 'mcp', customizationId: id }],
    );
    assert.equal(activityOf(peer.session(session).status), status.InputNeeded);
    assert.equal(server(peer, session, 'web')?.state.kind, 'ready');
    const { resource } = entry.toolCall.auth.resource;
    assert.equal(resource, guarded.url);
    const someone = await place.connect('c2');
    const token = await tokenFor(idp, resource);
    await someone.request('authenticate', { resource, token });
    assert.deepEqual(results, []);
    await someone.subscribe(session);
    await someone.request('authenticate', { resource, token });
    await peer.ended(chat, turnId);
    assert.deepEqual(results, [{ success: true, content: [{ kind: 'text', text: 'hello' }] }]);
    const types = peer.envelopes.map((it) => it.action.type);
    assert.ok(types.indexOf('chat/toolCallAuthResolved') < types.lastIndexOf('session/inputNeededRemoved'));
    assert.deepEqual([onlyCall(peer, chat).status, peer.session(session).inputNeeded], ['completed', undefined]);
    assert.deepEqual(guarded.accounts, ['alice']);
  });

  it('ask for another when theirs is good no more', async () => {
    const { peer, session, chat } = await open('all');
    await whenServer(peer, session, 'web', 'authRequired');
    const token = await tokenFor(idp, guarded.url);
    await peer.request('authenticate', { resource: guarded.url, token });
    const { id } = await whenServer(peer, session, 'web', 'ready');
    guarded.revoked.add(token);
    const turnId = await peer.prompt(chat, 'hello');
    await approve(peer, session, chat, turnId);
    const entry = await entryOf(peer, session, 'toolAuthentication');
    assert.equal(
      entry.kind === 'toolAuthentication' && 'auth' in entry.toolCall && entry.toolCall.auth.reason,
      'expired',
    );
    await whenServer(peer, session, 'web', 'authRequired');
    await assert.rejects(peer.request('authenticate', { resource: guarded.url, token }), { code: -32007 });
    await peer.request('authenticate', { resource: guarded.url, token: await tokenFor(idp, guarded.url) });
    await peer.ended(chat, turnId);
    assert.equal(results[0]?.success, true);
    assert.deepEqual(moves(peer, session, id).slice(-3), ['ready', 'authRequired', 'ready']);
  });

  it('leave a call alone whose person gives up', async () => {
    const { peer, session, chat } = await open('calls');
    await whenServer(peer, session, 'web', 'ready');
    const turnId = await peer.prompt(chat, 'hello');
    const toolCallId = await approve(peer, session, chat, turnId);
    await entryOf(peer, session, 'toolAuthentication');
    const result = { success: false, pastTenseMessage: 'Not signed in', error: { message: 'not now' } };
    const yes = { ...result, success: true };
    const complete = (it: object) => ({ type: 'chat/toolCallComplete', turnId, toolCallId, result: it }) as AnyAction;
    assert.equal((await peer.act(chat, complete(yes))).rejectionReason, 'this tool call belongs to another client');
    await peer.act(chat, complete(result));
    await peer.ended(chat, turnId);
    assert.deepEqual(results, [{ success: false, content: [], error: 'not now' }]);
    assert.deepEqual([onlyCall(peer, chat).status, peer.session(session).inputNeeded], ['completed', undefined]);
  });

  it('that says too little have more asked for, exactly that, and once', async () => {
    const { peer, session, chat } = await open('writes');
    await whenServer(peer, session, 'web', 'authRequired');
    const push = (token: string, scopes?: string[]) =>
      peer.request('authenticate', { resource: guarded.url, token, ...(scopes && { scopes }) });
    await push(await tokenFor(idp, guarded.url), ['read']);
    const { id } = await whenServer(peer, session, 'web', 'ready');
    const first = await peer.prompt(chat, 'hello');
    await approve(peer, session, chat, first);
    const { auth } = await authOf(peer, session);
    assert.deepEqual([auth.reason, auth.requiredScopes], ['insufficientScope', ['write']]);
    assert.equal(server(peer, session, 'web')?.state.kind, 'ready');
    // Another one that says that it grants no more: the call goes on waiting.
    await push(await tokenFor(idp, guarded.url), ['read']);
    await authOf(peer, session);
    await push(await tokenFor(idp, guarded.url, 'write'), ['write']);
    await peer.ended(chat, first);
    assert.equal(results[0]?.success, true);

    // And one that says nothing of itself, and grants too little again: the person is not asked in circles.
    await push(await tokenFor(idp, guarded.url));
    const second = await peer.prompt(chat, 'hello');
    await approve(peer, session, chat, second);
    await authOf(peer, session);
    await push(await tokenFor(idp, guarded.url));
    await peer.ended(chat, second);
    assert.deepEqual(results[1], {
      success: false,
      content: [],
      error: 'web rejected the call even with the token it requested (write).',
    });
    const asked = peer.envelopes.filter((it) => it.action.type === 'chat/toolCallAuthRequired');
    assert.equal(asked.length, 2);
    assert.deepEqual(moves(peer, session, id).slice(-1), ['ready']);
    assert.equal(peer.session(session).inputNeeded, undefined);
  });
});

async function authOf(peer: HostPeer, session: string) {
  const entry = await entryOf(peer, session, 'toolAuthentication');
  if (entry.kind !== 'toolAuthentication' || entry.toolCall.status !== 'auth-required') throw new Error(entry.kind);
  return entry.toolCall;
}
