import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { parseSource, sourcePaths } from '../support/sources.ts';

const asking = new Set(['showQuickPick', 'showInputBox', 'createQuickPick', 'createInputBox']);

/** `path:line` of each list and input box that the editor closes when the focus moves. */
function closedByFocus(path: string): string[] {
  const source = parseSource(path);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const name = node.expression.name.text;
      const stays = name.startsWith('show')
        ? /ignoreFocusOut: true/.test(node.getText())
        : /\.ignoreFocusOut = true/.test(source.text);
      if (asking.has(name) && !stays)
        found.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('lists and input boxes', () => {
  it('stay open when a page or another window takes the focus', () => {
    assert.deepEqual(sourcePaths(['src']).flatMap(closedByFocus), []);
  });
});
