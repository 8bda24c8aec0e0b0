import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { CLIENT_GRACE_MS, type ClientRecord, Clients } from '../../../../../sidecar/host/rpc/clients.ts';
import { testWindow } from '../../../../support/host/hostPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

/** How many names stay bound to who used them. */
const MOST_NAMES = 10_000;

describe('a client that the host knows', () => {
  let nowMs: number;
  let due: Map<object, { readonly atMs: number; readonly work: () => void }>;
  let clients: Clients;
  const forgotten: ClientRecord[] = [];
  beforeEach(() => {
    nowMs = 0;
    due = new Map();
    forgotten.length = 0;
    clients = new Clients(
      {
        after(delayMs, work) {
          const key = {};
          due.set(key, { atMs: nowMs + delayMs, work });
          return () => void due.delete(key);
        },
      },
      (it) => void forgotten.push(it),
    );
  });
  function pass(ms: number): void {
    nowMs += ms;
    for (const [key, { atMs, work }] of due) {
      if (atMs > nowMs) continue;
      due.delete(key);
      work();
    }
  }
  const [first, second, third] = [{ is: 'first' }, { is: 'second' }, { is: 'third' }];
  const come = (connection: object, clientId = 'c1') => clients.add(clientId, '0.7.0', connection);

  it('is kept without a connection for the time of grace, then forgotten once', () => {
    const record = come(first);
    assert.deepEqual(clients.connected(), [record]);
    clients.leave(record, first);
    assert.deepEqual([clients.connected(), clients.known(), clients.get('c1')], [[], [record], record]);
    pass(CLIENT_GRACE_MS - 1);
    assert.deepEqual(forgotten, []);
    pass(1);
    assert.deepEqual([clients.known(), clients.get('c1'), forgotten], [[], undefined, [record]]);
    pass(CLIENT_GRACE_MS);
    assert.equal(forgotten.length, 1);
  });

  it('stays when it comes back in time, and the end of its earlier connection changes nothing', () => {
    const record = come(first);
    clients.leave(record, first);
    pass(CLIENT_GRACE_MS - 1);
    clients.resume(record, second);
    pass(CLIENT_GRACE_MS);
    clients.resume(record, third);
    clients.leave(record, second);
    pass(CLIENT_GRACE_MS);
    assert.deepEqual([clients.connected(), forgotten, due.size], [[record], [], 0]);
  });

  it('is another one after a new handshake under its name: what was known is gone at once', () => {
    const before = come(first);
    clients.leave(before, first);
    const now = come(second);
    assert.deepEqual([clients.get('c1'), clients.known(), forgotten, due.size], [now, [now], [before], 0]);
  });

  it('is not forgotten when the time is over of a connection whose name it took', () => {
    const before = come(first);
    const now = come(second);
    clients.leave(before, first);
    pass(CLIENT_GRACE_MS - 1);
    clients.leave(now, second);
    pass(1);
    clients.resume(now, third);
    pass(CLIENT_GRACE_MS);
    assert.deepEqual([clients.get('c1'), clients.connected()], [now, [now]]);
  });

  it('counts for as long as its connection lasts where another one took its name: what a person granted can be taken back', () => {
    const before = come(first);
    const now = come(second);
    assert.deepEqual([clients.connected().length, clients.known().length, forgotten], [2, 2, [before]]);
    const grant = (id: string) => ({ id }) as ClientRecord['grants'][number];
    before.grants.push(grant('a'), grant('b'));
    now.grants.push(grant('c'));
    assert.deepEqual([clients.withdraw('b'), clients.withdraw('b'), clients.withdraw('c')], [true, false, true]);
    assert.deepEqual([before.grants, now.grants], [[grant('a')], []]);
    clients.leave(before, first);
    assert.deepEqual([clients.known(), forgotten, due.size], [[now], [before, before], 0]);
  });

  it('has one window with whoever declares the same, also with one that broke off, and its own otherwise', () => {
    const [one, two] = [come(first, 'c1'), come(second, 'c2')];
    clients.setWindow(one, { ...testWindow });
    clients.setWindow(two, { ...testWindow });
    assert.equal(two.window, one.window);
    clients.setWindow(two, { ...testWindow, trusted: false });
    assert.deepEqual([one.window?.trusted, two.window?.trusted], [true, false]);
    clients.leave(one, first);
    const three = come(third, 'c3');
    clients.setWindow(three, { ...testWindow });
    assert.equal(three.window, one.window);
    clients.setWindow(three, undefined);
    assert.equal(three.window, undefined);
  });

  it('has no channel any more that is gone, connected or not', () => {
    const records = [come(first, 'taken'), come(second, 'taken'), come(third, 'away')];
    for (const it of records) for (const channel of ['gone', 'there']) it.baselines.add(channel);
    clients.leave(records[2]!, third);
    clients.dropChannel('gone');
    assert.deepEqual(
      records.map((it) => [...it.baselines]),
      [['there'], ['there'], ['there']],
    );
  });

  it('waits for nothing after the host is closed', () => {
    clients.leave(come(first), first);
    clients.close();
    assert.equal(due.size, 0);
  });

  it('leaves its name to its credential alone, also when it is forgotten', () => {
    verifies('host.client.id-bound');
    const isFree = () => [undefined, 'one', 'two'].map((it) => clients.isFree('c1', it));
    assert.deepEqual(isFree(), [true, true, true]);
    clients.bind('c1', 'one');
    assert.deepEqual(isFree(), [false, true, false]);
    clients.leave(come(first), first);
    pass(CLIENT_GRACE_MS);
    assert.deepEqual(isFree(), [false, true, false]);
    clients.bind('local', undefined);
    assert.deepEqual([clients.isFree('local', undefined), clients.isFree('local', 'one')], [true, false]);
  });

  it('keeps its name while it is known, however many others come; of the rest the oldest are let go', () => {
    verifies('host.client.id-bound');
    const name = (n: number) => `n${n}`;
    for (let n = 0; n < MOST_NAMES; n += 1) clients.bind(name(n), 'one');
    come(first, name(0));
    const isBound = (n: number) => !clients.isFree(name(n), 'two');
    clients.bind(name(5), 'one');
    assert.deepEqual([0, 1, 2, MOST_NAMES - 1].map(isBound), [true, true, true, true]);
    clients.bind(name(MOST_NAMES), 'one');
    assert.deepEqual([0, 1, 2, MOST_NAMES - 1, MOST_NAMES].map(isBound), [true, false, true, true, true]);
  });
});
