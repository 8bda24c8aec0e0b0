import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Connection } from '../../../../src/client/connection.ts';
import { type Passed, type Tap, tapped } from '../../../../src/client/tap.ts';

describe('a tap over a connection', () => {
  const params = { channel: 'host-root://' };
  function open() {
    const heard: unknown[] = [];
    let send: (params: unknown) => void = () => undefined;
    const tap: Tap = {};
    const connection: Connection = tapped(
      {
        initializeResult: 'result',
        request: (method) => (method === 'wrong' ? Promise.reject(new Error('no')) : Promise.resolve('answer')),
        notify: () => Promise.resolve(),
        onNotification: (_, listener) => {
          send = listener;
          return { dispose: () => undefined };
        },
        onClosed: () => ({ dispose: () => undefined }),
      },
      tap,
    );
    connection.onNotification('action', (it) => heard.push(it));
    return { tap, connection, heard, send: (it: unknown) => send(it) };
  }

  it('lets messages pass while nobody watches', async () => {
    const { connection, heard, send } = open();
    assert.equal(connection.initializeResult, 'result');
    assert.equal(await connection.request('ask', params), 'answer');
    await assert.rejects(connection.request('wrong', params), /no/);
    send('told');
    assert.deepEqual(heard, ['told']);
  });

  it('shows requests, responses, errors and notifications of both directions to whoever watches', async () => {
    const { tap, connection, heard, send } = open();
    const seen: Passed[] = [];
    tap.watch = (it) => seen.push(it);
    await connection.request('ask', params);
    await assert.rejects(connection.request('wrong', params), /no/);
    await connection.notify('note', params);
    send(params);
    assert.deepEqual(heard, [params]);
    assert.deepEqual(
      seen.map((it) => `${it.direction} ${it.kind} ${it.method}`),
      [
        'sent request ask',
        'received answer ask',
        'sent request wrong',
        'received error wrong',
        'sent notification note',
        'received notification action',
      ],
    );
    assert.deepEqual([seen[1]?.body, seen[1]?.params], ['answer', params]);
  });

  it('shows nothing more when nobody watches any longer', async () => {
    const { tap, connection } = open();
    const seen: Passed[] = [];
    tap.watch = (it) => seen.push(it);
    const answered = connection.request('ask', params);
    tap.watch = undefined;
    await answered;
    assert.deepEqual(
      seen.map((it) => it.kind),
      ['request'],
    );
  });
});
