import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { OfferedResult } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ResponseError } from '../../../../../sidecar/transport/responseError.ts';
import { approve, offer, onlyCall } from '../../../../support/host/clientTools.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { mcpJson, moves, servers, stdioEntry, toolNames, whenServer } from '../../../../support/host/mcpSession.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { type SseFixture, sseFixture } from '../../../../support/mcp/sseFixture.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

const PLUGIN = 'virtual://c1/plugin';

describe('MCP servers', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let sse: SseFixture | undefined;
  const results: OfferedResult[] = [];
  const user = scriptedProvider(async function* (turn, host) {
    results.push(await host.tools.call(turn.text, { text: 'hi' }));
    yield { kind: 'text', partId: 'a', text: 'done' };
  });
  beforeEach(() => {
    results.length = 0;
    workspace = openWorkspace();
  });
  afterEach(async () => {
    await place.close();
    await sse?.close();
    sse = undefined;
    workspace.remove();
  });
  async function open() {
    place = await openHostPlace([user]);
    const peer = await place.connect('c1', { env: { PATH: process.env['PATH'] ?? '' } });
    return { peer, ...(await peer.newSession({ workingDirectories: [workspace.uri] })) };
  }
  /** The client has these files, and publishes them as a plugin. */
  async function publish(peer: HostPeer, session: string, files: Readonly<Record<string, string>>) {
    const missing = () => {
      throw new ResponseError(-32008, 'there is no such thing');
    };
    peer.peer.onRequest({
      resourceList(params) {
        const { uri } = params as { uri: string };
        const below = Object.keys(files).filter((it) => it.startsWith(`${uri}/`));
        if (below.length === 0) return missing();
        return { entries: below.map((it) => ({ name: it.slice(uri.length + 1), type: 'file' })) };
      },
      resourceRead(params) {
        const text = files[(params as { uri: string }).uri];
        return text === undefined ? missing() : { data: Buffer.from(text).toString('base64'), encoding: 'base64' };
      },
    });
    const plugin = { type: 'plugin', id: 'p', uri: PLUGIN, name: 'Mine', enabled: true, nonce: '1' };
    await offer(peer, session, [], { customizations: [plugin] });
  }
  async function call(peer: HostPeer, session: string, chat: string, name: string) {
    const turnId = await peer.prompt(chat, name);
    await approve(peer, session, chat, turnId);
    await peer.ended(chat, turnId);
    return results.at(-1);
  }
  const said = { success: true, content: [{ kind: 'text', text: 'hi' }] };

  it('over the transport of 2024-11-05 serve their tools', async () => {
    sse = await sseFixture('old');
    workspace.write({ '.vscode/mcp.json': mcpJson({ old: { type: 'sse', url: sse.url } }) });
    const { peer, session, chat } = await open();
    const { id } = await whenServer(peer, session, 'old', 'ready');
    assert.ok(toolNames(peer, session).includes('echo'));
    assert.deepEqual(await call(peer, session, chat, 'echo'), said);
    assert.deepEqual(sse.calls, ['echo']);
    assert.deepEqual(onlyCall(peer, chat).contributor, { kind: 'mcp', customizationId: id });
    assert.deepEqual(moves(peer, session, id), ['starting', 'ready']);
  });

  it('that a client publishes in a plugin run on this machine, and end when the client leaves', async () => {
    sse = await sseFixture('remote');
    const { peer, session, chat } = await open();
    await publish(peer, session, {
      [`${PLUGIN}/.mcp.json`]: JSON.stringify({
        mcpServers: { local: stdioEntry('local'), remote: { type: 'sse', url: sse.url } },
      }),
    });
    const local = await whenServer(peer, session, 'local', 'ready');
    await whenServer(peer, session, 'remote', 'ready');
    const names = toolNames(peer, session).filter((it) => it.endsWith('echo'));
    assert.equal(names.length, 2);
    for (const name of names) assert.deepEqual(await call(peer, session, chat, name), said);
    assert.deepEqual(sse.calls, ['echo']);
    const programs = async () =>
      (await peer.request('x-switchboard/processes', {})).items.filter((it) => it.role === 'tool');
    assert.equal((await programs()).length, 1);
    await peer.act(session, { type: 'session/activeClientRemoved', clientId: 'c1' } as AnyAction);
    await peer.until(() => servers(peer, session).length === 0 && toolNames(peer, session).length === 0);
    assert.equal(local.name, 'local');
    while ((await programs()).length > 0);
  });
});
