import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Changes } from '../../../../../sidecar/gateway/storage/changes.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

describe('changes of other replicas', () => {
  it('that are told while changes are being read are read too, before whoever asked goes on', async () => {
    const rows: { seq: number; kind: string; id: string }[] = [];
    const reading: (() => void)[] = [];
    let after = 0;
    const query = {
      select: () => query,
      where(_column: string, _operator: string, seq: number) {
        after = seq;
        return query;
      },
      orderBy: () => query,
      async execute() {
        const found = rows.filter((it) => it.seq > after);
        await new Promise<void>((resolve) => void reading.push(resolve));
        return found;
      },
    };
    const db = { selectFrom: () => query } as never;
    const changes = new Changes(db, new StandingClock('2026-03-04T10:00:00.000Z'), true);
    const heard: string[] = [];
    changes.listen((kind, id) => void heard.push(`${kind} ${id}`));
    rows.push({ seq: 1, kind: 'key', id: 'a' });
    const first = changes.poll();
    rows.push({ seq: 2, kind: 'team', id: 'b' });
    const second = changes.poll();
    const both = Promise.all([first, second]).then(() => true);
    while (!(await Promise.race([both, Promise.resolve(false)]))) {
      reading.shift()?.();
      await new Promise((resolve) => void setImmediate(resolve));
    }
    assert.deepEqual(heard, ['key a', 'team b']);
  });

  /** A table of changes, read at once. */
  function open(rows: { seq: number; kind: string; id: string }[]) {
    let [after, isBroken] = [0, false];
    const asked: number[] = [];
    const query = {
      select: () => query,
      where(_column: string, _operator: string, seq: number) {
        after = seq;
        return query;
      },
      orderBy: () => query,
      async executeTakeFirst() {
        return { seq: rows.at(-1)?.seq ?? null };
      },
      async execute() {
        if (isBroken) throw new Error('the database does not answer');
        asked.push(after);
        return rows.filter((it) => it.seq > after);
      },
    };
    const db = { selectFrom: () => query } as never;
    const changes = new Changes(db, new StandingClock('2026-03-04T10:00:00.000Z'), true);
    const heard: string[] = [];
    changes.listen((kind, id) => void heard.push(`${kind} ${id}`));
    changes.listenEnded((id) => void heard.push(`ended ${id}`));
    return { changes, heard, asked, breakIt: (is: boolean) => void (isBroken = is) };
  }

  it('are told once, from the newest at the start on', async () => {
    const rows = [{ seq: 1, kind: 'key', id: 'before' }];
    const { changes, heard, asked } = open(rows);
    await changes.start();
    rows.push({ seq: 2, kind: 'key', id: 'a' }, { seq: 5, kind: 'ended_session', id: 's' });
    await changes.poll();
    rows.push({ seq: 6, kind: 'of_tomorrow', id: 'x' }, { seq: 7, kind: 'team', id: 'b' });
    await changes.poll();
    await changes.poll();
    assert.deepEqual(heard, ['key a', 'ended s', 'team b']);
    assert.deepEqual(asked, [1, 5, 7]);
  });

  it('are told after the database did not answer for a while', async () => {
    const rows = [{ seq: 1, kind: 'key', id: 'a' }];
    const { changes, heard, breakIt } = open(rows);
    breakIt(true);
    await assert.rejects(changes.poll(), { message: 'the database does not answer' });
    breakIt(false);
    await changes.poll();
    assert.deepEqual(heard, ['key a']);
  });

  it('are told to nobody who does not listen any more', async () => {
    const { changes } = open([{ seq: 1, kind: 'key', id: 'a' }]);
    const heard: string[] = [];
    changes.listen((_kind, id) => void heard.push(id))();
    await changes.poll();
    assert.deepEqual(heard, []);
  });
});
