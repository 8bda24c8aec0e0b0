import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'mocha';
import { FrameDecoder, frameHeader } from '../../../../sidecar/transport/frames.ts';
import { toFrame } from '../../../support/host/toFrame.ts';

const decode = (text: string, more: { maxHeaderBytes?: number; maxBodyBytes?: number } = {}) => {
  const decoder = new FrameDecoder({ maxHeaderBytes: 60, maxBodyBytes: 1000, ...more });
  const { bodies, lost } = decoder.push(Buffer.from(text, 'latin1'));
  return { bodies: bodies.map(String), lost, between: decoder.isBetweenFrames };
};
const wrongNumber = 'Content-Length must be a whole number of bytes, 0 or more';
const noCrLf = 'a header line must end with CR LF';
const noLetter = 'a message must begin with a Content-Length header';

describe('the edges of a frame', () => {
  for (const [text, lost] of [
    ['Content-Length: 2/\r\n\r\n{}', wrongNumber],
    ['Content-Length: 2:\r\n\r\n{}', wrongNumber],
    ['Content-Length: /\r\n\r\n{}', wrongNumber],
    ['Content-Length: \r\n\r\n{}', wrongNumber],
    ['Content-Length: 2 2\r\n\r\n{}', wrongNumber],
    ['Content-Length: 2\n\r\n\r\n{}', noCrLf],
    ['Content-Length: 2\r\n\n\r\n{}', noCrLf],
    ['Content-Length: 1001\r\n\r\n', 'Content-Length exceeds the limit of 1000 bytes'],
    ['content-length: 1001\r\n\r\n', 'Content-Length exceeds the limit of 1000 bytes'],
    ['Content-Type: x; charset=utf-16\r\nContent-Length: 2\r\n\r\n', 'Content-Type must specify the charset utf-8'],
    ['A b: 1\r\nContent-Length: 2\r\n\r\n{}', 'a header does not have the form "name: value"'],
    ['@a: 1\r\n\r\n', noLetter],
    ['[a: 1\r\n\r\n', noLetter],
    ['`a: 1\r\n\r\n', noLetter],
    ['{a: 1\r\n\r\n', noLetter],
    [`A: ${'x'.repeat(57)}`, 'the headers are longer than 60 bytes'],
    [`A: ${'x'.repeat(54)}\r\n\r\n`, 'the headers are longer than 60 bytes'],
  ] as const)
    it(`loses the framing at ${JSON.stringify(text)}: ${lost}`, () =>
      assert.deepEqual(decode(text), { bodies: [], lost, between: false }));

  for (const text of [
    'Content-Length: 2\r\n\r\n{}',
    'Content-Length:2\r\n\r\n{}',
    'Content-Length: \t2 \r\n\r\n{}',
    'Content-Length: 0000000000002\r\n\r\n{}',
    'Content-Length: 000000000002\r\n\r\n{}',
    'Content-Length: 2\r\nA: b\r\n\r\n{}',
    'A: b\r\nContent-Length: 2\r\n\r\n{}',
    'Z: 1\r\nContent-Length: 2\r\n\r\n{}',
    'a: 1\r\nContent-Length: 2\r\n\r\n{}',
    'z:\r\nContent-Length: 2\r\n\r\n{}',
    'Content-Type: x; charset="UTF-8"\r\nContent-Length: 2\r\n\r\n{}',
    'Content-Type: x\r\nContent-Length: 2\r\n\r\n{}',
    `Content-Length: 2\r\nA: ${'x'.repeat(34)}\r\n\r\n{}`,
  ])
    it(`reads two bytes behind ${JSON.stringify(text)}`, () =>
      assert.deepEqual(decode(text), { bodies: ['{}'], lost: undefined, between: true }));
  it('is a body of 9 and 10 digits, of the limit, and of nothing', () => {
    const bodies = ['123456789', '1234567890', 'x'.repeat(1000), ''];
    assert.deepEqual(decode(bodies.map(toFrame).join('')).bodies, bodies);
    assert.deepEqual(decode(`content-length: 1000\r\n\r\n${'x'.repeat(1000)}`).bodies, ['x'.repeat(1000)]);
    assert.equal(`${frameHeader(2)}é`, toFrame('é'));
  });
  for (const [text, between] of [
    ['', true],
    ['C', false],
    ['Content-Length: 3\r\n\r\n', false],
    ['Content-Length: 3\r\n\r\n{', false],
    ['Content-Length: 0\r\n\r\n', true],
    [`A: ${'x'.repeat(56)}`, false],
  ] as const)
    it(`is ${between ? '' : 'not '}reached after ${JSON.stringify(text)}`, () => {
      const decoded = decode(text);
      assert.deepEqual([decoded.lost, decoded.between], [undefined, between]);
    });
  it('is found byte by byte, with whatever header', () => {
    const decoder = new FrameDecoder();
    const text = `${toFrame('{}')}X: 1\r\ncontent-length: 3\r\n\r\nabc${toFrame('')}${toFrame('{"é":1}')}`;
    const bodies = [...Buffer.from(text)].flatMap((byte) => decoder.push(Buffer.of(byte)).bodies.map(String));
    assert.deepEqual([bodies, decoder.isBetweenFrames], [['{}', 'abc', '', '{"é":1}'], true]);
  });
});
