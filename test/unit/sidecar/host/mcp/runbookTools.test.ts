import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runbookProvider } from '../../../../../sidecar/agents/runbook/provider.ts';
import { type Children, openChildren } from '../../../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { activityOf, status } from '../../../../../sidecar/protocol/status.ts';
import { approve, onlyCall } from '../../../../support/host/clientTools.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { mcpJson, stdioEntry, whenServer } from '../../../../support/host/mcpSession.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';

describe('a runbook', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let children: Children;
  beforeEach(async () => {
    workspace = openWorkspace({ '.vscode/mcp.json': mcpJson({ mine: stdioEntry() }) });
    children = openChildren(`${workspace.path}/children.json`, () => '2026-01-01T00:00:00Z');
    place = await openHostPlace([runbookProvider({ timers: systemTimers, children })]);
  });
  afterEach(async () => {
    await place.close();
    await children.stopAll();
    workspace.remove();
  });
  const block = (info: string, body: string) => `\`\`\`${info}\n${body}\n\`\`\`\n`;
  const said = async (peer: HostPeer, chat: string, turnId: string) =>
    (await peer.ended(chat, turnId)).responseParts
      .flatMap((it) => (it.kind === 'markdown' ? [it.content] : []))
      .join('');

  it('calls a tool of an MCP server, waits for the server, and goes on with its result', async () => {
    const peer = await place.connect();
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    const turnId = await peer.prompt(chat, `${block('tool echo', '{"text":"hello"}')}\nIt is done.\n`);
    await approve(peer, session, chat, turnId);
    assert.match(await said(peer, chat, turnId), /It is done/);
    const call = onlyCall(peer, chat);
    assert.equal(call.status, 'completed');
    assert.deepEqual('content' in call && call.content, [{ type: 'text', text: 'hello' }]);
  });

  it('makes its session a failed one with a step that failed, until the rest went well', async () => {
    const peer = await place.connect();
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    await whenServer(peer, session, 'mine', 'ready');
    const activity = async () => {
      const { items } = await peer.request('root/listSessions', {});
      return items.map((it) => activityOf(it.status));
    };
    const failed = await peer.ended(chat, await peer.prompt(chat, `${block('tool none', '')}\nThe end.\n`));
    const { hint, ...words } = failed.error?._meta ?? {};
    assert.deepEqual(words, { retryWith: 'retry', skipWith: 'continue' });
    assert.ok(failed.error?.message.endsWith(` ${String(hint)}`));
    assert.deepEqual(await activity(), [status.Error]);
    assert.match(await said(peer, chat, await peer.prompt(chat, 'continue')), /The end\./);
    assert.deepEqual(await activity(), [status.Idle]);
  });

  it('stops at a tool that is not there, or whose input is none', async () => {
    const peer = await place.connect();
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    await whenServer(peer, session, 'mine', 'ready');
    const first = await peer.prompt(chat, block('tool none', ''));
    const failed = await peer.ended(chat, first);
    assert.equal(failed.state, 'error');
    assert.match(
      failed.error?.message ?? '',
      /^This session has no tool named "none"\. The step is on line 1 of the prompt\./,
    );
    const second = await peer.prompt(chat, block('tool echo', '[1]'));
    assert.match(await said(peer, chat, second), /line 1: a `tool` block must contain a JSON object or be empty/);
  });
});
