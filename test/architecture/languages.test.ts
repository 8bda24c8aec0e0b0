import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { languages } from '../../sidecar/protocol/words/languages.ts';
import { projectRoot } from '../support/cache.ts';
import { fixedOf, gapsOf } from './languages/languages.ts';

describe('languages', () => {
  it('every language has a file of the manifest and one of the code, and no other has', () => {
    const files = [...readdirSync(projectRoot), ...readdirSync(join(projectRoot, 'media', 'l10n'))];
    const found = files.filter((it) => /^(?:package\.nls|bundle\.l10n)\..+\.json$/.test(it));
    const expected = languages.flatMap((it) => [`bundle.l10n.${it}.json`, `package.nls.${it}.json`]);
    assert.deepEqual(new Set(found), new Set(expected));
  });

  for (const language of languages)
    it(`1c-21 every text is translated into ${language}, and no text that is no longer used`, () => {
      for (const { file, missing, leftOver } of gapsOf(language)) assert.deepEqual([missing, leftOver], [[], []], file);
    });

  for (const language of languages)
    it(`a translation into ${language} has the placeholders, links and code of the English text`, () => {
      for (const { file, unequal } of gapsOf(language)) assert.deepEqual(unequal, [], file);
    });

  it('a translation that drops or renames a placeholder, a link, code or a line is told from one that moves it', () => {
    const english = 'Open {0} in {1}.\n[Go](command:a.b) with `x`';
    assert.equal(fixedOf('`x`: {1} hat {0}.\n[Los](command:a.b)'), fixedOf(english));
    for (const wrong of [
      '{0}.\n[Go](command:a.b) `x`',
      '{0} {1}\n[Go](command:a.c) `x`',
      '{0} {1} [Go](command:a.b) `x`',
    ])
      assert.notEqual(fixedOf(wrong), fixedOf(english));
  });
});
