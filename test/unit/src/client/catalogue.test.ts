import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { status } from '../../../../sidecar/protocol/status.ts';
import { Attention } from '../../../../src/client/attention.ts';
import { mergeSummary, SessionCatalogue } from '../../../../src/client/catalogue.ts';
import { decide } from '../../../../src/client/confirmations.ts';
import { Listeners } from '../../../../src/client/listeners.ts';
import type { HostPort } from '../../../../src/client/port.ts';
import { shellRequest, summary } from '../../../support/extensionStates.ts';

/** A host of two pages and of sessions whose states are set by the test. */
class PagedHost {
  readonly connected = new Listeners<void>();
  readonly notified = new Map<string, Listeners<unknown>>();
  readonly opened: string[] = [];
  readonly closed: string[] = [];
  readonly states = new Map<string, SessionState>();
  firstPage = [summary({ resource: 'host-session:/new' })];
  lastPage = [summary({ resource: 'host-session:/old' })];
  /** Called with each question for a page, before it is answered. */
  beforePage: (cursor: string | undefined) => void = () => {};
  listed = 0;

  readonly port = {
    request: async (_method: string, { cursor }: { cursor?: string }) => {
      this.listed += 1;
      this.beforePage(cursor);
      return cursor === undefined ? { items: this.firstPage, nextCursor: 'more' } : { items: this.lastPage };
    },
    open: (uri: string) => {
      this.opened.push(uri);
      return {
        shown: this.states.get(uri),
        onDidChange: () => ({ dispose() {} }),
        dispose: () => void this.closed.push(uri),
      };
    },
    onDidConnect: (listener: () => void) => this.connected.add(listener),
    onNotification: (name: string, listener: (params: unknown) => void) => this.on(name).add(listener),
  } as unknown as HostPort;

  on(name: string): Listeners<unknown> {
    const known = this.notified.get(name) ?? new Listeners<unknown>();
    this.notified.set(name, known);
    return known;
  }
}

async function connected() {
  const host = new PagedHost();
  const catalogue = new SessionCatalogue(host.port, assert.fail);
  const loaded = new Promise((resolve) => void catalogue.onDidChange(resolve));
  host.connected.fire();
  await loaded;
  return { host, catalogue };
}

describe('the list of sessions', () => {
  it('learns of a session that is in no page, and takes nothing older for one that it knows', async () => {
    const { catalogue } = await connected();
    let changes = 0;
    catalogue.onDidChange(() => (changes += 1));
    catalogue.learn(summary({ resource: 'host-session:/found', title: 'Found' }));
    catalogue.learn(summary({ resource: 'host-session:/found', title: 'As it was' }));
    assert.deepEqual([catalogue.get('host-session:/found')?.title, changes], ['Found', 1]);
  });
  it('is fetched a page at a time, and as far as it was shown after a break', async () => {
    const { host, catalogue } = await connected();
    assert.equal(catalogue.sessions.length, 1);
    assert.equal(catalogue.hasMore, true);
    await catalogue.loadMore();
    assert.equal(catalogue.sessions.length, 2);
    assert.equal(catalogue.hasMore, false);
    const again = new Promise((resolve) => void catalogue.onDidChange(resolve));
    host.connected.fire();
    await again;
    assert.equal(catalogue.sessions.length, 2);
  });

  it('follows what the host says, and says which session changed', async () => {
    const { host, catalogue } = await connected();
    const changes: string[] = [];
    catalogue.onDidChange((it) => changes.push(it.kind));
    host.on('root/sessionAdded').fire({ summary: summary({ resource: 'host-session:/x' }) });
    host.on('root/sessionSummaryChanged').fire({ session: 'host-session:/x', changes: { title: 'Later' } });
    host.on('root/sessionSummaryChanged').fire({ session: 'host-session:/unknown', changes: { title: 'Later' } });
    host.on('root/sessionRemoved').fire({ session: 'host-session:/x' });
    assert.deepEqual(changes, ['list', 'session', 'list']);
  });

  it('brings a session of a page that was not fetched as soon as something happens in it', async () => {
    const { host, catalogue } = await connected();
    const prompted = summary({ resource: 'host-session:/old', modifiedAt: '2026-01-02T00:00:01Z' });
    host.firstPage = [prompted, ...host.firstPage];
    const seen = new Promise((resolve) => void catalogue.onDidChange(resolve));
    const happens = (changes: object) =>
      host.on('root/sessionSummaryChanged').fire({ session: prompted.resource, changes });
    happens({ title: 'Renamed' });
    assert.equal(host.listed, 1, 'a change that moves nothing to the first page fetches nothing');
    happens({ modifiedAt: '2026-01-02T00:00:00Z' });
    happens({ modifiedAt: '2026-01-02T00:00:01Z' });
    await seen;
    assert.deepEqual(catalogue.get(prompted.resource), prompted);
    assert.equal(host.listed, 2);
    assert.equal(catalogue.hasMore, true);
  });

  it('brings a session in which something happens while later pages of the list are under way', async () => {
    const { host, catalogue } = await connected();
    await catalogue.loadMore();
    host.lastPage = [];
    const prompted = summary({ resource: 'host-session:/prompted' });
    const happens = () =>
      host
        .on('root/sessionSummaryChanged')
        .fire({ session: prompted.resource, changes: { modifiedAt: '2026-01-02T00:00:00Z' } });
    const brought = new Promise<void>((resolve) => {
      catalogue.onDidChange(() => catalogue.get(prompted.resource) && resolve());
    });
    host.beforePage = (cursor) => {
      if (cursor === undefined) return;
      host.beforePage = () => {};
      host.firstPage = [prompted, ...host.firstPage];
      happens();
    };
    host.connected.fire();
    await brought;
    assert.deepEqual(catalogue.get(prompted.resource), prompted);
  });

  it('keeps what the host says of sessions on a page that came while later pages are under way', async () => {
    const { host, catalogue } = await connected();
    await catalogue.loadMore();
    host.beforePage = (cursor) => {
      if (cursor === undefined) return;
      host.on('root/sessionSummaryChanged').fire({ session: 'host-session:/new', changes: { title: 'Later' } });
      host.on('root/sessionAdded').fire({ summary: summary({ resource: 'host-session:/added' }) });
      host.on('root/sessionRemoved').fire({ session: 'host-session:/added' });
      host.on('root/sessionAdded').fire({ summary: summary({ resource: 'host-session:/stays' }) });
    };
    host.lastPage = [summary({ resource: 'host-session:/older' })];
    const fetched = new Promise<void>((resolve) => {
      catalogue.onDidChange(() => catalogue.get('host-session:/older') && resolve());
    });
    host.connected.fire();
    await fetched;
    assert.deepEqual(
      catalogue.sessions.map((it) => [it.resource, it.title]),
      [
        ['host-session:/new', 'Later'],
        ['host-session:/older', summary({}).title],
        ['host-session:/stays', summary({}).title],
      ],
    );
  });

  it('clears a member of a summary by null', () => {
    assert.equal('activity' in mergeSummary(summary({ activity: 'Reading' }), { activity: null }), false);
  });
});

describe('what needs a person', () => {
  it('is read from the sessions that need input, and from no other', async () => {
    const { host, catalogue } = await connected();
    const { request, session } = shellRequest('npm test');
    host.states.set(session.resource, { inputNeeded: [request] } as unknown as SessionState);
    const attention = new Attention(host.port, catalogue);
    assert.deepEqual(host.opened, []);
    host.on('root/sessionAdded').fire({ summary: session });
    assert.deepEqual(host.opened, [session.resource]);
    assert.deepEqual(
      attention.pending.map((it) => it.request),
      [request],
    );
    host.on('root/sessionSummaryChanged').fire({ session: session.resource, changes: { status: status.Idle } });
    assert.deepEqual(host.closed, [session.resource]);
    assert.deepEqual(attention.pending, []);
  });
});

describe('answers to a confirmation', () => {
  const { request } = shellRequest('npm test');
  if (request.kind !== 'toolConfirmation') throw new Error('unreachable');

  it('name the option, and carry a reason where one is given', () => {
    assert.deepEqual(decide(request, { option: 'allow-once' }), {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId: 'c1',
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: 'allow-once',
    });
    assert.deepEqual(decide(request, { option: 'deny-with-reason', reason: 'Use pnpm.' }), {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId: 'c1',
      approved: false,
      reason: 'denied',
      reasonMessage: 'Use pnpm.',
    });
  });
});
