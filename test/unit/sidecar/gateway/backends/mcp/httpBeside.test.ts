import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { HttpConnection } from '../../../../../../sidecar/gateway/backends/mcp/httpConnection.ts';
import { systemTimers } from '../../../../../../sidecar/platform/timers.ts';
import {
  answer,
  call,
  eventsOf,
  hello,
  type LineOptions,
  lineTo,
  note,
  target,
} from '../../../../../support/mcp/httpLine.ts';
import { events, json, scriptedSend } from '../../../../../support/mcp/scriptedSend.ts';

describe('what is sent beside requests over HTTP', () => {
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;

  it('goes out as a POST in the session, and its answer is read', async () => {
    const { connection, server, options } = lineTo(() => undefined, { session: 's' });
    await connection.send(initialized, { ...options, headers: { 'x-own': '1' } });
    const [sent] = server.sent;
    assert.deepEqual([sent?.headers['mcp-session-id'], sent?.headers['x-own'], server.open()], ['s', '1', 0]);
    assert.deepEqual(server.messages(), [initialized]);
  });

  const failures: readonly [status: number | Error, session: string | undefined, failure: object | undefined][] = [
    [399, 's', undefined],
    [400, undefined, { kind: 'status', status: 400, mayHaveRun: false }],
    [404, undefined, { kind: 'status', status: 404 }],
    [404, 's', { kind: 'session_lost', mayHaveRun: false }],
    [new Error('socket'), 's', { kind: 'ended' }],
  ];
  for (const [status, session, failure] of failures)
    it(`${failure ? 'fails' : 'goes well'} with ${String(status)} ${session ? 'in' : 'without'} a session`, async () => {
      const server = scriptedSend(() => (status instanceof Error ? status : { status, body: ['x'] }));
      const connection = new HttpConnection({
        target,
        era: 'legacy',
        isShared: false,
        timers: systemTimers,
        newId: () => '1',
      });
      connection.adopt(hello, session);
      const told = connection.send(initialized, { outbound: server.outbound, signal: new AbortController().signal });
      if (failure) await assert.rejects(told, failure);
      else await told;
      assert.equal(server.open(), 0);
    });

  it('asks for what the server says by itself in the session, from where the client was', async () => {
    const line = lineTo(() => events([note]), { session: 's' });
    let isSent = false;
    const onSent = () => (isSent = true);
    const stream = await line.connection.listen('e9', { ...line.options, headers: { 'x-own': '1' }, onSent });
    assert.equal(isSent, true);
    const seen = await eventsOf({ kind: 'stream', events: stream ?? (async function* () {})() });
    assert.equal(seen.length, 1);
    await line.connection.listen(undefined, line.options);
    const [first, second] = line.server.sent;
    assert.deepEqual(first, {
      method: 'GET',
      url: target.url,
      headers: {
        accept: 'text/event-stream',
        'mcp-session-id': 's',
        'mcp-protocol-version': '2025-11-25',
        'x-own': '1',
        'last-event-id': 'e9',
      },
      onSent,
    });
    assert.equal(second && 'last-event-id' in second.headers, false);
  });

  it('has no such stream where the server says no, and in the newer era', async () => {
    const no = lineTo(() => ({ status: 405, body: ['no'] }), { session: 's' });
    assert.equal(await no.connection.listen(undefined, no.options), undefined);
    assert.equal(no.server.open(), 0);
    const text = lineTo(() => json('{}'), { session: 's' });
    assert.equal(await text.connection.listen(undefined, text.options), undefined);
    const modern = lineTo(() => events([note]), { era: 'modern' });
    assert.equal(await modern.connection.listen(undefined, modern.options), undefined);
    assert.equal(modern.server.sent.length, 0);
    const lost = lineTo(() => ({ status: 404 }), { session: 's' });
    await assert.rejects(lost.connection.listen(undefined, lost.options), { kind: 'session_lost' });
    const gone = lineTo(() => new Error('socket'));
    await assert.rejects(gone.connection.listen(undefined, gone.options), { name: 'BackendFailure', kind: 'ended' });
  });

  const closings: readonly [says: string, LineOptions, used: boolean, isKept: boolean, deletes: number][] = [
    ['its session', { session: 's' }, true, false, 1],
    ['no session that goes on', { session: 's' }, true, true, 0],
    ['no session that nobody used', { session: 's' }, false, false, 0],
    ['nothing where there is no session', {}, true, false, 0],
  ];
  for (const [says, more, isUsed, isKept, deletes] of closings)
    it(`ends ${says} when it is closed, once`, async () => {
      const line = lineTo((_, method) => (method === 'DELETE' ? { body: ['bye'] } : json(answer())), more);
      if (isUsed) await line.connection.request(call, line.options);
      for (const _ of [1, 2]) await line.connection.close(isKept);
      const ends = line.server.sent.filter((it) => it.method === 'DELETE');
      assert.deepEqual(
        ends.map(({ url, headers }) => [url, headers['mcp-session-id']]),
        Array.from({ length: deletes }, () => [target.url, 's']),
      );
      assert.deepEqual([line.server.open(), line.connection.isClosed], [0, true]);
    });

  it('is closed also where the server is gone', async () => {
    const line = lineTo((_, method) => (method === 'DELETE' ? new Error('gone') : events([note])), { session: 's' });
    await line.connection.listen(undefined, line.options);
    await line.connection.close();
    assert.deepEqual(
      line.server.sent.map((it) => it.method),
      ['GET', 'DELETE'],
    );
  });
});
