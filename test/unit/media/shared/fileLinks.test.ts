import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { fileNamed, withFileLinks } from '../../../../media/shared/fileLinks.ts';

describe('links to files in texts', () => {
  for (const { text, href } of [
    { text: 'src/a.ts', href: 'src/a.ts' },
    { text: 'src/a.ts:12', href: 'src/a.ts:12' },
    { text: 'at src/a.ts:12:3', href: 'src/a.ts:12' },
    { text: 'src/a.ts(12,3): error TS1', href: 'src/a.ts:12' },
    { text: '(/work/app/b.test.ts:9)', href: '/work/app/b.test.ts:9' },
    { text: './b.py:7: warning', href: './b.py:7' },
    { text: 'main.go:7:2: undefined', href: './main.go:7' },
    { text: String.raw`src\a.cs:4`, href: 'src/a.cs:4' },
    { text: String.raw`C:\work\a.cs:4`, href: 'C:/work/a.cs:4' },
    { text: 'See packages/@scope/x-y/lib.d.ts.', href: 'packages/@scope/x-y/lib.d.ts' },
  ])
    it(`1b-4 lead from “${text}” to ${href}`, () => {
      const links = withFileLinks(text).filter((it) => typeof it === 'object');
      assert.deepEqual(
        links.map((it) => it.href),
        [href],
      );
    });

  for (const text of [
    'node.js and 1.2.3',
    'https://example.com/a/b.html:3',
    'localhost:3000',
    'user@example.com',
    'foo.bar()',
    'and/or',
    'v1.2/3',
  ])
    it(`1b-4 see no file in “${text}”`, () => assert.deepEqual(withFileLinks(text), [text]));

  it('1b-4 keep every character of the text', () => {
    const text = 'a src/a.ts:1\n  at b (lib/c.js:2:3)\nend';
    const joined = withFileLinks(text).map((it) => (typeof it === 'string' ? it : it.text));
    assert.equal(joined.join(''), text);
  });

  it('1b-1 make a link of code in a line only where it is the name of a file and nothing else', () => {
    assert.equal(fileNamed('src/a.ts:3')?.href, 'src/a.ts:3');
    assert.equal(fileNamed('cat src/a.ts'), undefined);
    assert.equal(fileNamed('Array.from'), undefined);
  });
});
