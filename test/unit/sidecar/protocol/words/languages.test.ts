import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { languageOf } from '../../../../../sidecar/protocol/words/languages.ts';

const cases = [
  { preferred: ['de'], language: 'de' },
  { preferred: ['de-AT', 'en'], language: 'de' },
  { preferred: ['zh-CN', 'zh'], language: 'zh-cn' },
  { preferred: ['zh-Hans-SG'], language: 'zh-cn' },
  { preferred: ['zh'], language: 'zh-cn' },
  { preferred: ['zh-TW', 'de'], language: 'de' },
  { preferred: ['en-US', 'de'], language: undefined },
  { preferred: ['fr', 'de'], language: 'de' },
  { preferred: ['fr'], language: undefined },
  { preferred: ['den'], language: undefined },
  { preferred: [], language: undefined },
];

describe('languageOf', () => {
  for (const { preferred, language } of cases)
    it(`answers ${language ?? 'English'} to a browser that prefers ${preferred.join(', ') || 'nothing'}`, () => {
      assert.equal(languageOf(preferred), language);
    });
});
