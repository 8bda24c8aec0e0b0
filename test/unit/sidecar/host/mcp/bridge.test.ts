import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Server } from 'node:net';
import { mock } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { after, afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../../../../sidecar/agents/acp/provider.ts';
import type { OfferedTool } from '../../../../../sidecar/agents/provider.ts';
import { Bridge } from '../../../../../sidecar/host/mcp/bridge.ts';
import { type Children, openChildren } from '../../../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { fakeAgent } from '../../../../integration/peers/acp/fakeAgent.ts';
import { approve, entryOf, offer, onlyCall, textResult } from '../../../../support/host/clientTools.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { mcpJson, stdioEntry, whenServer } from '../../../../support/host/mcpSession.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';

describe('an agent of another maker', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let children: Children;
  beforeEach(() => {
    workspace = openWorkspace();
    children = openChildren(`${workspace.path}/children.json`, () => '2026-01-01T00:00:00Z');
  });
  afterEach(async () => {
    await place.close();
    await children.stopAll();
    workspace.remove();
  });
  async function open(servers?: object) {
    if (servers) workspace.write({ '.vscode/mcp.json': mcpJson(servers) });
    place = await openHostPlace([acpProvider(fakeAgent(['--mcp']), { timers: systemTimers, children })]);
    const peer = await place.connect('c1', { env: { PATH: process.env['PATH']! } });
    return { peer, ...(await peer.newSession({ workingDirectories: [workspace.uri] })) };
  }
  async function said(peer: HostPeer, chat: string, turnId: string): Promise<string> {
    const { responseParts } = await peer.ended(chat, turnId);
    return responseParts.flatMap((it) => (it.kind === 'markdown' ? [it.content] : [])).join('');
  }
  it('uses the tools of clients, which are shown and asked about as all are', async () => {
    const { peer, session, chat } = await open();
    await offer(peer, session, [{ name: 'count' }]);
    const turnId = await peer.prompt(chat, 'tool count {"n":1}');
    const toolCallId = await approve(peer, session, chat, turnId);
    const entry = await entryOf(peer, session, 'toolClientExecution');
    assert.equal(entry.kind === 'toolClientExecution' && entry.clientId, 'c1');
    await peer.act(chat, { type: 'chat/toolCallComplete', turnId, toolCallId, result: textResult('42') } as AnyAction);
    assert.equal(await said(peer, chat, turnId), '[{"type":"text","text":"42"}]');
    assert.deepEqual(onlyCall(peer, chat).contributor, { kind: 'client', clientId: 'c1' });
  });

  it('uses the tools of MCP servers, and hears of a denial', async () => {
    const { peer, session, chat } = await open({ mine: stdioEntry() });
    const { id } = await whenServer(peer, session, 'mine', 'ready');
    const turnId = await peer.prompt(chat, 'tool echo {"text":"hi"}');
    await approve(peer, session, chat, turnId);
    assert.equal(await said(peer, chat, turnId), '[{"type":"text","text":"hi"}]');
    assert.deepEqual(onlyCall(peer, chat).contributor, { kind: 'mcp', customizationId: id });
    const next = await peer.prompt(chat, 'tool echo {"text":"hi"}');
    const entry = await entryOf(peer, session, 'toolConfirmation');
    const toolCallId = entry.kind === 'toolConfirmation' ? entry.toolCall.toolCallId : '';
    const no = { approved: false, reason: 'denied', reasonMessage: 'not now' };
    await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId: next, toolCallId, ...no } as AnyAction);
    assert.equal(await said(peer, chat, next), '[{"type":"text","text":"not now"}]');
  });

  it('says nobody its token, though it is asked for it', async () => {
    const { peer, chat } = await open();
    const text = await said(peer, chat, await peer.prompt(chat, 'servers'));
    const [server] = JSON.parse(text) as { name: string; headers: { value: string }[] }[];
    assert.deepEqual([server?.name, server?.headers[0]?.value], ['session', 'Bearer [hidden]']);
  });
});

describe('the bridge to the tools of a session', () => {
  const bridge = new Bridge({ random: randomBytes, hide: () => undefined });
  after(() => bridge.close());
  let offered: OfferedTool[] = [];
  const tools = {
    list: () => offered,
    call: async (name: string, input: object) =>
      name === 'count'
        ? { success: true, content: [{ kind: 'text', text: JSON.stringify(input) } as const] }
        : { success: false, content: [], error: 'no such luck' },
  };

  describe('that could not listen once', () => {
    const refuseOnce = () => {
      const listen = mock.method(Server.prototype, 'listen', function refused(this: Server) {
        listen.mock.restore();
        queueMicrotask(() => this.emit('error', new Error('listen EMFILE')));
        return this;
      });
    };
    it('listens for the next agent', async () => {
      const own = new Bridge({ random: randomBytes, hide: () => undefined });
      refuseOnce();
      await assert.rejects(own.open(tools), /EMFILE/);
      const { server } = await own.open(tools);
      assert.equal((await fetch(server.url)).status, 401);
      await own.close();
    });
    it('closes as any other', async () => {
      const own = new Bridge({ random: randomBytes, hide: () => undefined });
      refuseOnce();
      await assert.rejects(own.open(tools), /EMFILE/);
      await own.close();
    });
  });

  it('serves a real MCP client, and tells it when there are other tools', async () => {
    const { server, changed } = await bridge.open(tools);
    let onChange: (names: string[]) => void = () => undefined;
    const told = new Promise<string[]>((resolve) => {
      onChange = resolve;
    });
    const client = new Client(
      { name: 'test', version: '1' },
      {
        versionNegotiation: { mode: 'auto' },
        listChanged: { tools: { onChanged: (_error, all) => onChange(all?.map((it) => it.name) ?? []) } },
      },
    );
    const requestInit = { headers: { ...server.headers } };
    const listens = new Promise<void>((resolve) => {
      const fetchAndTell: typeof fetch = async (url, init) => {
        const answer = await fetch(url, init);
        if (init?.method === 'GET') resolve();
        return answer;
      };
      const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit, fetch: fetchAndTell });
      client.connect(transport).catch(onChange);
    });
    await listens;
    assert.deepEqual((await client.listTools()).tools, []);
    offered = [{ name: 'count', annotations: { readOnlyHint: true } }];
    changed();
    assert.deepEqual(await told, ['count']);
    assert.deepEqual((await client.listTools()).tools[0]?.annotations, { readOnlyHint: true });
    const { content } = await client.callTool({ name: 'count', arguments: { n: 1 } });
    assert.deepEqual(content, [{ type: 'text', text: '{"n":1}' }]);
    const failed = await client.callTool({ name: 'other' });
    assert.deepEqual([failed.isError, failed.content], [true, [{ type: 'text', text: 'no such luck' }]]);
    await client.close();
  });

  it('opens to its token alone, on this machine and from no page, and only until it is closed', async () => {
    const { server, close } = await bridge.open(tools);
    const other = await bridge.open(tools);
    const ping = (headers: Readonly<Record<string, string>>, path = '') => statusOf(`${server.url}${path}`, headers);
    const { headers } = server;
    assert.equal(await ping(headers), 200);
    assert.equal(await ping(headers, '/x'), 404);
    assert.equal(await ping({}), 401);
    assert.equal(await ping({ Authorization: 'Bearer x' }), 401);
    assert.equal(await ping({ ...headers, Origin: 'http://127.0.0.1' }), 403);
    assert.equal(await ping({ ...headers, Host: 'page.example' }), 403);
    const listening = await fetch(server.url, { headers, signal: AbortSignal.timeout(10_000) });
    const reading = listening.text();
    close();
    assert.equal(await reading, '', 'who listens is not kept waiting');
    assert.equal(await ping(headers), 401);
    assert.equal(await ping(other.server.headers), 200);
  });
});

function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once('error', reject);
    asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  });
}
