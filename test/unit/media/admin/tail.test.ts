import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Tail, type Watch } from '../../../../media/admin/pages/logs/tail.ts';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import { verifies } from '../../../support/verifies.ts';

const call = (request_id: string, endTime: string) => ({ request_id, endTime }) as SpendLog;

describe('the log that a page follows', () => {
  function open() {
    const asked: { readonly after: string; readonly answer: (rows: readonly SpendLog[]) => Promise<void> }[] = [];
    let isSeen = true;
    let listener: (() => void) | undefined;
    let waiting: (() => void) | undefined;
    const watch: Watch = {
      isSeen: () => isSeen,
      onChange(given) {
        listener = given;
        return () => (listener = undefined);
      },
      later(run) {
        waiting = run;
        return () => (waiting = undefined);
      },
    };
    const host = { addController: () => undefined, requestUpdate: () => undefined } as never;
    const tail = new Tail(
      host,
      (after) =>
        new Promise((resolve) => {
          const answer = async (rows: readonly SpendLog[]) => {
            resolve(rows);
            await new Promise(setImmediate);
          };
          asked.push({ after, answer });
        }),
      watch,
    );
    return {
      tail,
      asked,
      ids: () => tail.rows.map((it) => it.request_id).join(' '),
      pass: () => waiting?.(),
      isWaiting: () => waiting !== undefined,
      isListening: () => listener !== undefined,
      show(value: boolean) {
        isSeen = value;
        listener?.();
      },
    };
  }
  const now = '2026-03-01T10:00:00.000Z';

  it('has new calls at its top, each once, and asks again for the last seconds', async () => {
    verifies('gateway.ui.live-logs');
    const { tail, asked, ids, pass } = open();
    tail.start([call('old', '2026-03-01T09:00:00.000Z')], now);
    assert.equal(asked[0]?.after, '2026-03-01T09:59:50.000Z');
    await asked[0]?.answer([call('b', '2026-03-01T10:00:04.000Z'), call('a', '2026-03-01T10:00:03.000Z')]);
    assert.equal(ids(), 'b a old');
    pass();
    assert.equal(asked[1]?.after, '2026-03-01T09:59:54.000Z');
    await asked[1]?.answer([call('late', '2026-03-01T10:00:03.500Z'), call('a', '2026-03-01T10:00:03.000Z')]);
    assert.equal(ids(), 'b late a old');
  });

  it('asks nothing while nobody can see the page, and goes on when somebody can', async () => {
    verifies('gateway.ui.live-logs');
    const { tail, asked, show, isWaiting } = open();
    tail.start([], now);
    await asked[0]?.answer([]);
    assert.equal(isWaiting(), true);
    show(false);
    assert.deepEqual([isWaiting(), asked.length], [false, 1]);
    show(true);
    assert.equal(asked.length, 2);
    show(false);
    await asked[1]?.answer([]);
    assert.equal(isWaiting(), false);
  });

  it('holds a bounded number of calls', async () => {
    verifies('gateway.ui.live-logs');
    const { tail, asked } = open();
    tail.start([], now);
    await asked[0]?.answer(Array.from({ length: 300 }, (_, at) => call(`r${at}`, now)));
    assert.equal(tail.rows.length, 200);
  });

  it('takes nothing and waits for nothing once it is stopped', async () => {
    verifies('gateway.ui.live-logs');
    const { tail, asked, ids, isWaiting, isListening } = open();
    tail.start([], now);
    tail.stop();
    await asked[0]?.answer([call('a', now)]);
    assert.deepEqual([ids(), isWaiting(), isListening(), tail.isOn], ['', false, false, false]);
  });
});
