import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { FrameDecoder } from '../../../../sidecar/transport/frames.ts';
import { toFrame } from '../../../support/host/toFrame.ts';

const read = (...chunks: (string | Buffer)[]) => {
  const decoder = new FrameDecoder({ maxBodyBytes: 1000, maxHeaderBytes: 200 });
  const bodies: string[] = [];
  let lost: string | undefined;
  for (const chunk of chunks) {
    const decoded = decoder.push(Buffer.from(chunk as string));
    bodies.push(...decoded.bodies.map((it) => it.toString()));
    lost ??= decoded.lost;
  }
  return { bodies, lost, isBetweenFrames: decoder.isBetweenFrames };
};

describe('FrameDecoder', () => {
  for (const { says, input, lost } of [
    { says: 'no Content-Length', input: 'Content-Type: a\r\n\r\n{}', lost: 'the header Content-Length is missing' },
    {
      says: 'a word for a length',
      input: 'Content-Length: two\r\n\r\n{}',
      lost: 'Content-Length must be a whole number of bytes, 0 or more',
    },
    {
      says: 'a negative length',
      input: 'Content-Length: -2\r\n\r\n{}',
      lost: 'Content-Length must be a whole number of bytes, 0 or more',
    },
    {
      says: 'a fraction',
      input: 'Content-Length: 2.0\r\n\r\n{}',
      lost: 'Content-Length must be a whole number of bytes, 0 or more',
    },
    {
      says: 'a hexadecimal length',
      input: 'Content-Length: 0x2\r\n\r\n{}',
      lost: 'Content-Length must be a whole number of bytes, 0 or more',
    },
    {
      says: 'an empty length',
      input: 'Content-Length:\r\n\r\n{}',
      lost: 'Content-Length must be a whole number of bytes, 0 or more',
    },
    {
      says: 'a length of 4 GB',
      input: 'Content-Length: 4294967296\r\n\r\n',
      lost: 'Content-Length exceeds the limit of 1000 bytes',
    },
    {
      says: 'a length that is no safe integer',
      input: `Content-Length: ${'9'.repeat(60)}\r\n\r\n`,
      lost: 'Content-Length exceeds the limit of 1000 bytes',
    },
    {
      says: 'the same header twice',
      input: 'Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}',
      lost: 'the header content-length appears more than once',
    },
    {
      says: 'another charset',
      input: 'Content-Length: 2\r\nContent-Type: x; charset=utf-16\r\n\r\n{}',
      lost: 'Content-Type must specify the charset utf-8',
    },
    {
      says: 'a header without a colon',
      input: 'GET / HTTP/1.1\r\n\r\n',
      lost: 'a header does not have the form "name: value"',
    },
    { says: 'headers that never end', input: `X: ${'y'.repeat(300)}`, lost: 'the headers are longer than 200 bytes' },
    {
      says: 'a line that ends in LF alone',
      input: 'Content-Length: 2\n\n{}',
      lost: 'a header line must end with CR LF',
    },
    {
      says: 'a raw JSON line',
      input: '{"jsonrpc":"2.0"}\n',
      lost: 'a message must begin with a Content-Length header',
    },
    { says: 'a raw JSON line without its end', input: '{', lost: 'a message must begin with a Content-Length header' },
    { says: 'empty lines', input: '\r\n\r\n', lost: 'a message must begin with a Content-Length header' },
  ]) {
    it(`${says} loses the framing, and the messages before it are still delivered`, () => {
      assert.deepEqual(read(toFrame('{"before":1}') + input), {
        bodies: ['{"before":1}'],
        lost,
        isBetweenFrames: false,
      });
    });
  }

  it('nothing is read after the framing is lost', () => {
    assert.deepEqual(read('{', toFrame('{}')).bodies, []);
  });
  it('header names have no case, other headers are skipped, utf8 is a charset', () => {
    const input = 'content-LENGTH:2\r\nX-Other: 1\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n{}';
    assert.deepEqual(read(input), { bodies: ['{}'], lost: undefined, isBetweenFrames: true });
  });
  it('a body of 0 bytes is a body', () => {
    assert.deepEqual(read('Content-Length: 0\r\n\r\n').bodies, ['']);
  });
  it('a body of exactly the limit is read', () => {
    assert.equal(read(toFrame('x'.repeat(1000))).bodies[0]?.length, 1000);
  });
  it('knows that a stream ends in the middle of a message', () => {
    assert.equal(read('Content-Length: 3\r\n\r\n{}').isBetweenFrames, false);
    assert.equal(read('Conte').isBetweenFrames, false);
  });

  it('any chunking of any frames gives the same bodies', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
        (bodies, sizes) => {
          const bytes = Buffer.from(bodies.map(toFrame).join(''));
          const chunks: Buffer[] = [];
          for (let at = 0, n = 0; at < bytes.length; n++) {
            const size = sizes[n % sizes.length]!;
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          assert.deepEqual(read(...chunks), { bodies, lost: undefined, isBetweenFrames: true });
        },
      ),
    );
  });
});
