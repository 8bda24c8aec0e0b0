import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionSummary } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { status } from '../../../../../sidecar/protocol/status.ts';
import { type Arrangement, arrange, groupOf, noFilter, passes } from '../../../../../src/views/sessions/groups.ts';
import { filterWords } from '../../../../../src/views/sessions/words.ts';
import { english, plainArrangement, summary } from '../../../../support/extensionStates.ts';

/** A morning, where the tests run. */
const nowMs = new Date(2026, 10, 20, 9, 30).getTime();
const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
const pinned = new Set(['host-session:/s1']);

describe('the groups of the Sessions view', () => {
  const rows: readonly { what: string; more: Partial<SessionSummary>; by?: Partial<Arrangement>; group: string }[] = [
    { what: 'what waits for a person', more: { status: status.InputNeeded }, group: 'needsYou' },
    { what: 'old work that runs', more: { status: status.InProgress, modifiedAt: at(1, 8) }, group: 'working' },
    { what: 'what is pinned', more: { modifiedAt: at(1, 8) }, by: { pinned }, group: 'pinned' },
    { what: 'what is pinned and waits', more: { status: status.InputNeeded }, by: { pinned }, group: 'needsYou' },
    { what: 'what failed today', more: { status: status.Error, modifiedAt: at(20, 8) }, group: 'today' },
    { what: 'a time that is to come', more: { modifiedAt: at(21, 8) }, group: 'today' },
    { what: 'the evening before', more: { modifiedAt: at(19, 23) }, group: 'yesterday' },
    { what: 'two days ago', more: { modifiedAt: at(18, 23) }, group: 'week' },
    { what: 'the seventh day', more: { modifiedAt: at(13, 0) }, group: 'week' },
    { what: 'the eighth day', more: { modifiedAt: at(12, 23) }, group: 'older' },
    { what: 'what is put away', more: { status: status.InputNeeded | status.IsArchived }, group: 'archived' },
    { what: 'what is pinned and put away', more: { status: status.IsArchived }, by: { pinned }, group: 'archived' },
    {
      what: 'by creation, what was made yesterday and changed today',
      more: { createdAt: at(19, 8), modifiedAt: at(20, 8) },
      by: { sortBy: 'created' },
      group: 'yesterday',
    },
    {
      what: 'by folder, what waits in one',
      more: { status: status.InputNeeded, workingDirectories: ['file:///home/a%20b/'] },
      by: { groupBy: 'folder' },
      group: 'folder/a b',
    },
    { what: 'by folder, what has none', more: {}, by: { groupBy: 'folder' }, group: 'folder/' },
    {
      what: 'by folder, what is put away',
      more: { status: status.IsArchived },
      by: { groupBy: 'folder' },
      group: 'archived',
    },
  ];
  for (const { what, more, by, group } of rows) {
    it(`have ${what} in ${group}`, () => {
      assert.equal(groupOf(summary(more), { ...plainArrangement, ...by }, nowMs), group);
    });
  }

  const of = (id: string, folder: string, createdAt: string, modifiedAt: string) =>
    summary({ resource: `host-session:/${id}`, workingDirectories: [`file:///${folder}`], createdAt, modifiedAt });
  const sessions = [
    of('a', 'x', at(20, 1), at(20, 6)),
    of('b', 'y', at(20, 2), at(20, 9)),
    of('c', 'x', at(20, 3), at(20, 7)),
    { ...of('d', 'x', at(20, 4), at(20, 8)), status: status.IsArchived },
  ];
  const orders: readonly { what: string; by: Partial<Arrangement>; shown: readonly (readonly [string, string])[] }[] = [
    {
      what: 'newest change first',
      by: {},
      shown: [
        ['today', 'bca'],
        ['archived', 'd'],
      ],
    },
    {
      what: 'newest creation first',
      by: { sortBy: 'created' },
      shown: [
        ['today', 'cba'],
        ['archived', 'd'],
      ],
    },
    {
      what: 'folders by their newest session',
      by: { groupBy: 'folder' },
      shown: [
        ['folder/y', 'b'],
        ['folder/x', 'ca'],
        ['archived', 'd'],
      ],
    },
    { what: 'no group without a session', by: { filter: { ...noFilter, archived: true } }, shown: [['archived', 'd']] },
  ];
  for (const { what, by, shown } of orders) {
    it(`list ${what}`, () => {
      const groups = arrange(sessions, { ...plainArrangement, ...by }, nowMs);
      assert.deepEqual(
        groups.map(([group, members]) => [group, members.map((it) => it.resource.at(-1)).join('')]),
        shown,
      );
    });
  }
});

describe('the filter of the Sessions view', () => {
  const session = summary({ provider: 'claude', status: status.Error, workingDirectories: ['file:///home/tally'] });
  const rows: readonly { filter: Partial<typeof noFilter>; lets: boolean; says: string }[] = [
    { filter: {}, lets: true, says: '' },
    { filter: { states: ['failed'] }, lets: true, says: 'failed' },
    { filter: { states: ['working', 'failed'] }, lets: true, says: 'working, failed' },
    { filter: { states: ['done'] }, lets: false, says: 'done' },
    { filter: { agents: ['claude'] }, lets: true, says: 'Agent claude' },
    { filter: { agents: ['runbook'] }, lets: false, says: 'Agent runbook' },
    { filter: { folders: ['tally'], unread: true }, lets: true, says: 'tally, unread' },
    { filter: { folders: [''] }, lets: false, says: 'No folder' },
    { filter: { states: ['failed'], agents: ['runbook'] }, lets: false, says: 'failed, Agent runbook' },
    { filter: { archived: true }, lets: false, says: 'archived' },
  ];
  for (const { filter, lets, says } of rows) {
    it(`${lets ? 'lets a failed session through' : 'holds a failed session back'} with "${says}"`, () => {
      const whole = { ...noFilter, ...filter };
      assert.equal(passes(session, whole), lets);
      assert.equal(
        filterWords(english, { filter: whole }, (it) => `Agent ${it}`),
        says,
      );
    });
  }
});
