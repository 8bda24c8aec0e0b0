import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { nothingPrinted, textOf, toWrite } from '../../../../src/terminals/printed.ts';

const clear = '\u001b[2J\u001b[3J\u001b[H';
const long = Array.from({ length: 200 }, (_, at) => `line ${at}\r\n`).join('');

describe('what a terminal of the host shows', () => {
  it('is all that it printed, whatever it belongs to', () => {
    const command = {
      type: 'command',
      commandId: 'c',
      commandLine: 'ls',
      output: 'b',
      timestamp: 1,
      isComplete: false,
    };
    assert.equal(textOf({ content: [{ type: 'unclassified', value: 'a' }, command] as never }), 'ab');
  });

  it('goes on where it stood', () => {
    const first = toWrite(nothingPrinted, long);
    assert.equal(first.write, long);
    const second = toWrite(first.printed, `${long}more`);
    assert.equal(second.write, 'more');
    assert.equal(toWrite(second.printed, `${long}more`).write, '');
  });

  it('is drawn again when the oldest lines are gone, or all of them', () => {
    const { printed } = toWrite(nothingPrinted, long);
    const cut = `${long.slice(500)}more`;
    assert.equal(toWrite(printed, cut).write, `${clear}${cut}`);
    assert.equal(toWrite(printed, '').write, clear);
  });
});
