import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { decide, file, inWords } from '../../../../support/host/permissionQuestions.ts';

describe('a pattern of paths', () => {
  for (const [pattern, matched, others] of [
    ['a.ts', ['a.ts', 'x/a.ts', 'a.ts/b'], ['b.ts', 'a.tsx', 'xa.ts', 'axts']],
    ['./a.ts', ['a.ts'], ['x/a.ts', 'a.ts/b']],
    ['x/a.ts', ['x/a.ts'], ['a.ts', 'y/x/a.ts', 'x/b/a.ts']],
    ['x/', ['x/a', 'x/y/a', 'x'], ['xa', 'y/x/a']],
    ['x/**', ['x/a', 'x/y/a', 'x'], ['xa', 'y/x']],
    ['x/*', ['x/a'], ['x/y/a', 'x', 'xa']],
    ['x/*.ts', ['x/a.ts', 'x/.ts'], ['x/a.js', 'x/y/a.ts']],
    ['*.ts', ['a.ts', 'x/y/a.ts'], ['a.js', 'x/ts']],
    ['?.ts', ['a.ts', 'x/b.ts'], ['ab.ts', '.ts']],
    ['x/?/a', ['x/b/a'], ['x/bc/a', 'x//a', 'x/a']],
    ['**/a', ['a', 'x/a', 'x/y/a'], ['xa', 'a/b']],
    ['**/x/a', ['x/a', 'y/x/a'], ['a', 'yx/a']],
    ['x/**/a', ['x/a', 'x/y/a', 'x/y/z/a'], ['a', 'x/ya', 'xa']],
    ['x**', ['x', 'xa'], ['a']],
    ['x**/a', ['x/a', 'xb/a', 'x/y/a'], ['a']],
    ['/ws/a', ['a'], ['x/a', 'ws/a']],
    ['/ws/x/**', ['x/a'], ['a']],
    ['/**/a', ['a', 'x/a'], ['b']],
    ['x\\a', ['x/a'], ['xa']],
    [' a ', ['a'], ['b']],
    ['**', ['a', 'x/y'], []],
    ['*', ['a', 'x/y'], []],
    ['**/*', ['a', 'x/y'], []],
    ['./**', ['a', 'x/y'], []],
    ['(a|b)+', ['(a|b)+'], ['a', 'ab']],
    ['[ab]', ['[ab]'], ['a']],
    ['$a^', ['$a^'], ['a']],
    ['x/a\u00e9', ['x/a\u00e9'], ['x/ae\u0301']],
  ] as const) {
    for (const path of matched) {
      it(`'${pattern}' means ${path}`, () => {
        const rule = `allow edit user ${pattern}`;
        assert.equal(inWords(decide(file('edit', `/ws/${path}`), [rule])), 'allow: rule');
      });
    }
    for (const path of others) {
      it(`'${pattern}' does not mean ${path}`, () => {
        const rule = `allow edit user ${pattern}`;
        assert.equal(inWords(decide(file('edit', `/ws/${path}`), [rule])), 'ask: default');
      });
    }
  }

  it('is compared without case and normalisation where the volume does so', () => {
    const comparison = { ignoreCase: true, ignoreNormalization: true };
    for (const pattern of ['X/\u00c9', '/WS/x/\u00e9', 'E\u0301'])
      assert.equal(
        inWords(decide(file('edit', '/ws/x/e\u0301'), [`allow edit user ${pattern}`], { comparison })),
        'allow: rule',
        pattern,
      );
    const caseAlone = { comparison: { ignoreCase: true } };
    assert.equal(inWords(decide(file('edit', '/ws/x/e\u0301'), ['allow edit user \u00e9'], caseAlone)), 'ask: default');
  });
  it('is relative to each folder of the session', () => {
    const two = { folders: ['/ws', '/v/'] };
    assert.equal(inWords(decide(file('edit', '/v/a'), ['allow edit user ./a'], two)), 'allow: rule');
    assert.equal(inWords(decide(file('edit', '/v/a', '/ws/a'), ['allow edit user ./a'], two)), 'allow: rule');
    assert.equal(inWords(decide(file('edit', '/v/x/a'), ['allow edit user ./a'], two)), 'ask: default');
  });
});

describe('the folders of a session', () => {
  for (const [says, path, folders, expected] of [
    ['the root holds everything', '/x/a', ['/'], 'allow: default'],
    ['a closing slash means nothing', '/ws/a', ['/ws/'], 'allow: default'],
    ['dots in a folder are resolved', '/ws/a', ['/x/../ws'], 'allow: default'],
    ['dots in a path are resolved', '/ws/./x//../a', ['/ws'], 'allow: default'],
    ['dots above the root stay there', '/../../ws/a', ['/ws'], 'allow: default'],
    ['a relative folder holds nothing', '/ws/a', ['ws'], 'ask: outside'],
    ['a relative path is in none', 'ws/a', ['/ws'], 'ask: outside'],
    ['case counts', '/WS/a', ['/ws'], 'ask: outside'],
    ['a drive of Windows', 'C:/ws/a', ['C:\\ws'], 'allow: default'],
    ['another drive of Windows', 'D:\\ws\\a', ['C:\\ws'], 'ask: outside'],
    ['a share of Windows', '\\\\server\\share\\ws\\a', ['\\\\server\\share\\ws'], 'allow: default'],
    ['another share of Windows', '\\\\server\\other\\a', ['\\\\server\\share'], 'ask: outside'],
    ['a backslash in a name elsewhere', '/ws\\a', ['/ws'], 'ask: outside'],
    ['a backslash in a name below', '/ws/a\\..\\..\\b', ['/ws'], 'allow: default'],
  ] as const) {
    it(`${says} -> ${expected}`, () => assert.equal(inWords(decide(file('read', path), [], { folders })), expected));
  }
});

describe('a pattern of addresses or names', () => {
  for (const [pattern, name, expected] of [
    ['a.c', 'abc', 'ask: default'],
    ["a'*'", "a'b'", 'allow: rule'],
    ['a*', 'a\nb', 'allow: rule'],
    ['*b', 'ab', 'allow: rule'],
    ['a?', 'ab', 'ask: default'],
    ['', 'a', 'ask: default'],
  ] as const) {
    it(`'${pattern}' and ${JSON.stringify(name)} -> ${expected}`, () => {
      const facts = { kind: 'other', toolName: name, paths: [] } as const;
      assert.equal(inWords(decide(facts, [`allow tool user ${pattern}`])), expected);
    });
  }
});
