import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  BatchSink,
  type BatchSinkOptions,
  MAX_WAITING_LINES,
} from '../../../../../../sidecar/gateway/activity/logs/batchSink.ts';
import { systemClock } from '../../../../../../sidecar/platform/clock.ts';
import { systemTimers } from '../../../../../../sidecar/platform/timers.ts';
import { type Listening, listen } from '../../../../../support/backends/listen.ts';
import { until } from '../../../../../support/until.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('a log that is sent in batches', () => {
  let server: Listening;
  let batches: string[];
  let headers: string[];
  /** How the next requests are answered; afterwards with 204. */
  let statuses: number[];
  let asked: number;
  let told: string[];
  let pauses: number[];
  let sink: BatchSink;
  beforeEach(async () => {
    [batches, headers, statuses, asked, told, pauses] = [[], [], [], 0, [], []];
    server = await listen(
      createServer((request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (it: string) => (body += it));
        request.on('end', () => {
          asked += 1;
          const status = statuses.shift() ?? 204;
          headers.push([request.headers['content-type'], request.headers['x-api-key']].join(' '));
          if (status < 300) batches.push(body);
          response.writeHead(status).end();
        });
      }),
    );
  });
  afterEach(async () => {
    await sink.close();
    await server.close();
  });

  const open = (options: Partial<BatchSinkOptions> = {}, deadline = systemTimers.deadline) => {
    sink = new BatchSink(
      {
        name: 'http',
        url: `${server.url}/in`,
        headers: { 'x-api-key': 'k' },
        allowPrivate: true,
        bodyOf: (lines) => ({ contentType: 'application/x-ndjson', body: lines.join('') }),
        ...options,
      },
      {
        clock: systemClock,
        // Pauses are written down, and take no time.
        timers: {
          ...systemTimers,
          deadline,
          after(ms, work) {
            pauses.push(ms);
            return systemTimers.after(0, work);
          },
        },
        trouble: {
          failed: (name) => told.push(`${name} failed`),
          recovered: (name, dropped) => told.push(`${name} recovered, ${dropped} dropped`),
        },
      },
    );
    return sink;
  };
  const lineOf = (n: number) => `{"n":${n}}\n`;
  const numbers = () => [...batches.join('').matchAll(/\d+/g)].map(Number);
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

  it('arrives whole and in order, with its credential, in few requests', async () => {
    verifies('gateway.logs.sent');
    open();
    for (const n of upTo(1_200)) sink.write(lineOf(n));
    await until('all lines arrived', () => numbers().length === 1_200);
    assert.deepEqual([numbers(), batches.length, sink.dropped], [upTo(1_200), 3, 0]);
    assert.deepEqual(new Set(headers), new Set(['application/x-ndjson k']));
  });

  it('is sent again until it is accepted, ever more rarely, and is neither lost nor sent twice', async () => {
    verifies('gateway.logs.sent');
    statuses = [503, 429, 500, 503];
    open();
    sink.write(lineOf(0));
    sink.write(lineOf(1));
    await until('the lines arrived', () => batches.length === 1);
    assert.deepEqual([numbers(), asked, sink.dropped], [[0, 1], 5, 0]);
    // The connection has timers of its own, of 30 seconds.
    const own = pauses.filter((it) => it < 30_000);
    assert.deepEqual(own, [1_000, 2_000, 4_000, 8_000, 16_000]);
    await until('that is told', () => told.length === 2);
    assert.deepEqual(told, ['http failed', 'http recovered, 0 dropped']);
  });

  it('loses only the batch that is refused for itself', async () => {
    verifies('gateway.logs.dropped');
    statuses = [400];
    open();
    sink.write(lineOf(0));
    await until('the batch is lost', () => sink.dropped === 1);
    sink.write(lineOf(1));
    await until('the next one arrived', () => batches.length === 1);
    assert.deepEqual(numbers(), [1]);
  });

  it('waits in a bounded queue while nobody is there, and what is too much is counted', async () => {
    verifies('gateway.logs.dropped');
    const { url } = server;
    await server.close();
    open({ url });
    for (const n of upTo(MAX_WAITING_LINES + 7)) sink.write(lineOf(n));
    await until('that is told', () => told.length === 1);
    assert.deepEqual([sink.dropped, told], [7, ['http failed']]);
    await sink.close();
    assert.equal(sink.dropped, MAX_WAITING_LINES + 7);
  });

  it('sends what waits when it is closed', async () => {
    verifies('gateway.logs.sent');
    open();
    for (const n of upTo(700)) sink.write(lineOf(n));
    await sink.close();
    assert.deepEqual([numbers(), sink.dropped], [upTo(700), 0]);
  });

  it('begins no request of its own once it is being closed', async () => {
    verifies('gateway.logs.sent');
    let closed: Promise<void> | undefined;
    open({
      bodyOf(lines) {
        queueMicrotask(() => {
          closed ??= sink.close();
        });
        return { contentType: 'application/x-ndjson', body: lines.join('') };
      },
    });
    for (const n of upTo(700)) sink.write(lineOf(n));
    await until('it is closed while it sends', () => closed !== undefined);
    await closed;
    const own = pauses.filter((it) => it < 30_000);
    assert.deepEqual([numbers(), own, sink.dropped, told], [upTo(700), [1_000], 0, []]);
  });

  it('is closed in bounded time, and what a slow service did not take by then is counted', async () => {
    verifies('gateway.logs.dropped');
    const limit = new AbortController();
    let limits = 0;
    let bodies = 0;
    open(
      {
        bodyOf(lines) {
          bodies += 1;
          if (bodies === 2) limit.abort();
          return { contentType: 'application/x-ndjson', body: lines.join('') };
        },
      },
      (ms) => (limits++ === 0 ? limit.signal : systemTimers.deadline(ms)),
    );
    for (const n of upTo(1_500)) sink.write(lineOf(n));
    await sink.close();
    assert.deepEqual([numbers(), bodies, sink.dropped], [upTo(500), 2, 1_000]);
  });

  it('reaches no private address that its configuration does not allow', async () => {
    verifies('gateway.logs.sent');
    open({ allowPrivate: false });
    sink.write(lineOf(0));
    await until('that is told', () => told.length === 1);
    assert.deepEqual([asked, told], [0, ['http failed']]);
  });
});
