import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { findInCode } from '../support/sources.ts';

/** What writes files: VS Code's file system and edits, and Node's. */
const writers =
  /^(writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|rm|rmSync|rmdir|unlink|unlinkSync|truncate|rename|renameSync|copy|cp|cpSync|copyFile|copyFileSync|mkdir|mkdirSync|createDirectory|delete|applyEdit|openSync|symlink|chmod)$/;
const fileSystems = /(^|\.)(workspace\.fs|fs|fsPromises|promises)$/;
const writingModules = /^(node:)?fs(\/promises)?$/;
/** Words of a decision that belongs to the host: see `sidecar/host/permissions`. */
const deciding =
  /^(decide[A-Z]\w*|judge(Tool|Request|Command)\w*|auto(Approve|Allow|Deny|Confirm)\w*|isDestructive\w*|matches?Rules?|isInsideWorkspace)$/;

function write(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && node.expression.getText().endsWith('WorkspaceEdit')) return 'WorkspaceEdit';
  if (
    ts.isImportDeclaration(node) &&
    ts.isStringLiteral(node.moduleSpecifier) &&
    writingModules.test(node.moduleSpecifier.text)
  ) {
    const names = node.importClause?.namedBindings;
    if (!names || ts.isNamespaceImport(names)) return 'the whole of node:fs';
    const bad = names.elements.map((it) => (it.propertyName ?? it.name).text).filter((it) => writers.test(it));
    return bad.length > 0 ? bad.join(', ') : undefined;
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression, name } = node.expression;
  if (name.text === 'applyEdit') return 'applyEdit';
  return writers.test(name.text) && fileSystems.test(expression.getText())
    ? `${expression.getText()}.${name.text}`
    : undefined;
}

function decision(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) && node.moduleSpecifier.getText().includes('host/permissions'))
    return 'imports host/permissions';
  const named = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isVariableDeclaration(node);
  const name = named && node.name ? node.name.getText() : undefined;
  return name !== undefined && deciding.test(name) ? name : undefined;
}

describe('who decides', () => {
  const promise = 'src and media: 0 writes to workspace files, 0 permission decisions';

  it(promise, () => {
    const writes = findInCode(['src', 'media'], write);
    const decisions = findInCode(['src', 'media'], decision);
    const found = `src and media: ${writes.length} writes to workspace files, ${decisions.length} permission decisions`;
    assert.equal(found, promise, [...writes, ...decisions].join('\n'));
  });

  it('the answer to a permission request is made in one place, from the option that a person chose', () => {
    const makers = findInCode(['src', 'media'], (node, path) =>
      ts.isPropertyAssignment(node) && /^'chat\/toolCall(Result)?Confirmed'$/.test(node.initializer.getText())
        ? path
        : undefined,
    );
    assert.deepEqual([...new Set(makers.map((it) => it.split(' ')[1]))], ['src/client/confirmations.ts']);
  });

  it('state is written by the store alone: nobody else calls a reducer in the host', () => {
    const calls = findInCode(['sidecar/host', 'sidecar/agents'], (node, path) => {
      if (path.startsWith('sidecar/host/state/') || path.startsWith('sidecar/host/storage/')) return undefined;
      const called = ts.isCallExpression(node) ? node.expression.getText() : '';
      return /(^|\.)reduce(Session|Chat|Root|Changeset)?$/.test(called) && !called.endsWith('.reduce')
        ? called
        : undefined;
    });
    assert.deepEqual(calls, []);
  });
});

describe('clock and chance', () => {
  const impure = (node: ts.Node): string | undefined => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
      return 'new Date()';
    if (!ts.isCallExpression(node)) return undefined;
    const called = node.expression.getText();
    return ['Date', 'Date.now', 'Math.random'].includes(called) ? `${called}()` : undefined;
  };

  it('the wall clock and chance are read in sidecar/platform and src/platform only', () => {
    const found = findInCode(['src', 'sidecar', 'media'], (node, path) =>
      /^(src|sidecar)\/platform\//.test(path) ? undefined : impure(node),
    );
    assert.deepEqual(found, []);
  });
});
