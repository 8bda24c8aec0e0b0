import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { parseSource, sourcePaths } from '../support/sources.ts';

const MAX_LINES = 100;

/** Name and length of the functions of a file that are longer than `maxLines`. */
function longOnes(source: ts.SourceFile, maxLines: number): string[] {
  const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const lines = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
      const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
      if (lines > maxLines)
        found.push(`${source.fileName}: ${named?.getText(source) ?? 'without a name'} has ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('functions', () => {
  it(`have at most ${MAX_LINES} lines each`, () => {
    const paths = sourcePaths(['src', 'sidecar', 'media']);
    assert.deepEqual(
      paths.flatMap((path) => longOnes(parseSource(path), MAX_LINES)),
      [],
    );
  });

  const rows: readonly (readonly [string, string[]])[] = [
    ['function a() {\n  b();\n}', ['it.ts: a has 3 lines']],
    ['const a = () => {\n  b();\n};', ['it.ts: a has 3 lines']],
    ['class A {\n  get a() {\n    return 1;\n  }\n}', ['it.ts: a has 3 lines']],
    ['a(async () => {\n  b();\n});', ['it.ts: without a name has 3 lines']],
    ['function a() {\n  b(); }', []],
    ['const a = {\n  b: 1,\n  c: 2,\n};', []],
  ];
  for (const [code, found] of rows)
    it(`of ${JSON.stringify(code)} ${found.length} are longer than two lines`, () =>
      assert.deepEqual(longOnes(ts.createSourceFile('it.ts', code, ts.ScriptTarget.Latest, true), 2), found));
});
