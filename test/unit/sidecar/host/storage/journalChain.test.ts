import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { chainAfter, fromLine, toLines } from '../../../../../sidecar/host/storage/journalChain.ts';

/** As remembered bit by bit: a CRC-32 without any table. */
function crc(bytes: Buffer, before: number): number {
  let value = ~before;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}
const lineOf = (text: string, before: number) => toLines([text], before);

describe('the chain of what is durable', () => {
  it('is a CRC-32 in each line that includes everything before it', () => {
    const chain = crc(Buffer.from('00000000 {"ü":1}\n'), 7);
    const expected = `${chain.toString(16).padStart(8, '0')} {"ü":1}\n`;
    const one = lineOf('{"ü":1}', 7);
    assert.deepEqual([String(one.bytes), one.chain], [expected, chain]);
    assert.notEqual(lineOf('{"ü":1}', 8).chain, chain);
    assert.equal(chainAfter(chain, 'two'), lineOf('two', chain).chain);
  });

  it('is the same for lines that are written together and one by one', () => {
    const one = lineOf('{"a":"ü"}', 0xffffffff);
    const two = lineOf('', one.chain);
    const three = lineOf('{}', two.chain);
    const all = toLines(['{"a":"ü"}', '', '{}'], 0xffffffff);
    assert.deepEqual(all, { bytes: Buffer.concat([one.bytes, two.bytes, three.bytes]), chain: three.chain });
  });

  it('is read from a line with its text, whatever that is', () => {
    for (const text of ['{}', '', '{"a":"\u2028\r ü"}', 'cbf43926 in it']) {
      const { bytes, chain } = lineOf(text, 3);
      assert.deepEqual(fromLine(String(bytes).slice(0, -1)), { text, chain });
    }
    assert.deepEqual(fromLine('0000000a {}'), { text: '{}', chain: 10 });
  });

  it('is in no line of version 0.1.0', () => {
    for (const line of ['{"channel":"a"}', '', 'cbf4392 {}', 'CBF43926 {}'])
      assert.deepEqual(fromLine(line), { text: line });
  });
});
