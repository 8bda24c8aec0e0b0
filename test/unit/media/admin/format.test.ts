import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { escaped, period } from '../../../../media/admin/kit/format.ts';
import { verifies } from '../../../support/verifies.ts';

describe('names on the gateway pages', () => {
  for (const { name, shown } of [
    { name: 'echo', shown: 'echo' },
    { name: 'größe_1 b', shown: 'größe_1 b' },
    { name: 'ec\u200bho', shown: 'ec\\u{200B}ho' },
    { name: 'echo\u202e', shown: 'echo\\u{202E}' },
    { name: 'ec\u{e0041}ho', shown: 'ec\\u{E0041}ho' },
    { name: 'a\ufff9b', shown: 'a\\u{FFF9}b' },
    { name: 'a\u3164b', shown: 'a\\u{3164}b' },
    { name: 'x\ny', shown: 'x\\u{A}y' },
    { name: 'a\u00a0b', shown: 'a\\u{A0}b' },
  ]) {
    it(`show ${JSON.stringify(shown)} with what nobody sees written out`, () => {
      verifies('gateway.ui.unseen-characters');
      assert.equal(escaped(name), shown);
    });
  }
});

describe('periods on the gateway pages', () => {
  for (const { text, shown } of [
    { text: '30d', shown: '30 days' },
    { text: '1h', shown: '1 hour' },
    { text: '1mo', shown: '1 month' },
    { text: '2w', shown: '2 weeks' },
    { text: 'soon', shown: 'soon' },
  ])
    it(`show ${text} as ${shown}`, () => assert.equal(period(text), shown));
});
