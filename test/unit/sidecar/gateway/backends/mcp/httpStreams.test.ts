import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { answer, call, eventsOf, type LineOptions, lineTo, note } from '../../../../../support/mcp/httpLine.ts';
import { events, type Scripted } from '../../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../../support/until.ts';

describe('a stream that answers a request over HTTP', () => {
  it('ends with the answer, whatever follows, and brings ids and times to wait', async () => {
    const line = lineTo(() =>
      events(['id: e1\nretry: 5\ndata:\n\n', note, answer(8), answer(), note], { hangs: true }),
    );
    const seen = await eventsOf(await line.connection.request(call, line.options));
    assert.deepEqual(
      { ...seen[0], data: seen[0]?.data.toString() },
      { id: 'e1', retryMs: 5, message: undefined, data: '' },
    );
    const expected = [{ jsonrpc: '2.0', ...note }, answer(8), answer()];
    assert.deepEqual(
      seen.slice(1).map((it) => JSON.parse(it.data.toString()) as unknown),
      expected,
    );
    assert.deepEqual(
      seen.slice(1).map((it) => it.message?.message),
      expected,
    );
    assert.deepEqual([line.server.open(), line.methods(), line.connection.isBusy], [0, ['tools/call'], false]);
  });

  const broken: readonly [says: string, Scripted, LineOptions, failure: object | undefined, cancelled: boolean][] = [
    ['ends before the answer', events([note]), {}, { kind: 'ended', mayHaveRun: true }, false],
    ['ends at an event with an id', events(['id: 1\ndata:\n\n']), {}, undefined, false],
    [
      'ends at an event with an id, for one of several callers',
      events(['id: 1\ndata:\n\n']),
      { isShared: true },
      { kind: 'ended' },
      false,
    ],
    ['ends before any event', events([]), {}, undefined, false],
    ['ends before any event, for one of several callers', events([]), { isShared: true }, { kind: 'ended' }, false],
    ['ends before any event in the modern era', events([]), { era: 'modern' }, { kind: 'ended' }, false],
    ['breaks', events([note, new Error('reset')]), {}, { kind: 'ended', mayHaveRun: true }, false],
    ['holds no message', events(['data: x\n\n', answer()]), {}, { kind: 'garbage' }, false],
    [
      'holds one of two minds',
      events(['data: {"jsonrpc":"2.0","method":"a","method":"b"}\n\n']),
      {},
      { kind: 'garbage' },
      false,
    ],
    ['floods', events([`data: ${'x'.repeat(1_001)}`]), {}, { kind: 'too_large' }, false],
    ['falls silent', events([note], { hangs: true }), { timeoutMs: 20 }, { kind: 'timeout', mayHaveRun: true }, true],
  ];
  for (const [says, script, more, failure, isCancelled] of broken)
    it(`and ${says} ${failure ? 'fails' : 'is left to its caller'}, ${isCancelled ? 'and the server is told' : 'and there is nothing to cancel'}`, async () => {
      const line = lineTo(() => script, more);
      const reading = eventsOf(await line.connection.request(call, line.options));
      if (failure) await assert.rejects(reading, failure);
      else await reading;
      assert.deepEqual([line.server.open(), line.connection.isBusy], [0, false]);
      assert.deepEqual(line.methods(), ['tools/call', ...(isCancelled ? ['notifications/cancelled'] : [])]);
    });

  const leaves: readonly [says: string, LineOptions, cancelled: readonly unknown[]][] = [
    ['is told', {}, [7]],
    ['is told under the id that it knows', { isShared: true }, ['sb-id-1']],
    ['sees its stream close in the newer era', { era: 'modern' }, []],
    ['is told nothing before the handshake', { isNew: true }, []],
  ];
  for (const [says, more, cancelled] of leaves)
    it(`and whose reader leaves ends, and the server ${says}`, async () => {
      const line = lineTo(() => events([note, note], { hangs: true }), more);
      const seen = await eventsOf(await line.connection.request(call, line.options), 1);
      assert.equal(seen.length, 1);
      const { server } = line;
      assert.equal(line.connection.isBusy, false);
      await until('nothing is left open', () => server.open() === 0);
      const notes = server.messages().filter((it) => it['method'] === 'notifications/cancelled');
      assert.deepEqual(
        notes.map((it) => (it['params'] as { requestId: unknown }).requestId),
        cancelled,
      );
    });

  it('is canceled before its session ends, even if both happen at the same moment', async () => {
    const cancelling = Promise.withResolvers<Scripted>();
    const ended: string[] = [];
    const line = lineTo(
      (name, httpMethod) => {
        if (httpMethod === 'DELETE') return { status: 200 };
        return name === undefined ? undefined : events([note], { hangs: true });
      },
      { session: 's' },
    );
    const send = line.server.outbound.send;
    const outbound = {
      ...line.server.outbound,
      send: async (...[request, signal]: Parameters<typeof send>) => {
        ended.push(`${request.method} ${request.body === undefined ? '' : String(JSON.parse(request.body).method)}`);
        if (request.body?.includes('notifications/cancelled')) await cancelling.promise;
        return send(request, signal);
      },
    };
    const caller = new AbortController();
    const reading = line.connection.request(call, { outbound, signal: caller.signal }).then((reply) => eventsOf(reply));
    await until('the call is on its way', () => line.connection.isBusy && line.server.open() === 1);
    caller.abort();
    const closing = line.connection.close();
    await assert.rejects(reading, { kind: 'cancelled' });
    assert.deepEqual(ended, ['POST tools/call', 'POST notifications/cancelled']);
    cancelling.resolve({});
    await closing;
    assert.deepEqual(ended.slice(2), ['DELETE ']);
  });

  it('is not read by a caller that left before, or leaves while nothing comes: both cancel once', async () => {
    for (const script of [undefined, events([note], { hangs: true })]) {
      const line = lineTo(() => script);
      const caller = new AbortController();
      const work = line.connection
        .request(call, { ...line.options, signal: caller.signal })
        .then((reply) => eventsOf(reply));
      await until('the request is under way', () => line.server.sent.length === 1);
      caller.abort();
      await assert.rejects(work, { kind: 'cancelled' });
      assert.deepEqual(line.methods(), ['tools/call', 'notifications/cancelled']);
      assert.deepEqual([line.server.open(), line.connection.isBusy], [0, false]);
    }
  });
});
