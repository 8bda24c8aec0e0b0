import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { SessionSummary } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { hostNotifications } from '../../../../sidecar/protocol/methods.ts';
import { applySummary, diffSummary, summarize } from '../../../../sidecar/protocol/summaries.ts';
import { emptySession } from '../../../support/protocol/arbitraryActions.ts';
import { verifies } from '../../../support/verifies.ts';

const created = '2026-01-01T00:00:00Z';
const extra = { resource: 'host-session:/1', createdAt: created, modifiedAt: created };
const chat = (modifiedAt: string) => ({ resource: `host-chat:/${modifiedAt}`, title: '', status: 1, modifiedAt });

describe('summarize', () => {
  it('takes the newest time of its chats, whatever their notation, and never an older one than before', () => {
    verifies('host.summary.latest');
    const chats = [chat('2026-01-02T00:00:00Z'), chat('2026-01-02T01:30:00+02:00')];
    assert.equal(summarize({ ...emptySession, chats }, extra).modifiedAt, '2026-01-02T00:00:00Z');
    assert.equal(
      summarize(emptySession, { ...extra, modifiedAt: '2027-01-01T00:00:00Z' }).modifiedAt,
      '2027-01-01T00:00:00Z',
    );
  });

  it('has the directories of the session, whatever its chats restrict themselves to', () => {
    verifies('host.summary.directories');
    const workingDirectories = ['file:///a', 'file:///b'];
    const chats = [{ ...chat(created), workingDirectories: ['file:///b'] }];
    assert.deepEqual(
      summarize({ ...emptySession, chats, workingDirectories }, extra).workingDirectories,
      workingDirectories,
    );
  });

  it('leaves out what is not there', () => {
    const { provider, title, status } = emptySession;
    assert.deepEqual(summarize(emptySession, extra), { ...extra, provider, title, status });
  });
});

const optional = {
  activity: fc.constantFrom('a', 'b'),
  workingDirectories: fc.array(fc.constantFrom('file:///a', 'file:///b'), { maxLength: 2 }),
  changes: fc.record({ additions: fc.nat(3), files: fc.nat(3) }),
  project: fc.constant({ uri: 'file:///p', displayName: 'p' }),
};
const summary = fc
  .record(
    { title: fc.constantFrom('x', 'y'), status: fc.constantFrom(1, 8), ...optional },
    { requiredKeys: ['title', 'status'] },
  )
  .map((it): SessionSummary => ({ ...extra, provider: 'p', ...JSON.parse(JSON.stringify(it)) }));

describe('diffSummary', () => {
  it('says what leads from one summary to the next, over the wire', () => {
    fc.assert(
      fc.property(summary, summary, (before, after) => {
        const changes = diffSummary(before, after);
        if (!changes) return assert.deepEqual(after, before);
        const params = { session: extra.resource, changes: JSON.parse(JSON.stringify(changes)) };
        const received = hostNotifications['root/sessionSummaryChanged'].params.parse(params);
        assert.deepEqual(applySummary(before, received.changes), after);
      }),
    );
  });

  it('clears the activity with null', () => {
    const before = { ...summarize(emptySession, extra), activity: 'Reading' };
    assert.deepEqual(diffSummary(before, summarize(emptySession, extra)), { activity: null });
  });
});
