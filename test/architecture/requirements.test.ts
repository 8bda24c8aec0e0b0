import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { gatewayRequirements, securityRows } from '../requirements.ts';
import { findInCode } from '../support/sources.ts';

/** The parts of the tests that `npm test` runs. */
const run = ['unit', 'contract', 'architecture', 'integration', 'vscode'].map((it) => `test/${it}`);
const promises = gatewayRequirements.flatMap((it) => Object.keys(it));
const security = Object.entries(Object.assign({}, ...securityRows) as Readonly<Record<string, { name: string }>>);
const all = [...promises, ...security.map(([id]) => id)];

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

/** Rows that are cited where no title around says their name, as `path:line id`. */
const unnamed = findInCode(run, (node) => {
  if (!isCitation(node)) return undefined;
  const titles = titlesAround(node).toLowerCase();
  const ids = node.arguments.filter(ts.isStringLiteral).map((it) => it.text);
  const wrong = security.filter(([id, { name }]) => ids.includes(id) && !titles.includes(name.toLowerCase()));
  return wrong.length > 0 ? wrong.map(([id]) => id).join(' ') : undefined;
});

/** What `it` and every `describe` around a node say. */
function titlesAround(node: ts.Node | undefined): string {
  if (!node) return '';
  const title =
    ['it', 'describe'].includes(calleeOf(node)) && ts.isCallExpression(node) ? node.arguments[0] : undefined;
  return `${title?.getText() ?? ''} ${titlesAround(node.parent)}`;
}

describe('what is promised', () => {
  const missing = promises.filter((it) => !cited.has(it));
  const open = security.map(([id]) => id).filter((it) => !cited.has(it));

  it(`gateway requirements: ${promises.length - missing.length} of ${promises.length} cited`, () =>
    assert.deepEqual(missing, []));

  it(`security rows: ${security.length - open.length} of ${security.length} cited`, () => assert.deepEqual(open, []));

  it('is named in the titles of its tests, where it is a known vulnerability or attack', () =>
    assert.deepEqual(unnamed, []));

  it('has no id twice', () => assert.equal(new Set(all).size, all.length));

  it('is all that tests cite, each where a test runs', () => {
    const unknown = citations.flatMap(([place, ...ids]) =>
      ids.filter((it) => !all.includes(it)).map((it) => `${place} ${it}`),
    );
    assert.deepEqual(unknown, []);
  });
});
