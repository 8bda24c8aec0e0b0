import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  connectPage,
  consentPage,
  leavePage,
  messagePage,
  signInPage,
} from '../../../../../sidecar/gateway/oauth/pages.ts';

const consent = { form: 'f', client: 'Editor', place: 'editor.example', key: 'mine', servers: [], next: undefined };

describe('a page of a sign-in', () => {
  for (const [text, shown] of [
    ['Plain & simple', 'Plain &#38; simple'],
    ['C:\\tools', 'C:\\tools'],
    ['<b>"it\'s"</b>', '&#60;b&#62;&#34;it&#39;s&#34;&#60;/b&#62;'],
    ['&lt;', '&#38;lt;'],
  ] as const)
    it(`shows ${text} as text wherever somebody else wrote it`, async () => {
      const pages = [
        signInPage('f', text, undefined, {}),
        signInPage('f', 'Editor', text, {}),
        signInPage(text, 'Editor', undefined, {}),
        consentPage({ ...consent, client: text }, {}),
        consentPage({ ...consent, servers: [text] }, {}),
        consentPage({ ...consent, next: text }, {}),
        connectPage('f', text, 'mine', {}),
        messagePage('Done', text),
      ];
      for (const page of pages) {
        const whole = await page.text();
        assert.ok(whole.includes(shown), whole);
        assert.equal(whole.includes(text), text === shown);
      }
    });

  for (const [count, listed, rest] of [
    [0, 0, undefined],
    [20, 20, undefined],
    [21, 20, 'and 1 more.'],
    [25, 20, 'and 5 more.'],
  ] as const)
    it(`lists ${listed} of ${count} servers${rest === undefined ? '' : ' and counts the others'}`, async () => {
      const servers = Array.from({ length: count }, (_, n) => `server-${n}.`);
      const text = await consentPage({ ...consent, servers }, {}).text();
      assert.equal(text.match(/<li>/g)?.length ?? 0, listed);
      assert.equal(/and \d+ more\./.exec(text)?.[0], rest);
      assert.equal(text.includes('No servers yet.'), count === 0);
    });

  it('shows no alert where nothing is wrong, and where something is it says what', async () => {
    assert.doesNotMatch(await signInPage('f', 'Editor', undefined, {}).text(), /role="alert"/);
    assert.match(await signInPage('f', 'Editor', 'Wrong key.', {}).text(), /<p role="alert">Wrong key\.<\/p>/);
  });
  it('leaves by itself and by a link, with its cookies, and is kept by nobody', async () => {
    const page = leavePage('https://a.example/?x=1&y=2', 'Go on', ['one=1', 'two=2']);
    const text = await page.text();
    assert.match(text, /<meta http-equiv="refresh" content="0; url=https:\/\/a\.example\/\?x=1&#38;y=2">/);
    assert.match(text, /<a rel="noreferrer" href="https:\/\/a\.example\/\?x=1&#38;y=2">Go on<\/a>/);
    assert.deepEqual(page.headers.getSetCookie(), ['one=1', 'two=2']);
    assert.deepEqual(
      ['cache-control', 'x-frame-options', 'referrer-policy'].map((it) => page.headers.get(it)),
      ['no-store', 'DENY', 'same-origin'],
    );
  });
});
