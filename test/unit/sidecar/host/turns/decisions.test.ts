import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ToolFacts } from '../../../../../sidecar/agents/provider.ts';
import { decisionRows } from '../../../../../sidecar/host/storage/decisionRows.ts';
import { migrations } from '../../../../../sidecar/host/storage/migrations.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { PermissionRule } from '../../../../../sidecar/protocol/window.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { vault } from '../../../../support/host/protectedAgent.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { type Script, scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const make: PermissionRule = { id: 'm', effect: 'allow', target: 'shell', pattern: 'make *', source: 'user' };

describe('the history of what was allowed and denied', () => {
  let place: HostPlace | undefined;
  let workspace: Workspace;
  beforeEach(() => {
    workspace = openWorkspace({});
  });
  afterEach(async () => {
    await place?.close();
    place = undefined;
    workspace.remove();
  });

  /** Asks about each command of a prompt; one that begins with `!` runs without a question. */
  const commands: Script = async function* ({ turnId, text }, host) {
    for (const [at, line] of text.split('\n').entries()) {
      const toolCallId = `${turnId}-${at}`;
      const command = line.replace(/^!/, '');
      const cwd = workspace.path;
      const facts: ToolFacts = { toolCallId, kind: 'shell', invocationMessage: 'Run it', command, cwd, paths: [] };
      yield { kind: 'toolStarted', toolCallId, toolName: 'bash', displayName: 'Run command' };
      if (line.startsWith('!')) yield { kind: 'toolRunning', facts };
      else await host.confirm(facts);
      yield { kind: 'toolEnded', toolCallId, success: true, pastTenseMessage: 'Ran', content: [] };
    }
  };
  async function open() {
    place = await openHostPlace([
      { ...scriptedProvider(commands), protectedResources: [{ ...vault, required: false }] },
    ]);
    const peer = await place.connect('c1', { rules: [make] });
    return { peer, ...(await peer.newSession({ workingDirectories: [workspace.uri] })) };
  }

  it('says who decided and what the card showed, newest first, in pages, and outlives the host', async () => {
    verifies('host.approvals.history');
    const { peer, session, chat } = await open();
    const turnId = await peer.prompt(chat, 'make all\nls -la\n!touch x');
    await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
    const answer = { approved: false, reason: 'denied', reasonMessage: 'later' };
    await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId: `${turnId}-1`, ...answer } as AnyAction);
    await peer.ended(chat, turnId);
    const other = await peer.newSession({ workingDirectories: [workspace.uri] });
    await peer.ended(other.chat, await peer.prompt(other.chat, 'make other'));
    const { items } = await peer.request('x-switchboard/decisions', {});
    assert.deepEqual(
      items.map(({ what, allowed, by, rule, reason }) => [what, allowed, by, rule, reason]),
      [
        ['make other', true, 'rule', 'make *', undefined],
        ['touch x', true, 'agent', undefined, undefined],
        ['ls -la', false, 'person', undefined, 'later'],
        ['make all', true, 'rule', 'make *', undefined],
      ],
    );
    assert.equal(items[0]?.title, peer.session(other.session).title);
    await place?.restart();
    const again = await place!.connect('c2');
    const first = await again.request('x-switchboard/decisions', { session, limit: 2 });
    const rest = await again.request('x-switchboard/decisions', { session, limit: 2, before: first.next! });
    assert.deepEqual([...first.items, ...rest.items], items.slice(1));
    assert.equal(rest.next, undefined);
  });

  for (const { command, suggested } of [
    { command: 'npm test', suggested: [undefined, undefined, undefined, 3] },
    { command: 'rm -rf x', suggested: [undefined, undefined, undefined, undefined] },
  ])
    it(`${suggested[3] ? 'suggests the rule' : 'suggests nothing'} at the fourth ${command} that a person is asked about`, async () => {
      verifies('host.approvals.suggests');
      const { peer, session, chat } = await open();
      const seen: unknown[] = [];
      for (let n = 0; n < 4; n += 1) {
        const turnId = await peer.prompt(chat, command);
        await peer.until(() => (peer.session(session).inputNeeded ?? []).length === 1);
        const [asked] = peer.session(session).inputNeeded ?? [];
        seen.push(asked?.kind === 'toolConfirmation' && asked.toolCall._meta?.['timesAllowed']);
        const answer = { approved: true, confirmed: 'user-action', selectedOptionId: 'allow-once' };
        await peer.act(chat, {
          type: 'chat/toolCallConfirmed',
          turnId,
          toolCallId: `${turnId}-0`,
          ...answer,
        } as AnyAction);
        await peer.ended(chat, turnId);
      }
      assert.deepEqual(seen, suggested);
    });

  it('holds no secret that the host knows, and no more than the beginning of a long command', async () => {
    verifies('host.approvals.history');
    const { peer, chat } = await open();
    await peer.request('authenticate', { resource: vault.resource, token: 'a-token-of-a-client' });
    await peer.ended(chat, await peer.prompt(chat, `make a-token-of-a-client ${'x'.repeat(5_000)}`));
    const { items } = await peer.request('x-switchboard/decisions', {});
    assert.doesNotMatch(items[0]!.what, /a-token-of-a-client/);
    assert.equal(items[0]!.what.length, 1_000);
  });

  it('keeps the newest rows, finds a page by its key alone, and gives no number twice', () => {
    const sql = new DatabaseSync(':memory:');
    for (const step of migrations) sql.exec(step);
    const rows = decisionRows(sql, 3);
    for (const n of [1, 2, 3, 4, 5]) rows.add(n % 2 === 0 ? 'even' : 'odd', String(n));
    assert.deepEqual(
      rows.page(10),
      [5, 4, 3].map((n) => ({ n, body: String(n) })),
    );
    assert.deepEqual(rows.page(1, 5), [{ n: 4, body: '4' }]);
    assert.deepEqual(
      rows.page(10, undefined, 'odd'),
      [5, 3].map((n) => ({ n, body: String(n) })),
    );
    const plan = sql.prepare(
      'EXPLAIN QUERY PLAN SELECT n FROM decision WHERE session = ? AND n < ? ORDER BY n DESC LIMIT 2',
    );
    assert.match(
      plan
        .all('odd', 9)
        .map((it) => String(it['detail']))
        .join(),
      /^SEARCH decision USING COVERING INDEX/,
    );
    sql.close();
  });
});
