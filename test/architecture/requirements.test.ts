import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { gatewayRequirements } from '../requirements.ts';
import { findInCode } from '../support/sources.ts';

/** The parts of the tests that `npm test` runs. */
const run = ['unit', 'contract', 'architecture', 'integration', 'vscode'].map((it) => `test/${it}`);
const promises = gatewayRequirements.flatMap((it) => Object.keys(it));

const calleeOf = (node: ts.Node): string => (ts.isCallExpression(node) ? node.expression.getText() : '');
const isCitation = (node: ts.Node): node is ts.CallExpression => calleeOf(node) === 'verifies';

/** Every citation as `path:line id`, and `path:line !…` for one that no test can run with. */
const citations = findInCode(run, (node, path) => {
  if (!isCitation(node)) return undefined;
  if (!path.endsWith('.test.ts') && !path.startsWith('test/contract/')) return '!outside of a test file';
  if (!isStatementOfTest(node)) return '!not a statement of it or describe';
  const ids = node.arguments.map((it) => (ts.isStringLiteral(it) ? it.text : '!not a literal'));
  return ids.join(' ');
}).map((it) => it.split(' '));
const cited = new Set(citations.flatMap(([, ...ids]) => ids));

/** In the callback of `it`, or of a `describe` with an `it` in it, and not behind a condition. */
function isStatementOfTest(node: ts.Node): boolean {
  const body = ts.isExpressionStatement(node.parent) ? node.parent.parent : undefined;
  const home = body && ts.isBlock(body) ? body.parent : undefined;
  if (!home || !(ts.isArrowFunction(home) || ts.isFunctionExpression(home))) return false;
  const owner = calleeOf(home.parent);
  return owner === 'it' || (owner === 'describe' && hasTest(home));
}
function hasTest(node: ts.Node): boolean {
  return ts.forEachChild(node, (it) => calleeOf(it) === 'it' || hasTest(it) || undefined) === true;
}

describe('what is promised', () => {
  const missing = promises.filter((it) => !cited.has(it));

  it(`gateway requirements: ${promises.length - missing.length} of ${promises.length} cited`, () =>
    assert.deepEqual(missing, []));

  it('has no id twice', () => assert.equal(new Set(promises).size, promises.length));

  it('is all that tests cite, each where a test runs', () => {
    const unknown = citations.flatMap(([place, ...ids]) =>
      ids.filter((it) => !promises.includes(it)).map((it) => `${place} ${it}`),
    );
    assert.deepEqual(unknown, []);
  });
});
