import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  type LastHead,
  ResponseReader,
} from '../../../../../../../sidecar/gateway/backends/net/http1/responseReader.ts';

interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
  readonly isReusable: boolean;
  readonly keepAliveMs: number | undefined;
}

/** Reads a response that arrives in these parts, after which the server closes the connection. @returns `undefined` if it is cut off */
function readParts(parts: readonly Buffer[], last?: LastHead): Read | undefined {
  let head: Pick<Read, 'status' | 'headers'> | undefined;
  const body: Buffer[] = [];
  let ends = 0;
  const reader = new ResponseReader(
    {
      head: (status, headers) => (head = { status, headers: { ...headers } }),
      data: (bytes) => void body.push(Buffer.from(bytes)),
      end: () => (ends += 1),
    },
    last,
  );
  for (const it of parts) reader.read(it);
  reader.closed();
  assert.equal(ends, reader.isOver ? 1 : 0);
  if (!head || !reader.isOver) return undefined;
  const { isReusable, keepAliveMs } = reader;
  return { ...head, body: Buffer.concat(body).toString('latin1'), isReusable, keepAliveMs };
}
const readWhole = (written: string, last?: LastHead) => readParts([Buffer.from(written, 'latin1')], last);

const ok = 'HTTP/1.1 200 OK\r\n';
const good: readonly (readonly [what: string, written: string, read: Partial<Read>])[] = [
  ['a counted body', `${ok}Content-Length: 4\r\n\r\nbody`, { status: 200, body: 'body', isReusable: true }],
  ['an empty body', `${ok}Content-Length: 0\r\n\r\n`, { body: '', isReusable: true }],
  [
    'chunks',
    `${ok}Transfer-Encoding: Chunked\r\n\r\n3\r\nbod\r\n1\r\ny\r\n0\r\n\r\n`,
    { body: 'body', isReusable: true },
  ],
  [
    'chunk extensions',
    `${ok}Transfer-Encoding: chunked\r\n\r\nA;a=b;c;d="e;"\r\n0123456789\r\n0\r\n\r\n`,
    { body: '0123456789' },
  ],
  [
    'trailers',
    `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\n`,
    { body: 'x', isReusable: true },
  ],
  ['a body until the end of the connection', `${ok}A: b\r\n\r\nbody`, { body: 'body', isReusable: false }],
  ['no body with status 204', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, body: '', isReusable: true }],
  ['no body with status 304', 'HTTP/1.1 304 \r\nContent-Length: 9\r\n\r\n', { status: 304, body: '' }],
  ['a status line without a reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', { status: 200 }],
  [
    'informational responses before it',
    `HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${ok}Content-Length: 1\r\n\r\nx`,
    { status: 200, body: 'x' },
  ],
  [
    'a connection that ends',
    `${ok}Connection: foo, Close\r\nContent-Length: 1\r\n\r\nx`,
    { body: 'x', isReusable: false },
  ],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx', { body: 'x', isReusable: false }],
  [
    'the time for which the server keeps the connection',
    `${ok}Keep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n`,
    { keepAliveMs: 5_000 },
  ],
  [
    'headers',
    `${ok}A:b\r\na: \t c \r\nSet-Cookie: \xe9\r\n__proto__: x\r\nContent-Length: 0\r\n\r\n`,
    {
      headers: Object.fromEntries([
        ['a', ['b', 'c']],
        ['set-cookie', '\xe9'],
        ['__proto__', 'x'],
        ['content-length', '0'],
      ]),
    },
  ],
];

const bad: readonly (readonly [what: string, written: string, words: RegExp])[] = [
  ['two lengths', `${ok}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n`, /two lengths/],
  ['a repeated length', `${ok}Content-Length: 4\r\nContent-Length: 4\r\n\r\n`, /length is not a number/],
  ['a list of lengths', `${ok}Content-Length: 4, 4\r\n\r\n`, /length is not a number/],
  ['a signed length', `${ok}Content-Length: +4\r\n\r\n`, /length is not a number/],
  ['another coding', `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n`, /coding is unknown/],
  ['a repeated coding', `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`, /coding is unknown/],
  ['white space after the coding', `${ok}Transfer-Encoding: chunked\t\r\n\r\n`, /coding is unknown/],
  ['a space before a colon', `${ok}Content-Length : 4\r\n\r\n`, /header is malformed/],
  ['a folded header', `${ok}A: b\r\n c\r\n\r\n`, /header is malformed/],
  ['a header without a name', `${ok}: b\r\n\r\n`, /header is malformed/],
  ['a line that ends with a line feed alone', `${ok}A: b\nContent-Length: 0\r\n\r\n`, /header is malformed/],
  ['a carriage return in a value', `${ok}A: b\rc\r\n\r\n`, /header is malformed/],
  ['U+0000 in a value', `${ok}A: b\0c\r\n\r\n`, /header is malformed/],
  ['another protocol', 'HTTP/2 200 OK\r\n\r\n', /not a status line/],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', /not a status line/],
  ['a switch to another protocol', 'HTTP/1.1 101 Switching\r\n\r\n', /protocol was switched/],
  ['a chunk size with a sign', `${ok}Transfer-Encoding: chunked\r\n\r\n-1\r\n`, /chunk size is not a number/],
  ['a chunk size with a prefix', `${ok}Transfer-Encoding: chunked\r\n\r\n0x1\r\n`, /chunk size is not a number/],
  [
    'a chunk size that overflows',
    `${ok}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(9)}\r\n`,
    /chunk size is not a number/,
  ],
  ['an endless chunk size', `${ok}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(2_000)}`, /chunk size is too long/],
  [
    'a chunk that is longer than its size',
    `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n`,
    /longer than its size/,
  ],
  ['a malformed trailer', `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\nA\r\n\r\n`, /header is malformed/],
  ['bytes after its end', `${ok}Content-Length: 1\r\n\r\nxHTTP`, /bytes follow/],
  ['an endless head', `${ok}A: ${'x'.repeat(40_000)}`, /Headers Overflow/],
  ['endless informational responses', 'HTTP/1.1 103 Early\r\nA: b\r\n\r\n'.repeat(2_000), /Headers Overflow/],
];

describe('the reader of responses from backends', () => {
  for (const [what, written, read] of good)
    it(`reads ${what}, however the bytes arrive`, () => {
      const whole = readWhole(written);
      assert.ok(whole);
      for (const name of Object.keys(read) as (keyof Read)[]) assert.deepEqual(whole[name], read[name], name);
      const bytes = Buffer.from(written, 'latin1');
      const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
      assert.deepEqual(readParts(single), whole);
      for (let at = 1; at < bytes.length; at += 1)
        assert.deepEqual(readParts([bytes.subarray(0, at), bytes.subarray(at)]), whole, `split at ${at}`);
    });

  for (const [what, written, words] of bad)
    it(`refuses ${what}, however the bytes arrive`, () => {
      assert.throws(() => readWhole(written), words);
      const bytes = Buffer.from(written, 'latin1');
      assert.throws(() => readParts(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))), words);
    });

  it('reads a response in the same way after every other one on the connection, and again after itself', () => {
    const short = bad.filter(([, written]) => written.length < 10_000);
    for (const [, before] of good) {
      const last: LastHead = { head: undefined };
      readWhole(before, last);
      for (const [, written, words] of short) assert.throws(() => readWhole(written, { ...last }), words);
      for (const [what, written] of good) {
        const one = { ...last };
        for (let count = 0; count < 2; count += 1) assert.deepEqual(readWhole(written, one), readWhole(written), what);
      }
    }
  });

  it('reads the new value if a header changes at the same length', () => {
    const last: LastHead = { head: undefined };
    const headOf = (date: string) => `${ok}Content-Length: 0\r\nDate: ${date}\r\nA: b\r\n\r\n`;
    const dates = ['10:00:00', '10:00:00', '10:00:01'].map((it) => readWhole(headOf(it), last)?.headers['date']);
    assert.deepEqual(dates, ['10:00:00', '10:00:00', '10:00:01']);
  });

  it('reads every response of a connection as the first one, whatever came before it and however the bytes arrive', () => {
    const names = ['Content-Length', 'transfer-encoding', 'Connection', 'Set-Cookie', 'set-cookie', 'Retry-After'];
    const values = ['0', '1', 'chunked', 'close', 'a=1', ' b,c\t', '', 'x'.repeat(1_500), '\xe9'];
    const line = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)).map((it) => it.join(':'));
    const other = fc.constantFrom(' folded', 'no colon', ': x', 'A : b', 'a\nb:c', '');
    const head = fc
      .tuple(
        fc.constantFrom('1.1 200', '1.1 200 OK', '1.0 200', '1.1 204', '1.1 304', '1.1 103', '1.1 101', '1.1 20'),
        fc.array(fc.oneof({ arbitrary: line, weight: 20 }, other), { maxLength: 5 }),
      )
      .map(([status, lines]) => [`HTTP/${status}`, ...lines, '\r\n'].join('\r\n'));
    const bodies = fc.constantFrom('', '0', '1\r\nx\r\n0\r\nSet-Cookie: t\r\n\r\n', '0\r\n\r\n');
    const response = fc
      .tuple(fc.array(head, { minLength: 1, maxLength: 2 }), bodies)
      .map(([heads, it]) => heads.join('') + it);
    const sent = fc.tuple(response, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }));
    const outcome = (parts: readonly Buffer[], last?: LastHead) => {
      try {
        return readParts(parts, last);
      } catch (thrown) {
        return String(thrown);
      }
    };
    let read = 0;
    fc.assert(
      fc.property(fc.array(sent, { minLength: 2, maxLength: 8 }), (all) => {
        const last: LastHead = { head: undefined };
        // Each one twice: a server repeats itself.
        for (const [written, cuts] of all.flatMap((it) => [it, it])) {
          const bytes = Buffer.from(written, 'latin1');
          const ends = [...cuts.map((it) => Math.floor(it * bytes.length)).sort((a, b) => a - b), bytes.length];
          const parts = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
          const first = outcome([bytes]);
          assert.deepEqual(outcome(parts, last), first, JSON.stringify(written));
          if (typeof first === 'object') read += 1;
        }
      }),
      { numRuns: 500, seed: 1 },
    );
    assert.ok(read > 500, `${read} responses were read`);
  });

  it('keeps of earlier heads no more than the last one, even if each of its lines was sent at another time', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    const connections = Array.from({ length: 20 }, (): LastHead => ({ head: undefined }));
    for (const last of connections) {
      const lines = Array.from({ length: 200 }, () => 'a: 0123456789');
      for (let at = 0; at < lines.length; at += 1) {
        lines[at] = `b: ${1_000_000_000 + at}`;
        assert.ok(readWhole(`${ok}Content-Length: 0\r\n${lines.join('\r\n')}\r\n\r\n`, last));
      }
    }
    const kept = heap() - before;
    // A head with its lines takes about 30 KB. If each line kept its whole head, it would take 700 KB.
    assert.ok(kept < connections.length * 150_000, `${kept} bytes for ${connections.length} connections`);
  });

  it('reports no response if the connection ends too early', () => {
    for (const [, written] of good) {
      if (readWhole(written)?.isReusable)
        for (let at = 0; at < written.length; at += 1) {
          const cut = readWhole(written.slice(0, at));
          // Only the end of the connection can end a body whose head does not contain its length yet.
          assert.equal(cut, undefined, JSON.stringify(written.slice(0, at)));
        }
    }
  });

  it('passes on the chunks that arrive together as one piece', () => {
    const pieces: string[] = [];
    const reader = new ResponseReader({
      head: () => undefined,
      data: (bytes) => void pieces.push(bytes.toString()),
      end: () => pieces.push('end'),
    });
    reader.read(Buffer.from(`${ok}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(3)}1\r`));
    reader.read(Buffer.from('\ny\r\n1\r\nz\r\n0\r\n\r\n'));
    assert.deepEqual(pieces, ['xxx', 'yz', 'end']);
  });

  it('passes on the bytes of the body before a fault, however they arrive', () => {
    const written = Buffer.from(`${ok}Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\nzz\r\n`);
    for (let at = 0; at < written.length; at += 1) {
      let body = '';
      const data = (bytes: Buffer) => void (body += bytes.toString());
      const reader = new ResponseReader({ head: () => undefined, data, end: () => undefined });
      assert.throws(() => {
        reader.read(written.subarray(0, at));
        reader.read(written.subarray(at));
      });
      assert.equal(body, 'body', `cut at ${at}`);
    }
  });

  it('reads a head in time that grows only with its length', () => {
    const blanks = ' '.repeat(16_000);
    const start = process.cpuUsage(); // not the clock, which goes on while other processes have the processor
    for (let count = 0; count < 50; count += 1) {
      const read = readWhole(`${ok}A:${blanks}x${blanks}y\r\nContent-Length: 0\r\n\r\n`);
      assert.equal(read?.headers['a'], `x${blanks}y`);
      assert.throws(() => readWhole(`${ok}A:${blanks}${blanks}\0\r\n\r\n`), /header is malformed/);
    }
    // A regular expression that backtracks takes about half a second for each of these heads.
    const { user, system } = process.cpuUsage(start);
    assert.ok(user + system < 2_000_000, `${user + system} µs`);
  });

  it("accepts no altered response that Node's own parser reads differently", async () => {
    const bytes = fc
      .constantFrom(...'\r\n\t :;,0129aAfxX-+"\0\x7f\xff'.split(''))
      .map((it) => Buffer.from(it, 'latin1'));
    const change = fc.record({ at: fc.nat(400), cut: fc.nat(3), put: fc.array(bytes, { maxLength: 3 }) });
    let both = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...good), fc.array(change, { maxLength: 2 }), async ([, written], changes) => {
        let changed = Buffer.from(written, 'latin1');
        for (const { at, cut, put } of changes) {
          const from = at % (changed.length + 1);
          changed = Buffer.concat([changed.subarray(0, from), ...put, changed.subarray(from + cut)]);
        }
        const own = attempt(() => readParts([changed]));
        if (!own) return;
        both += 1;
        const other = await readByNode(changed);
        assert.deepEqual(
          [own.status, own.body],
          [other.status, other.body],
          JSON.stringify(changed.toString('latin1')),
        );
      }),
      { numRuns: 3_000, seed: 1 },
    );
    assert.ok(both > 500, `${both} changed responses were accepted`);
  });
});

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** As Node's HTTP client reads it. */
async function readByNode(written: Buffer): Promise<Pick<Read, 'status' | 'body'>> {
  const socket = new Duplex({
    read: () => undefined,
    write(_, __, done) {
      done();
      this.push(written);
      this.push(null);
    },
  });
  return new Promise((resolve, reject) => {
    const asked = request({ method: 'POST', createConnection: () => socket as Socket }, (response) => {
      text(response.setEncoding('latin1')).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}
