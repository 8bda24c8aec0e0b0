import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { Account } from '../../../../../../sidecar/host/turns/budgets/accounts.ts';
import { dayOf, Ledger, type LedgerDeps } from '../../../../../../sidecar/host/turns/budgets/ledger.ts';
import { accountsOf, passedBy, quotasOf } from '../../../../../../sidecar/host/turns/budgets/quotas.ts';
import type { Spent } from '../../../../../../sidecar/protocol/channels/session/budgets.ts';
import { verifies } from '../../../../../support/verifies.ts';

const keyOf = (account: string, day: string) => `${day} ${account}`;

/** Keeps rows in memory, and counts reads and writes. */
function openRows() {
  const rows = new Map<string, Spent>();
  const counts = { reads: 0, writes: 0 };
  const spending: LedgerDeps['storage']['spending'] = {
    get(account, day) {
      counts.reads += 1;
      return rows.get(keyOf(account, day));
    },
    put(account, day, spent) {
      counts.writes += 1;
      rows.set(keyOf(account, day), spent);
    },
    remove: (account) => void rows.delete(keyOf(account, '')),
    removeBefore(before) {
      for (const key of rows.keys()) {
        const day = key.slice(0, key.indexOf(' '));
        if (day !== '' && day < before) rows.delete(key);
      }
    },
  };
  return { rows, counts, deps: { storage: { spending }, store: { writeRows: (write: () => void) => write() } } };
}

const session = (name: string, day = '2026-03-01') => accountsOf({ session: name, folders: ['file:///f'], day });
const all: Account = { name: 'all', day: '' };

describe('the ledger of calls to models', () => {
  it('never lets calls that run at the same time exceed a budget together, whatever they cost', () => {
    verifies('host.budgets.together');
    const steps = fc.array(
      fc.record({
        isEnd: fc.boolean(),
        at: fc.nat(20),
        most: fc.integer({ min: 0, max: 60 }),
        share: fc.integer({ min: 0, max: 100 }),
      }),
      { maxLength: 60 },
    );
    const limits = fc.record({ calls: fc.integer({ min: 1, max: 12 }), cents: fc.integer({ min: 1, max: 200 }) });
    fc.assert(
      fc.property(steps, limits, (todo, { calls, cents }) => {
        const ledger = new Ledger(openRows().deps);
        const facts = { session: 's', folders: [], day: '2026-03-01' };
        const limit = { calls, dollars: cents / 100 };
        const own = { limit, isOwn: true, spent: { calls: 0, dollars: 0 } };
        const quotas = quotasOf(facts, own, undefined, (_account, it) => it);
        const running: { end: (dollars: number) => void; most: number }[] = [];
        for (const { isEnd, at, most, share } of todo) {
          if (isEnd) {
            const [call] = running.splice(at % Math.max(1, running.length), 1);
            call?.end((call.most * share) / 100);
          } else if (!passedBy(quotas, ledger, most / 100))
            running.push({ end: ledger.reserve(accountsOf(facts), most / 100), most: most / 100 });
          const [spent, aside] = [ledger.spent(quotas[0]!.account), ledger.reserved(quotas[0]!.account)];
          assert.equal(aside.calls, running.length);
          assert.ok(spent.calls + aside.calls <= calls);
          assert.ok(spent.dollars + aside.dollars <= cents / 100 + 1e-6);
        }
      }),
    );
  });

  it('adds up the calls of a day for that day alone, in whatever order they end', () => {
    verifies('host.budgets.kept');
    const calls = fc.array(fc.record({ day: fc.nat(3), cost: fc.nat(50), delay: fc.nat(5) }), { maxLength: 30 });
    fc.assert(
      fc.property(calls, (given) => {
        const { deps, rows } = openRows();
        const ledger = new Ledger(deps);
        const begun = given.toSorted((a, b) => a.day - b.day);
        const open: (() => void)[][] = [];
        const sums = new Map<string, number>();
        for (const [n, { day, cost, delay }] of begun.entries()) {
          const name = `2026-03-0${day + 1}`;
          const end = ledger.reserve(session('s', name), cost);
          (open[n + delay] ??= []).push(() => end(cost));
          sums.set(name, (sums.get(name) ?? 0) + cost);
          for (const it of open[n]?.splice(0) ?? []) it();
        }
        for (const it of open) for (const end of it ?? []) end();
        const total = begun.reduce((sum, it) => sum + it.cost, 0);
        assert.deepEqual(ledger.spent(all), { calls: begun.length, dollars: total });
        const last = [...sums].at(-1);
        if (!last) return;
        assert.equal(ledger.spent({ name: 'all', day: last[0] }).dollars, last[1]);
        // What a restart finds.
        assert.deepEqual(new Ledger(deps).spent(all), ledger.spent(all));
        assert.equal(new Ledger(deps).spent({ name: 'all', day: last[0] }).dollars, last[1]);
        assert.ok([...rows.keys()].length <= 3 + sums.size);
      }),
    );
  });

  it('reads and writes as much for a call after ten thousand as for the first', () => {
    const { deps, counts } = openRows();
    const ledger = new Ledger(deps);
    const costOf = () => {
      const before = { ...counts };
      ledger.reserve(session('s'), 1)(0.5);
      return [counts.reads - before.reads, counts.writes - before.writes];
    };
    costOf();
    const second = costOf();
    for (let n = 0; n < 10_000; n += 1) ledger.reserve(session('s'), 1)(0.5);
    assert.deepEqual(costOf(), second);
    assert.ok(second[1]! <= 4);
  });

  it('charges each call once, and nothing for a call that was not made', () => {
    const ledger = new Ledger(openRows().deps);
    ledger.reserve([all], 3)(undefined);
    const end = ledger.reserve([all], 3);
    end(1);
    end(1);
    assert.deepEqual(
      [ledger.spent(all), ledger.reserved(all)],
      [
        { calls: 1, dollars: 1 },
        { calls: 0, dollars: 0 },
      ],
    );
  });

  it('forgets a session, and what it spent still counts for all', () => {
    const { deps } = openRows();
    const ledger = new Ledger(deps);
    ledger.reserve(session('s'), 1)(1);
    ledger.forget('session s');
    assert.equal(new Ledger(deps).spent({ name: 'session s', day: '' }).calls, 0);
    assert.equal(new Ledger(deps).spent(all).calls, 1);
  });

  it('starts a day at midnight in the time zone', () => {
    const at = Date.parse('2026-03-01T03:30:00Z');
    assert.equal(dayOf(at, 'America/New_York'), '2026-02-28');
    assert.equal(dayOf(at, 'Europe/Berlin'), '2026-03-01');
    assert.equal(dayOf(Date.parse('2026-03-08T04:59:59Z'), 'America/New_York'), '2026-03-07');
    assert.equal(dayOf(Date.parse('2026-03-09T04:00:00Z'), 'America/New_York'), '2026-03-09');
  });
});
