import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { OfferedResult, ToolFacts } from '../../../../../sidecar/agents/provider.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { ToolDefinition } from '../../../../../sidecar/protocol/shared.ts';
import { confirmationFacts } from '../../../../../src/client/confirmations.ts';
import { inboxNodes } from '../../../../../src/views/inbox/nodes.ts';
import { RowBuilder } from '../../../../../src/webviews/chat/chatRows.ts';
import { english, summary } from '../../../../support/extensionStates.ts';
import { entryOf, offer, onlyCall, toolUser } from '../../../../support/host/clientTools.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { mcpJson, stdioEntry, whenServer } from '../../../../support/host/mcpSession.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the question about a tool call', () => {
  let place: HostPlace;
  let workspace: Workspace;
  afterEach(async () => {
    await place.close();
    workspace.remove();
  });

  async function ask(facts: (folder: string) => Partial<ToolFacts>) {
    workspace = openWorkspace({ 'a.txt': 'a\n' });
    const whole = { toolCallId: 'k', kind: 'other', invocationMessage: 'Do it', paths: [], ...facts(workspace.path) };
    place = await openHostPlace([
      scriptedProvider(async function* (_prompt, host) {
        await host.confirm(whole as ToolFacts);
      }),
    ]);
    const peer = await place.connect();
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    await peer.prompt(chat, 'go');
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length > 0);
    const request = peer.session(session).inputNeeded?.[0];
    assert.ok(request?.kind === 'toolConfirmation' && request.toolCall.status === 'pending-confirmation');
    const { toolCall } = request;
    const row = new RowBuilder([workspace.uri])
      .rows(peer.chat(chat), 0, () => undefined)
      .find((it) => it.kind === 'tool')!;
    const [node] = inboxNodes(english, [{ key: 'k', session: summary({}), request }], () => 'once');
    return { toolCall, row, node: node!, facts: confirmationFacts(request) };
  }

  for (const { says, of, title } of [
    { says: 'one new file', of: { 'new.txt': undefined }, title: 'Create file?' },
    { says: 'new files', of: { 'new.txt': undefined, 'b.txt': undefined }, title: 'Create files?' },
    { says: 'a new file and another one', of: { 'new.txt': undefined, 'b.txt': 'b' }, title: 'Edit files?' },
    { says: 'one file that is there', of: { 'b.txt': 'b' }, title: 'Edit file?' },
    { says: 'a file that is there and that the agent calls new', of: { 'is-there': undefined }, title: 'Edit file?' },
  ])
    it(`asks by the files of an edit: ${says}`, async () => {
      const { toolCall } = await ask((folder) => {
        writeFileSync(join(folder, 'is-there'), 'x');
        const preview = Object.entries(of).map(([name, before]) => ({
          path: join(folder, name),
          ...(before !== undefined && { before }),
          after: 'x',
        }));
        return { kind: 'edit', paths: preview.map((it) => it.path), preview };
      });
      assert.equal(toolCall.confirmationTitle, title);
    });

  it('does not repeat the beginning of a command that stands below it', async () => {
    const command = 'for n in 1 2; do\n  echo $n\ndone';
    const { row } = await ask(() => ({ kind: 'shell', invocationMessage: 'Run for n in 1 2; do', command }));
    assert.deepEqual([row.title, row.words, row.command], ['Run this command?', undefined, command]);
  });

  for (const command of [
    'echo a > b',
    'cat <x >y 2>&1',
    'echo `date` *_x_* [y](z) <b>',
    'echo 1\necho 2',
    `echo ${'x'.repeat(70_000)} && rm -rf build`,
  ]) {
    it(`shows the command whole and literally: ${JSON.stringify(command.slice(0, 40))}`, async () => {
      verifies('host.tools.shown-literally', 'host.tools.name-by-kind');
      const { toolCall, row, node, facts } = await ask(() => ({
        kind: 'shell',
        invocationMessage: command.slice(0, 100),
        toolInput: command,
        command,
      }));
      assert.deepEqual([toolCall.displayName, toolCall.confirmationTitle], ['Run command', 'Run this command?']);
      assert.equal(toolCall.toolInput, command);
      assert.equal(toolCall._meta?.['toolKind'], 'shell');
      assert.deepEqual([row.title, row.command], ['Run this command?', command]);
      const { markdown } = toolCall.invocationMessage as { markdown: string };
      const fence = command.includes('`') ? '``' : '`';
      const lines = command.split('\n').map((it) => `${fence}${it}${fence}`);
      assert.ok(markdown.endsWith(`\n\n${lines.join('\\\n')}`), markdown.slice(-200));
      assert.equal(facts.fullSubject, command);
      assert.ok(node.tooltip.startsWith(command) && node.label === command.replace('\n', ' ⏎ '));
    });
  }

  for (const [what, hidden, shown] of [
    ['a bidirectional override', '\u202e', '‹U+202E›'],
    ['a space without width', '\u200b', '‹U+200B›'],
    ['an escape of a terminal', '\u001b', '‹U+001B›'],
    ['a carriage return', '\r', '‹U+000D›'],
    ['a letter that draws nothing', '\u3164', '‹U+3164›'],
    ['a blank that is no space', '\u00a0', '‹U+00A0›'],
    ['a tag character', '\u{E0041}', '‹U+E0041›'],
  ] as const) {
    it(`writes ${what} out, and is not answered with one click`, async () => {
      verifies('host.tools.shown-literally');
      const command = `echo a${hidden}b`;
      const { toolCall, row, node, facts } = await ask(() => ({ kind: 'shell', toolInput: command, command }));
      assert.equal(toolCall.toolInput, command, 'what runs is what was asked for');
      assert.equal(toolCall.confirmationTitle, 'Run this command? It contains hidden characters.');
      const risk = toolCall.riskAssessment;
      assert.ok(risk?.status === 'complete' && typeof risk.reason === 'object');
      assert.equal(risk.reason.markdown, `With the hidden characters shown: \`echo a${shown}b\``);
      assert.deepEqual([row.command, facts.subject, node.label], Array(3).fill(`echo a${shown}b`));
      assert.equal(facts.isOneClick, false);
    });
  }

  for (const [kind, name, title] of [
    ['edit', 'Edit file', 'Edit file?'],
    ['read', 'Read file', 'Read file?'],
    ['delete', 'Delete file', 'Delete file?'],
    ['move', 'Move file', 'Move files?'],
  ] as const) {
    it(`names the files that a call of the kind ${kind} is about, also without a preview`, async () => {
      verifies('host.tools.shown-literally', 'host.tools.name-by-kind');
      const { toolCall, row, node } = await ask((folder) => ({
        kind,
        invocationMessage: 'Tidy [up](https://evil.example) <b>',
        paths: [join(kind === 'read' ? '/elsewhere' : folder, '.vscode/`a`.json')],
      }));
      assert.deepEqual([toolCall.displayName, toolCall.confirmationTitle], [name, title]);
      const { markdown } = toolCall.invocationMessage as { markdown: string };
      assert.ok(markdown.endsWith('/.vscode/`a`.json``'), markdown);
      assert.ok(!markdown.includes(']('), markdown);
      assert.deepEqual(
        [row.paths, row.words],
        [[`${kind === 'read' ? '/elsewhere/' : ''}.vscode/\`a\`.json`], 'Tidy [up](https://evil.example) <b>'],
      );
      assert.equal(node.label, 'Tidy [up](https://evil.example) <b>: `a`.json');
      assert.ok(node.tooltip.includes('/.vscode/`a`.json'));
    });
  }

  for (const [kind, name, title] of [
    ['search', 'Search', 'Search?'],
    ['fetch', 'Fetch', 'Fetch from the network?'],
    ['other', 'Use tool', 'Use this tool?'],
  ] as const) {
    it(`shows the exact input of a call of the kind ${kind}`, async () => {
      verifies('host.tools.shown-literally', 'host.tools.name-by-kind');
      const paths = kind === 'search' ? ['/elsewhere'] : [];
      const toolInput = '{"q":"<a> `b`"}';
      const { toolCall, row } = await ask(() => ({ kind, toolInput, paths }));
      assert.deepEqual([toolCall.displayName, toolCall.confirmationTitle], [name, title]);
      assert.deepEqual([toolCall.toolInput, row.input, row.words], [toolInput, toolInput, 'Do it']);
    });
  }

  const pretence = 'Read [file](command:evil) `ls`';
  const offers: readonly [string, string, (session: string, peer: HostPeer) => Promise<unknown>][] = [
    [
      'a client',
      'Use the tool env from a connected program',
      (session, peer) =>
        offer(peer, session, [{ name: 'env', title: pretence, annotations: { title: pretence } } as ToolDefinition]),
    ],
    ['an MCP server', 'Use the tool env from mine', (session, peer) => whenServer(peer, session, 'mine', 'ready')],
  ];
  for (const [who, words, offered] of offers) {
    it(`names a tool of ${who} as rules know it, and never by the title that it gives itself`, async () => {
      verifies('host.tools.shown-literally', 'host.tools.name-by-kind');
      workspace = openWorkspace(
        who === 'a client'
          ? {}
          : { '.vscode/mcp.json': mcpJson({ mine: stdioEntry('fixture', { env: { TITLE: pretence } }) }) },
      );
      const results: OfferedResult[] = [];
      place = await openHostPlace([toolUser(results)]);
      const peer = await place.connect('c1', { env: { PATH: process.env['PATH'] ?? '' } });
      const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
      await offered(session, peer);
      const turnId = await peer.prompt(chat, 'env');
      const request = await entryOf(peer, session, 'toolConfirmation');
      assert.ok(request.kind === 'toolConfirmation' && request.toolCall.status === 'pending-confirmation');
      const { toolCall } = request;
      assert.deepEqual([toolCall.displayName, toolCall.confirmationTitle], ['Use tool', 'Use this tool?']);
      assert.deepEqual(confirmationFacts(request).subject, words);
      assert.equal(toolCall.toolInput, '{"n":1}');
      assert.ok(!JSON.stringify({ ...toolCall, _meta: {} }).includes('Read'), JSON.stringify(toolCall));
      const { toolCallId } = toolCall;
      const yes = { approved: true, confirmed: 'user-action', selectedOptionId: 'allow-once' };
      await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId, ...yes } as AnyAction);
      if (who === 'a client') return;
      await peer.ended(chat, turnId);
      const call = onlyCall(peer, chat);
      assert.equal(call.status === 'completed' && call.pastTenseMessage, 'Used the tool env from mine');
    });
  }
});
