import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { parseCommandLine } from '../../../../../sidecar/host/permissions/commandLine.ts';

const pieces = [
  'a',
  'b c',
  "'",
  '"',
  '\\',
  ' ',
  '  ',
  '\t',
  "'x y'",
  '"x y"',
  "'it'",
  '\\ ',
  '\\"',
  '=',
  '-f',
  '#',
  'é',
  '\\\n',
  "''",
];
const line = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((it) => it.join(''));

describe('the words of a command line', () => {
  it('are those of a real shell, for every line that is clear', () => {
    const lines = fc.sample(line, { numRuns: 400, seed: 7 });
    const clear = lines.flatMap((text) => {
      const parsed = parseCommandLine(`show ${text}`);
      return parsed.clear && parsed.commands.length === 1
        ? [{ text, words: parsed.commands[0]!.words.map((it) => it.text).slice(1) }]
        : [];
    });
    assert.ok(clear.length > 100);
    const script = `show() { for it in "$@"; do printf '%s\\001' "$it"; done; printf '\\002'; }\n${clear.map(({ text }) => `show ${text}`).join('\n')}\n`;
    const output = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    const shown = output
      .split('\x02')
      .slice(0, -1)
      .map((it) => it.split('\x01').slice(0, -1));
    assert.deepEqual(
      clear.map((it) => it.words),
      shown,
    );
  });
});
