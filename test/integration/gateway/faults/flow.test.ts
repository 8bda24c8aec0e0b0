import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { speakAll } from '../../../support/gateway/backendAnswers.ts';
import { eventOn, misbehave, registerBad, startCall, surfaces } from '../../../support/gateway/callSurfaces.ts';
import { openSocket, requestLines, speak } from '../../../support/gateway/rawHttp.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const events = { 'content-type': 'text/event-stream' };
const streams = ['mcp', 'a2aStream', 'cloud'] as const;
const megabyte = 1_048_576;

/** Issue C, done when 3, and 13 of the gateway's front: floods are slowed down to their reader, and breaks are not hidden. */
describe('an answer that flows through the whole gateway', () => {
  let stand: Stand;
  let key: string;

  beforeEach(async () => {
    stand = await openStand();
    await registerBad(stand);
    key = await stand.addKey();
  });
  afterEach(() => stand.close());

  const lines = (surface: (typeof streams)[number]) => {
    const { path, body } = surfaces[surface];
    const headers = [
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
    ];
    return requestLines(
      stand.base,
      `POST ${path} HTTP/1.1`,
      [...headers, `Content-Length: ${Buffer.byteLength(body)}`],
      body,
    );
  };

  const padding = 'y'.repeat(65_000);

  for (const surface of streams) {
    it(`is held back for a reader of ${surface} who does not read, and ends at the backend when they leave`, async () => {
      let poured = 0;
      let closed: Promise<unknown> | undefined;
      misbehave(stand, (heard, response) => {
        if (heard.body.includes('notifications/cancelled')) return void response.writeHead(202).end();
        closed = once(response, 'close');
        response.writeHead(200, events);
        pour(response, eventOn(surface, padding), 400 * megabyte, (bytes) => (poured += bytes));
      });
      const socket = await openSocket(stand.base);
      socket.write(lines(surface));
      await once(socket, 'readable'); // and nothing is read
      await stand.addServer({ alias: 'good', url: `${stand.backend.url}/mcp/good` });
      const good = stand.mcp('/good/mcp', key);
      const act = stand.backend.answer;
      stand.backend.answer = (heard, response) =>
        heard.path === '/mcp/good' ? speakAll(heard, response) : act(heard, response);
      const before = process.memoryUsage().rss;
      // Others go on meanwhile, through the same process, for long enough for all of it to have come.
      for (let at = 0; at < 200; at += 1) assert.equal((await good.call('echo')).status, 200);
      assert.ok(poured < 40 * megabyte, `${poured / megabyte} MB came for a reader that reads nothing`);
      assert.ok(process.memoryUsage().rss - before < 100 * megabyte, 'memory grew with it');
      socket.destroy();
      await closed;
      const records = await stand.records(201);
      assert.deepEqual(records.filter((it) => it.status === 'failure').length, 1);
    });
  }

  it('is cut where it breaks, for the reader of a pass-through: the bytes that came, and no end and no words of ours; a stream of an agent says that it broke', async () => {
    const printed: unknown[] = [];
    const { error, info } = console;
    Object.assign(console, { error: (it: unknown) => printed.push(it), info: (it: unknown) => printed.push(it) });
    try {
      for (const surface of streams) {
        misbehave(stand, (_heard, response) =>
          response.writeHead(200, events).write('data: {"half', () => response.destroy()),
        );
        const { status, body } = await speak(stand.base, lines(surface));
        assert.deepEqual([surface, status], [surface, 200]);
        if (surface === 'cloud') assert.equal(body, 'data: {"half');
        if (surface === 'a2aStream') {
          assert.match(
            body,
            /^data: \{"jsonrpc":"2.0","id":7,"error":\{[^}]*The stream from the A2A agent was interrupted\.[^}]*\}\}\s+$/,
          );
        }
      }
      misbehave(stand, (_heard, response) => {
        response.writeHead(200, { 'content-length': '100' }).flushHeaders();
        setImmediate(() => response.destroy());
      });
      assert.doesNotMatch((await speak(stand.base, lines('cloud'))).body, /Error|closed|UND_ERR/);
    } finally {
      Object.assign(console, { error, info });
    }
    assert.deepEqual(printed, [], 'something was printed past the log');
    assert.match(stand.logLines.join('\n'), /A stream to a caller was interrupted/);
    await stand.records(4);
  });

  it('begins for its reader before it has ended', async () => {
    for (const surface of streams) {
      let open: ServerResponse | undefined;
      misbehave(stand, (_heard, response) => {
        open = response;
        response.writeHead(200, events).write(eventOn(surface, padding));
      });
      const response = await startCall(stand, surface, key);
      const reader = response.body?.getReader();
      assert.match(new TextDecoder().decode((await reader?.read())?.value), /^data: /);
      open?.end('data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n');
      while (!(await reader?.read())?.done);
    }
    assert.deepEqual(
      (await stand.records(3)).map((it) => it.status),
      ['success', 'success', 'success'],
    );
  });

  it('is refused where the request is larger than the limit, before a backend hears of it', async () => {
    verifies('gateway.error.too-large');
    await stand.close();
    stand = await openStand({ limits: { maxBodyBytes: 10_000 } });
    await registerBad(stand);
    key = await stand.addKey();
    const large = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"any","arguments":{"x":"${'y'.repeat(20_000)}"}}}`;
    const chunked = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    for (const [path, expected] of [
      ['/bad/mcp', 413],
      ['/mcp', 413],
      ['/mcp-rest/tools/call', 413],
      ['/a2a/bad', 413],
    ] as const) {
      const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json'];
      const first = `POST ${path} HTTP/1.1`;
      const said = await speak(
        stand.base,
        requestLines(stand.base, first, [...headers, `Content-Length: ${large.length}`], large),
      );
      assert.deepEqual([path, said.status], [path, expected]);
      const flowed = await speak(
        stand.base,
        requestLines(stand.base, first, [...headers, 'Transfer-Encoding: chunked'], chunked),
      );
      assert.deepEqual([path, flowed.status], [path, expected]);
    }
    assert.deepEqual(stand.backend.heard, []);
  });

  it('is no endless body without a key: it is let go at the limit', async () => {
    await stand.close();
    stand = await openStand({ limits: { maxBodyBytes: 10_000 } });
    const socket = await openSocket(stand.base);
    socket.on('error', () => undefined).resume();
    let sent = 0;
    socket.write(
      requestLines(stand.base, 'POST /a2a/any HTTP/1.1', [
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ]),
    );
    const chunk = `10000\r\n${'z'.repeat(65_536)}\r\n`;
    const more = () => {
      while (!socket.destroyed && sent < 400 * megabyte && socket.write(chunk)) sent += chunk.length;
      if (!socket.destroyed && sent < 400 * megabyte) socket.once('drain', more);
    };
    more();
    await until('the gateway closed the connection', () => socket.destroyed);
    assert.ok(sent < 60 * megabyte, `${sent / megabyte} MB were taken from nobody`);
  });
});

/** Writes one piece again and again, for as long as somebody takes it. */
function pour(response: ServerResponse, piece: string, most: number, wrote: (bytes: number) => void): void {
  let total = 0;
  const next = () => {
    while (!response.destroyed && total < most) {
      total += piece.length;
      wrote(piece.length);
      if (!response.write(piece)) {
        response.once('drain', next);
        return;
      }
    }
  };
  next();
}
