import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { PlainOutput } from '../../../../../../sidecar/protocol/channels/terminal/plainOutput.ts';

describe('the output of a command as text', () => {
  for (const { what, chunks, text } of [
    { what: 'without colors', chunks: ['\u001b[1;31mred\u001b[0m\r\n'], text: 'red\n' },
    { what: 'without an escape that comes in two', chunks: ['a\u001b[3', '1mb'], text: 'ab' },
    { what: 'without titles', chunks: ['\u001b]0;title', '\u0007x\u001b]8;;u\u001b\\y'], text: 'xy' },
    { what: 'without character sets and bells', chunks: ['\u001b(B\u001b7a\u0007'], text: 'a' },
    { what: 'with lines as they were left', chunks: ['10%\r', '100%', '\r', '\nnext'], text: '100%\nnext' },
    { what: 'with the end of a line that comes in two', chunks: ['a\r', '\nb\r\r\n'], text: 'a\nb\n' },
  ])
    it(`is kept ${what}`, () => {
      const output = new PlainOutput(1_000);
      for (const it of chunks) output.add(it);
      assert.deepEqual(output.read(), { text, truncated: false });
    });

  it('keeps its end in whole characters, and at most twice as much meanwhile', () => {
    const output = new PlainOutput(10);
    for (let n = 0; n < 100; n += 1) output.add(`${n} é\n`);
    assert.deepEqual(output.read(), { text: ' é\n99 é\n', truncated: true });
    const line = new PlainOutput(5);
    for (let n = 0; n < 20; n += 1) line.add('日');
    assert.deepEqual(line.read(), { text: '日', truncated: true });
  });

  it('shows what begins like an escape and never ends', () => {
    const output = new PlainOutput(100_000);
    output.add(`\u001b]0;${'x'.repeat(5_000)}`);
    assert.equal(output.read().text.length, 5_003);
  });
});
