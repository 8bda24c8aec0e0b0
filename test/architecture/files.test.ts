import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'mocha';
import { projectRoot } from '../support/cache.ts';
import { readSource, sourcePaths } from '../support/sources.ts';

const MAX_LINES = 400;

/** The files that are longer than `maxLines`, each with its length. */
const longOnes = (files: readonly (readonly [path: string, text: string])[], maxLines: number): string[] =>
  files.flatMap(([path, text]) => {
    const lines = text.replace(/\n$/, '').split('\n').length;
    return lines > maxLines ? [`${path} has ${lines} lines`] : [];
  });

describe('files', () => {
  it(`of code and of tests have at most ${MAX_LINES} lines each`, () => {
    const loose = readdirSync(projectRoot).filter((it) => /\.m?ts$|\.mjs$/.test(it));
    const paths = [...sourcePaths(['src', 'sidecar', 'media', 'test']), ...loose];
    assert.ok(paths.length > 1_000, `${paths.length} files`);
    assert.deepEqual(
      longOnes(
        paths.map((path) => [path, readSource(path)]),
        MAX_LINES,
      ),
      [],
    );
  });

  it('are counted by their lines, with and without an end of the last one', () =>
    assert.deepEqual(
      longOnes(
        [
          ['two', 'a\nb\n'],
          ['two and no end', 'a\nb'],
          ['three', 'a\nb\nc\n'],
          ['three and no end', 'a\n\nc'],
        ],
        2,
      ),
      ['three has 3 lines', 'three and no end has 3 lines'],
    ));
});
