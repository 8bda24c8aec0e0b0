import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { chatParts, digestOf } from '../../../../packChat.ts';
import { type PageDocument, toDocument, toParts } from '../../../../src/webviews/pageDocument.ts';

const parts = { script: 'run();', style: 'p { color: red }' };
const page: PageDocument = {
  parts,
  nonce: 'once',
  source: 'https://files.test',
  base: 'https://files.test/media/',
  language: 'en',
  title: 'Chat',
  bodyClass: '',
  isStyled: false,
};

describe('a page in one piece', () => {
  const policies = [
    ["only its own script and style run, by the page's nonce", false, "style-src https://files.test 'nonce-once'"],
    ['a page that sets styles of its own may do so', true, "style-src https://files.test 'unsafe-inline'"],
  ] as const;
  for (const [title, isStyled, styles] of policies) {
    it(title, () => {
      const policy = /content="(default-src[^"]*)"/.exec(toDocument({ ...page, isStyled }))?.[1]?.split('; ');
      assert.deepEqual(policy, [
        "default-src 'none'",
        "script-src 'nonce-once'",
        styles,
        'font-src https://files.test data:',
        'img-src https://files.test data:',
        "connect-src 'none'",
        'base-uri https://files.test',
      ]);
    });
  }

  const texts = ['</script>', '</SCRIPT >', '<!--<script>', '<script>'];
  for (const text of texts) {
    it(`a script that has ${text} in a text does not end before its end, and has the same text`, () => {
      const script = `globalThis.said = ${JSON.stringify(text)};`;
      const document = toDocument({ ...page, parts: toParts({ ...parts, script }) });
      const inside = /<script type="module" nonce="once">(.*?)<\/script>/s.exec(document)?.[1] ?? '';
      assert.doesNotMatch(inside, /<!--|<\/?script/i);
      assert.equal(inside.replaceAll('\\x3c', '<'), script);
    });
  }

  it('the first data of the script is in a block that no text in it ends and no browser runs', () => {
    const first = { text: '</script><!--<script> </SCRIPT >\u2028\u2029\0\ud800' };
    const document = toDocument({ ...page, first: JSON.stringify(first) });
    const inside = /<script type="application\/json" id="first">(.*?)<\/script>/s.exec(document)?.[1] ?? '';
    assert.doesNotMatch(inside, /[<\0]/);
    assert.deepEqual(JSON.parse(inside), first);
  });

  it('a style that has </style in a text does not end before its end', () => {
    const ending = toParts({ ...parts, style: 'p::before { content: "</style>" }' });
    const document = toDocument({ ...page, parts: ending });
    assert.equal(document.match(/<\/style/g)?.length, 1);
  });

  it('the address of a source map, which no page may load, is left out', () => {
    const files = {
      style: `${parts.style}\n/*# sourceMappingURL=chat.css.map */\n`,
      script: `${parts.script}\n//# sourceMappingURL=chat.js.map\n`,
    };
    assert.deepEqual(toParts(files), parts);
  });

  it('a page that gets its parts from elsewhere runs those with the given digests, and contains neither of them', () => {
    const policyOf = (document: string) => /content="(default-src[^"]*)"/.exec(document)?.[1];
    const digests = digestOf(parts);
    const document = toDocument({ ...page, parts: { digests, areComing: true } });
    const policy = policyOf(toDocument(page))
      ?.replace("script-src 'nonce-once'", `$& 'sha256-${digests.script}'`)
      .replace(/(style-src .*?)'nonce-once'/, `$1'sha256-${digests.style}'`);
    assert.equal(policyOf(document), policy);
    assert.doesNotMatch(document, /run\(\)|color: red|<style/);
    assert.equal(document.match(/<script/g)?.length, 1);
  });

  const importing = (script: string) => chatParts({ ...parts, script });
  it('the files that the script of the chat imports are imported by the page, which allows none to the script', () => {
    const { script } = importing('a = import("./a.js");\nb = () => import("./b.js");');
    assert.equal(script, 'a = importFile("./a.js");\nb = () => importFile("./b.js");');
  });
  for (const left of ['import("/b.js")', 'import (name)', 'import(\n`./b.js`)']) {
    it(`the script of the chat cannot be built with ${JSON.stringify(left)}`, () => {
      assert.throws(() => importing(`import("./a.js");${left}`), /imports a file by itself: import/);
    });
  }
  it('the script of the chat cannot be built if nothing in it is imported as expected', () => {
    assert.throws(() => importing("import('./a.js');"), /imports no files/);
  });

  it('parts that differ in one character, or in which one ends, have other digests', () => {
    const all = [parts, { ...parts, script: 'run()' }, { style: `${parts.style}r`, script: 'un();' }];
    assert.equal(new Set(all.map((it) => JSON.stringify(digestOf(it)))).size, all.length);
  });
});
