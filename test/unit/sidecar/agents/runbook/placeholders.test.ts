import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { fillCommand, fillText, shellWord } from '../../../../../sidecar/agents/runbook/placeholders.ts';

describe('placeholders', () => {
  it('put answers into text, several with commas, and leave braces of others alone', () => {
    const answers = { a: 'x', many: ['p', 'q'], n: 3 };
    const names = new Set(['a', 'many', 'n', 'skipped']);
    assert.equal(
      fillText('{{a}} {{ many }} {{n}} [{{skipped}}] {{other}} {{{a}}}', answers, names),
      'x p, q 3 [] {{other}} {x}',
    );
  });
  it('make one word of each answer, and the empty word of none', () => {
    assert.equal(
      fillCommand('f {{a}} {{b}} {{c}}', { a: "it's; rm -rf /", b: ['x', 'y z'] }),
      `f 'it'\\''s; rm -rf /' x 'y z' ''`,
    );
  });
  it('are exactly the answer to a real shell, whatever it holds', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((it) => !/[\0\uD800-\uDFFF]/.test(it));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (all) => {
        const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${all.map(shellWord).join(' ')}`], {
          encoding: 'utf8',
        });
        assert.deepEqual(printed.split('\0').slice(0, -1), all);
      }),
      { numRuns: 30 },
    );
  });
});
