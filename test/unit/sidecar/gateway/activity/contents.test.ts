import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Contents, MAX_HELD_BYTES } from '../../../../../sidecar/gateway/activity/content/contents.ts';
import type { CallContentRow } from '../../../../../sidecar/gateway/storage/database/activityTables.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import { callContext } from '../../../../support/gateway/callContext.ts';
import { verifies } from '../../../../support/verifies.ts';

const { caller } = callContext({ requestId: 'r', caller: { key: { token: 'k'.repeat(64) } } });
const MB = 1024 * 1024;

describe('requests and responses on their way to the database', () => {
  const written: CallContentRow[] = [];
  let isAway = false;
  const write = async (rows: readonly CallContentRow[]) => {
    if (isAway) throw new Fault('unavailable', 'away');
    written.push(...rows);
  };
  const opened = (maxBytes = MB) =>
    new Contents(
      { keepDays: 7, maxBytes, redactsPersonalData: false },
      { callContents: { write } as never },
      systemTimers,
      [],
    );

  it('are dropped and counted beyond what may be held, until some of them are written', async () => {
    verifies('gateway.content.bounded');
    const contents = opened();
    const call = (id: number) => {
      const it = contents.begin(caller);
      it?.request(Buffer.alloc(MB, 'a '));
      it?.end(`${id}`, id);
    };
    const fits = MAX_HELD_BYTES / MB;
    for (let id = 0; id < fits + 3; id += 1) call(id);
    assert.equal(contents.dropped, 3);
    await contents.write();
    assert.equal(written.length, fits);
    call(1_000);
    await contents.write();
    assert.equal(contents.dropped, 3);
    assert.equal(written.at(-1)?.request_id, '1000');
  });

  it('are given up as a whole in the middle of a call, and free their memory', () => {
    verifies('gateway.content.bounded');
    const contents = opened(MAX_HELD_BYTES);
    const large = contents.begin(caller);
    large?.response(Buffer.alloc(MAX_HELD_BYTES - 10));
    large?.response(Buffer.alloc(20));
    large?.response('more');
    large?.end('large', 1);
    assert.deepEqual([contents.dropped, contents.isEmpty], [1, true]);
    const next = contents.begin(caller);
    next?.request(Buffer.alloc(MAX_HELD_BYTES - 10));
    next?.end('next', 1);
    assert.equal(contents.isEmpty, false);
  });

  it('wait for a database that is away, and are written once', async () => {
    const contents = opened();
    const call = contents.begin(caller);
    call?.request('{"a":1}');
    call?.response('piece one, ');
    call?.response(Buffer.from('piece two \0'));
    call?.end('waits', 5);
    call?.end('again', 6);
    isAway = true;
    await assert.rejects(contents.write(), { code: 'unavailable' });
    isAway = false;
    written.length = 0;
    await contents.write();
    await contents.write();
    assert.deepEqual(written, [
      {
        ...{ request_id: 'waits', at_ms: 5, request: '{"a":1}', response: 'piece one, piece two \uFFFD' },
        ...{ request_bytes: 7, response_bytes: 22, request_cut: 0, response_cut: 0 },
      },
    ]);
  });

  it('are cleaned one by one, and other work goes on in between', async () => {
    const contents = opened();
    for (const id of ['a', 'b', 'c', 'd']) {
      const call = contents.begin(caller);
      call?.request(id);
      call?.end(id, 1);
    }
    let turns = 0;
    const turn = () => {
      turns += 1;
      if (!contents.isEmpty) systemTimers.soon(turn);
    };
    systemTimers.soon(turn);
    await contents.write();
    assert.ok(turns >= 4, `${turns}`);
  });

  it('are nothing for a call without any', () => {
    const contents = opened();
    contents.begin(caller)?.end('none', 1);
    assert.equal(contents.isEmpty, true);
  });
});
