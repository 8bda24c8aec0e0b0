import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { anchorsOf, readDocument } from '../support/documents/markdown.ts';
import { references } from './references/references.ts';

describe('generated references', () => {
  for (const [name, text] of Object.entries(references())) {
    it(`${name} is what npm run references writes now`, () => {
      assert.equal(readDocument(name), text, 'run: npm run references');
    });

    it(`${name} has a meaning for every row and a heading for every link`, () => {
      const rows = text.split('\n').filter((it) => it.startsWith('| `'));
      assert.ok(rows.length > 20, `${rows.length} rows`);
      assert.deepEqual(
        rows.filter((it) => /\|\s*\|$/.test(it)),
        [],
      );
      const anchors = new Set(anchorsOf(text));
      const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map((it) => it[1] as string);
      assert.deepEqual(
        links.filter((it) => !anchors.has(it)),
        [],
      );
    });
  }
});
