import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { applyPatch } from '../../../../../sidecar/agents/edits/applyPatch.ts';
import { parsePatch } from '../../../../../sidecar/agents/edits/patch.ts';

const apply = (before: string | undefined, patch: string) => {
  const parsed = parsePatch(patch);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return applyPatch(before, parsed.files[0]!);
};
const change = (...hunk: string[]) => ['--- a/f', '+++ b/f', ...hunk, ''].join('\n');

describe('applyPatch', () => {
  for (const { says, before, patch, after } of [
    {
      says: 'a changed line',
      before: 'a\nb\nc\n',
      patch: change('@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c'),
      after: 'a\nB\nc\n',
    },
    { says: 'a hunk without numbers', before: 'a\nb\nc\n', patch: change('@@', '-c', '+C'), after: 'a\nb\nC\n' },
    {
      says: 'two hunks, the second moved by the first',
      before: 'a\nb\nc\nd\n',
      patch: change('@@ -1 +1,2 @@', ' a', '+x', '@@ -4 +5 @@', '-d', '+D'),
      after: 'a\nx\nb\nc\nD\n',
    },
    {
      says: 'hunks without numbers, each behind the one before, which made the file shorter',
      before: 'a\nb\nc\n',
      patch: change('@@', '-a', '-b', '@@', '-c', '+C'),
      after: 'C\n',
    },
    {
      says: 'hunks without numbers, each behind the one before, which added the lines of the next',
      before: 'a\nc\n',
      patch: change('@@', ' a', '+c', '+b', '@@', '-c', '+C'),
      after: 'a\nc\nb\nC\n',
    },
    {
      says: 'CRLF, which stays',
      before: 'a\r\nb\r\n',
      patch: change('@@', '-b', '+B', '+C'),
      after: 'a\r\nB\r\nC\r\n',
    },
    {
      says: 'unlike line ends, which stay where nothing changed',
      before: 'a\nb\r\nc\n',
      patch: change('@@', ' a', ' b', '-c', '+C'),
      after: 'a\nb\r\nC\n',
    },
    {
      says: 'a last line without an end, which stays so',
      before: 'a\nb',
      patch: change('@@', '-b', '+B'),
      after: 'a\nB',
    },
    {
      says: 'a byte order mark, which stays',
      before: '\uFEFFa\n',
      patch: change('@@', '-a', '+A'),
      after: '\uFEFFA\n',
    },
    { says: 'an addition at the end', before: 'a\n', patch: change('@@', ' a', '+b'), after: 'a\nb\n' },
    {
      says: 'a trimmed context line',
      before: 'a\n\nb\n',
      patch: change('@@', ' a', '', '-b', '+B'),
      after: 'a\n\nB\n',
    },
    {
      says: 'a new file',
      before: undefined,
      patch: '--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n',
      after: 'a\nb\n',
    },
    { says: 'a deleted file', before: 'a\n', patch: '--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n', after: undefined },
  ]) {
    it(`applies ${says}`, () => assert.deepEqual(apply(before, patch), { ok: true, after }));
  }

  for (const { says, before, patch, message } of [
    {
      says: 'context that differs',
      before: 'a\nb\n',
      patch: change('@@ -1,2 +1,2 @@', ' a', '-c', '+C'),
      message: /line 2: expected "c", found "b"/,
    },
    {
      says: 'a place that is not stated and found twice',
      before: 'a\na\n',
      patch: change('@@', '-a', '+A'),
      message: /2 times in the file; add unchanged lines/,
    },
    {
      says: 'lines that are nowhere',
      before: 'a\n',
      patch: change('@@', '-z', '+A'),
      message: /its lines were not found in the file \(first line:/,
    },
    {
      says: 'lines that stand elsewhere than stated',
      before: 'x\na\n',
      patch: change('@@ -1 +1 @@', '-a', '+A'),
      message: /line 1/,
    },
    { says: 'a file that is not there', before: undefined, patch: change('@@', '-a', '+A'), message: /does not exist/ },
    {
      says: 'a creation of a file that is there',
      before: 'a\n',
      patch: '--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n',
      message: /already exists, but the diff would create it/,
    },
    {
      says: 'a deletion that leaves lines',
      before: 'a\nb\n',
      patch: '--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n',
      message: /was not deleted/,
    },
  ]) {
    it(`refuses ${says}`, () => {
      const applied = apply(before, patch);
      assert.ok(!applied.ok, 'it was applied');
      assert.match(applied.message, message);
    });
  }

  it('makes of any two texts what diff says of them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-patch-'));
    const text = fc
      .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', '-x', '+y', ' z'), { maxLength: 12 }), fc.boolean())
      .map(([lines, open]) => lines.join('\n') + (open || lines.length === 0 ? '' : '\n'));
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          fc.pre(before !== after && before !== '' && after !== '');
          writeFileSync(join(folder, 'f'), before);
          writeFileSync(join(folder, 'g'), after);
          let diff = '';
          try {
            execFileSync('diff', ['-u', '--label', 'a/f', '--label', 'b/f', 'f', 'g'], {
              cwd: folder,
              stdio: ['ignore', 'pipe', 'ignore'],
            });
          } catch (thrown) {
            diff = String((thrown as { stdout: Buffer }).stdout);
          }
          assert.deepEqual(apply(before, diff), { ok: true, after });
        }),
        { numRuns: 60 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
