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
});
