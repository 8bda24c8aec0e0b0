import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionSummary } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import type { TerminalInfo } from '../../../../../sidecar/protocol/channels/terminal/schema.ts';
import { status } from '../../../../../sidecar/protocol/status.ts';
import {
  childrenOf,
  memberNodes,
  rootNodes,
  type SessionsInput,
  subAgentNodes,
  terminalNodes,
} from '../../../../../src/views/sessions/nodes.ts';
import { type RowContext, sessionRow, subAgentRow } from '../../../../../src/views/sessions/rows.ts';
import { english, plainArrangement, summary, today } from '../../../../support/extensionStates.ts';

const nowMs = Date.parse(today(10));
const empty: SessionsInput = {
  sessions: [],
  hasMore: false,
  isLoaded: true,
  hasFolder: true,
  notices: [],
  terminals: [],
  clientId: 'c1',
  agents: [
    { provider: 'runbook', displayName: 'Runbook', models: [] },
    { provider: 'claude', displayName: 'Claude', models: [] },
  ],
  arrangement: plainArrangement,
  nowMs,
};

describe('the Sessions view', () => {
  it('says how to begin when there is no session', () => {
    assert.deepEqual(
      rootNodes(english, empty).map((it) => 'label' in it && it.label),
      ['Take the tour (2 min)', 'New session', 'Open the walkthrough', 'Agents found: Runbook, Claude'],
    );
  });

  const runbook = { provider: 'runbook', displayName: 'Runbook', models: [] };
  const coder = { provider: 'coder', displayName: 'Switchboard', models: [] };
  const withModel = { ...coder, models: [{ id: 'fast', provider: 'coder', name: 'fast' }] };
  for (const [says, agents, offered] of [
    ['offers a model where the built-in agent has none and no other agent is there', [runbook, coder], true],
    ['offers no model where the built-in agent has one', [withModel, runbook], false],
    ['offers no model where another agent is there', [...empty.agents, coder], false],
  ] as const)
    it(says, () =>
      assert.equal(
        rootNodes(english, { ...empty, agents }).some((it) => it.id === 'start/model'),
        offered,
      ),
    );

  it('shows the terminals of the host after the sessions, with who holds each', () => {
    const session = summary({ title: 'Fix it' });
    const terminals: TerminalInfo[] = [
      { resource: 'host-terminal:/a', title: 'A', claim: { kind: 'client', clientId: 'c1' } },
      { resource: 'host-terminal:/b', title: 'B', claim: { kind: 'client', clientId: 'c2' }, exitCode: 3 },
      { resource: 'host-terminal:/c', title: 'C', claim: { kind: 'session', session: session.resource } },
    ];
    const input = { ...empty, sessions: [session], terminals };
    assert.deepEqual(rootNodes(english, input).at(-1), {
      kind: 'terminals',
      id: 'terminals',
      label: 'Terminals',
      count: 3,
    });
    const rows = terminalNodes(english, input).map((it) => (it.kind === 'terminal' ? it.row : undefined));
    assert.deepEqual(
      rows.map((it) => [it?.label, it?.description, it?.contextValue]),
      [
        ['A', 'used here', 'terminal mine running'],
        ['B', 'in use in another window · exited with 3', 'terminal other ended'],
        ['C', 'in use by "Fix it"', 'terminal session running'],
      ],
    );
  });

  it('leaves the word to the welcome view without a folder, and before the list came', () => {
    assert.deepEqual(rootNodes(english, { ...empty, hasFolder: false }), []);
    assert.deepEqual(rootNodes(english, { ...empty, isLoaded: false }), []);
  });

  it('shows only groups that hold something, newest session first, and a way to older ones', () => {
    const sessions = [
      summary({ resource: 'host-session:/a', modifiedAt: today(8) }),
      summary({ resource: 'host-session:/b', modifiedAt: today(9) }),
      summary({ resource: 'host-session:/c', status: status.InProgress }),
    ];
    const nodes = rootNodes(english, { ...empty, sessions, hasMore: true });
    assert.deepEqual(
      nodes.map((it) => [it.id, it.kind === 'group' ? it.members.map(({ resource }) => resource) : undefined]),
      [
        ['group/working', ['host-session:/c']],
        ['group/today', ['host-session:/b', 'host-session:/a']],
        ['more', undefined],
      ],
    );
  });

  it('adds a plus to the count of a group that may contain sessions that are not loaded yet', () => {
    const sessions = [
      summary({ resource: 'host-session:/a', modifiedAt: today(9) }),
      summary({ resource: 'host-session:/b', modifiedAt: '2020-01-01T00:00:00.000Z' }),
      summary({ resource: 'host-session:/c', status: status.IsArchived }),
    ];
    const counts = (input: Partial<Parameters<typeof rootNodes>[1]>) =>
      rootNodes(english, { ...empty, sessions, ...input }).flatMap((it) =>
        it.kind === 'group' ? [`${it.group} ${it.count}`] : [],
      );
    assert.deepEqual(counts({ hasMore: true }), ['today 1', 'older 1+', 'archived 1+']);
    assert.deepEqual(counts({ hasMore: false }), ['today 1', 'older 1', 'archived 1']);
    const many = (number: number) => Array.from({ length: number }, () => sessions[1]!);
    const loaded = [99, 101, 250].map((it) => counts({ sessions: many(it), hasMore: true }).join());
    assert.deepEqual(loaded, ['older 99+', 'older 100+', 'older 200+']);
    const byFolder = counts({ hasMore: true, arrangement: { ...plainArrangement, groupBy: 'folder' } });
    assert.ok(
      byFolder.every((it) => it.endsWith('+')),
      byFolder.join(),
    );
  });

  it('says that the filter hides everything, in place of the groups', () => {
    const arrangement = { ...plainArrangement, filter: { ...plainArrangement.filter, unread: true } };
    const nodes = rootNodes(english, { ...empty, sessions: [summary()], arrangement });
    assert.deepEqual(nodes, [{ kind: 'noMatch', id: 'noMatch', label: 'No session matches the filter' }]);
  });

  it('1b-6 nests the sub-agents of a session below it, the latest first, open while one is at work', () => {
    const origin = { kind: 'tool' as const, chat: 'host-chat:/main', toolCallId: 'c' };
    const chats = (...states: number[]) => [
      { resource: 'host-chat:/main', title: '', status: status.InProgress },
      ...states.map((it, at) => ({ resource: `host-chat:/${at}`, title: `Task ${at}`, status: it, origin })),
    ];
    const session = summary({ chats: chats(status.Idle, status.Error) });
    assert.deepEqual(
      subAgentNodes(session).map(({ chat }) => {
        const { label, description, icon, spoken } = subAgentRow(english, chat);
        return [label, description, icon, spoken];
      }),
      [
        ['Task 1', 'failed', 'error', 'Sub-agent Task 1, failed'],
        ['Task 0', '', 'type-hierarchy-sub', 'Sub-agent Task 0, done'],
      ],
    );
    assert.equal(childrenOf(session, 0), 'folded');
    assert.equal(childrenOf(session, 1), 'open');
    assert.equal(childrenOf(summary({ chats: chats(status.Idle, status.InProgress) }), 0), 'open');
    assert.equal(childrenOf(summary({ chats: chats() }), 0), 'none');
  });

  it('draws a large group page by page', () => {
    const members = Array.from({ length: 250 }, (_, i) => summary({ resource: `host-session:/${String(i)}` }));
    const rows = memberNodes(english, { group: 'today', members }, 100);
    assert.deepEqual([rows.length, rows.at(-1)?.kind], [101, 'moreOfGroup']);
    assert.deepEqual(rows.at(-1), {
      kind: 'moreOfGroup',
      id: 'more/today',
      group: 'today',
      label: 'Show more (150)',
    });
    assert.equal(memberNodes(english, { group: 'today', members }, 300).length, 250);
  });
});

describe('the row of a session', () => {
  const context = {
    nowMs,
    arrangement: plainArrangement,
    agentName: (provider: string) => (provider === 'claude' ? 'Claude' : provider),
    canAddChat: (provider: string) => provider === 'claude',
  };
  const row = (more: Parameters<typeof summary>[0], changed: Partial<RowContext> = {}) =>
    sessionRow(english, summary(more), { ...context, ...changed });
  const workingDirectories = ['file:///home/me/tally'];
  const changes = { additions: 12, deletions: 3, files: 2 };
  const total = { model: 'm', inputTokens: 12_000, outputTokens: 345 };
  const usage = (recorded: readonly object[], reported: readonly object[]) => ({
    _meta: { usage: { recorded, reported } },
  });
  const long = 'Please rename the plum and run the tests';

  const descriptions: readonly { readonly what: string; more: Partial<SessionSummary>; reads: string }[] = [
    { what: 'counts first, then when and where', more: { workingDirectories, changes }, reads: '+12 −3 · 1 h · tally' },
    {
      what: 'a failure with its word and the agent, whose icon is not there',
      more: { workingDirectories, status: status.Error, provider: 'claude' },
      reads: 'failed · 1 h · tally · Claude',
    },
    {
      what: 'what it works on last, because it may be long',
      more: { workingDirectories, changes, status: status.InProgress, activity: 'Running npm test' },
      reads: '+12 −3 · 1 h · tally · runbook · Running npm test',
    },
    { what: 'an agent without an icon by its name', more: { provider: 'mine' }, reads: '1 h · mine' },
    {
      what: 'the project of a worktree, and not the name of its folder',
      more: { workingDirectories: ['file:///trees/a1b2'], project: { uri: 'file:///tally', displayName: 'Tally' } },
      reads: '1 h · Tally',
    },
    {
      what: 'a folder with a long name cut',
      more: { workingDirectories: ['file:///a/the-service-of-many-words/'] },
      reads: '1 h · the-service-of-ma…',
    },
    {
      what: 'the cost that the gateway recorded',
      more: usage([{ ...total, cost: { amount: 0.42, currency: 'USD' } }], []),
      reads: '$0.42 · 1 h',
    },
    {
      what: 'the cost that the agent reports, marked so',
      more: usage([], [{ ...total, cost: { amount: 0.42, currency: 'USD' } }]),
      reads: '$0.42 reported · 1 h',
    },
    {
      what: 'the tokens where no cost is known, apart from those that the agent reports',
      more: usage([total], [total]),
      reads: '12k tokens + 12k tokens reported · 1 h',
    },
  ];
  for (const { what, more, reads } of descriptions) {
    it(`shows ${what}`, () => assert.equal(row(more).description, reads));
  }

  const homes: readonly { readonly what: string; more: Partial<SessionSummary>; reads: string }[] = [
    { what: 'no folder where it is the only one of the window', more: { workingDirectories }, reads: '1 h' },
    {
      what: 'the folder where it only has the name of the one of the window',
      more: { workingDirectories: ['file:///home/other/tally'] },
      reads: '1 h · tally',
    },
    {
      what: 'the folder where the session works in another one as well',
      more: { workingDirectories: [...workingDirectories, 'file:///home/me/ledger'] },
      reads: '1 h · tally',
    },
    {
      what: 'no folder where the worktree is of the project of the window',
      more: {
        workingDirectories: ['file:///trees/a1b2'],
        project: { uri: 'file:///home/me/tally', displayName: 'Tally' },
      },
      reads: '1 h',
    },
  ];
  for (const { what, more, reads } of homes) {
    it(`shows ${what}`, () => {
      const { description, spoken } = row(more, { home: 'file:///home/me/tally' });
      assert.deepEqual([description, /, tally, /i.test(spoken)], [reads, true]);
    });
  }

  it('cuts a long title only where something behind it has to be seen', () => {
    assert.equal(row({ title: long }).label, long);
    assert.equal(row({ title: long, changes }).label, 'Please rename the plu…');
    const { label, description } = row({
      title: long,
      ...usage([{ ...total, cost: { amount: 0.42, currency: 'USD' } }], []),
    });
    assert.deepEqual([label, description], ['Please rename the plu…', '$0.42 · 1 h']);
  });

  const looks: readonly [string, number, string, string][] = [
    ['needs you', status.InputNeeded, 'bell-dot', 'list.warningForeground'],
    ['working', status.InProgress, 'loading~spin', 'progressBar.background'],
    ['failed', status.Error, 'error', 'list.errorForeground'],
    ['done and unread', status.Idle, 'book', 'textLink.foreground'],
    ['done and read', status.Idle | status.IsRead, 'book', 'descriptionForeground'],
    ['archived', status.Error | status.IsArchived, 'book', 'disabledForeground'],
  ];
  for (const [what, value, icon, color] of looks) {
    it(`has the icon ${icon} in its color when it is ${what}`, () => {
      const { icon: shown, color: shownColor } = row({ status: value });
      assert.deepEqual([shown, shownColor], [icon, color]);
    });
  }

  it('says aloud what icon, color and cut words show', () => {
    const { spoken } = row({
      title: long,
      status: status.InProgress,
      activity: 'Running npm test',
      provider: 'claude',
      workingDirectories,
      changes,
    });
    assert.equal(spoken, `${long}, working, unread, Claude, tally, +12 −3, Running npm test, 1 h`);
  });

  it('has the words that menus look for', () => {
    const words = (more: Parameters<typeof summary>[0]) => row(more).contextValue;
    assert.equal(words({}), 'session active seen loose');
    assert.equal(words({ status: status.InputNeeded }), 'session active unread loose working');
    assert.equal(words({ status: status.Idle | status.IsArchived | status.IsRead }), 'session archived seen loose');
    assert.equal(words({ changes: { files: 1 } }), 'session active seen loose changed');
    const arrangement = { ...plainArrangement, pinned: new Set(['host-session:/s1']) };
    assert.equal(row({}, { arrangement }).contextValue, 'session active seen pinned');
    const git = { worktree: 'file:///a.worktrees/x', branch: 'switchboard/x', repository: 'file:///a' };
    assert.equal(words({ _meta: { git } }), 'session active seen loose worktree');
  });
});
