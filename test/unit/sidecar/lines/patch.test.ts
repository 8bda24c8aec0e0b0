import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { unifiedPatch } from '../../../../sidecar/lines/patch.ts';

const text = fc
  .array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', '\n'), { maxLength: 40 })
  .chain((lines) => fc.constantFrom('', 'end').map((end) => lines.join('') + end));

describe('a unified patch', () => {
  it('1b-24 applied to the text before gives the text after, whatever the two are', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-patch-'));
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          const patch = unifiedPatch({ name: 'a/f', text: before }, { name: 'b/f', text: after });
          assert.equal(patch === '', before === after);
          if (patch === '') return;
          writeFileSync(join(folder, 'f'), before);
          execFileSync('git', ['apply', '--unsafe-paths', '--whitespace=nowarn', '-'], { cwd: folder, input: patch });
          assert.equal(readFileSync(join(folder, 'f'), 'utf8'), after);
        }),
        { numRuns: 60 },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('1b-24 names no file on the side where there is none', () => {
    assert.equal(unifiedPatch(undefined, { name: 'b/f', text: 'x\n' }), '--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n');
    assert.equal(unifiedPatch({ name: 'a/f', text: 'x\n' }, undefined), '--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n');
  });
});
