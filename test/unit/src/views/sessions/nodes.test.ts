import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { TerminalInfo } from '../../../../../sidecar/protocol/channels/terminal/schema.ts';
import { status } from '../../../../../sidecar/protocol/status.ts';
import {
  groupNodes,
  groupOf,
  rootNodes,
  type SessionsInput,
  terminalNodes,
} from '../../../../../src/views/sessions/nodes.ts';
import { sessionRow } from '../../../../../src/views/sessions/rows.ts';
import { english, summary, today } from '../../../../support/extensionStates.ts';

const nowMs = Date.parse(today(10));
const empty: SessionsInput = {
  sessions: [],
  hasMore: false,
  isLoaded: true,
  hasFolder: true,
  notices: [],
  terminals: [],
  clientId: 'c1',
  agents: ['Runbook', 'Claude'],
  nowMs,
};

describe('the Sessions view', () => {
  it('says how to begin when there is no session', () => {
    assert.deepEqual(
      rootNodes(english, empty).map((it) => 'label' in it && it.label),
      ['Take the tour (2 min)', 'New session', 'Agents found: Runbook, Claude'],
    );
  });

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

  it('groups by what a person has to do, then by age', () => {
    const old = '2026-10-01T10:00:00.000Z';
    assert.equal(groupOf(summary({ status: status.InputNeeded }), nowMs), 'needsYou');
    assert.equal(groupOf(summary({ status: status.InProgress, modifiedAt: old }), nowMs), 'working');
    assert.equal(groupOf(summary({ status: status.Error }), nowMs), 'today');
    assert.equal(groupOf(summary({ modifiedAt: old }), nowMs), 'older');
    assert.equal(groupOf(summary({ status: status.InputNeeded | status.IsArchived }), nowMs), 'archived');
  });

  it('shows only groups that hold something, newest session first, and a way to older ones', () => {
    const sessions = [
      summary({ resource: 'host-session:/a', modifiedAt: today(8) }),
      summary({ resource: 'host-session:/b', modifiedAt: today(9) }),
      summary({ resource: 'host-session:/c', status: status.InProgress }),
    ];
    const input = { ...empty, sessions, hasMore: true };
    assert.deepEqual(
      rootNodes(english, input).map((it) => it.id),
      ['group/working', 'group/today', 'more'],
    );
    assert.deepEqual(
      groupNodes(input, 'today').map((it) => it.id),
      ['host-session:/b', 'host-session:/a'],
    );
  });
});

describe('the row of a session', () => {
  const row = (more: Parameters<typeof summary>[0]) => sessionRow(english, summary(more), nowMs);

  it('shows counts, activity and age, and says aloud what icon and colour show', () => {
    const { description, spoken, icon } = row({
      status: status.InProgress,
      activity: 'Running npm test',
      changes: { additions: 12, deletions: 3, files: 2 },
    });
    assert.equal(description, '+12 −3 · Running npm test · 1 h');
    assert.equal(spoken, 'Fix the tests, working, unread, +12 −3, Running npm test, 1 h');
    assert.equal(icon, 'loading~spin');
  });

  it('has the words that menus look for', () => {
    const words = (more: Parameters<typeof summary>[0]) => row(more).contextValue;
    assert.equal(words({}), 'session active seen');
    assert.equal(words({ status: status.InputNeeded }), 'session active unread working');
    assert.equal(words({ status: status.Idle | status.IsArchived | status.IsRead }), 'session archived seen');
    assert.equal(words({ changes: { files: 1 } }), 'session active seen changed');
  });
});
