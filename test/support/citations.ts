import ts from 'typescript';
import { readFixtures } from './protocol/reducerFixtures.ts';
import { readSource, sourcePaths } from './sources.ts';

/** The parts of the tests that `npm test` runs. */
const run = ['unit', 'contract', 'architecture', 'integration', 'vscode'].map((it) => `test/${it}`);

export interface Citation {
  /** `path:line` of the test. */
  readonly place: string;
  /** The titles of the test, from the outermost; with `…` for what is put together when it runs. */
  readonly titles: readonly string[];
  /** What it shows; an id that begins with `!` says why no test can run with it. */
  readonly ids: readonly string[];
}

const calleeOf = (node: ts.Node): string => (ts.isCallExpression(node) ? node.expression.getText() : '');
const isCitation = (node: ts.Node): node is ts.CallExpression => calleeOf(node) === 'verifies';

/** Every `verifies(…)` in the code of the tests, in the order of paths and lines. */
export function citations(): readonly Citation[] {
  return sourcePaths(run).flatMap((path) => {
    const text = readSource(path);
    return text.includes('verifies(') ? citationsIn(path, text) : [];
  });
}

function citationsIn(path: string, text: string): Citation[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Citation[] = [];
  const visit = (node: ts.Node): void => {
    if (isCitation(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ place: `${path}:${line}`, titles: titlesOf(node), ids: idsOf(node, path) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Each action type is shown by the reducer fixtures that use it; `test/contract/reducerFixtures.test.ts` runs them. */
export function fixtureCitations(kinds: readonly string[]): readonly Citation[] {
  return kinds.flatMap((kind) =>
    readFixtures(kind).map(({ file, says, actions }) => ({
      place: `test/fixtures/reducers/${kind}/${file}`,
      titles: ['reducers', kind, says],
      ids: [...new Set(actions.map((it) => `host.action.${it.type}`))],
    })),
  );
}

function idsOf(node: ts.CallExpression, path: string): string[] {
  if (!path.endsWith('.test.ts') && !path.startsWith('test/contract/')) return ['!outside of a test file'];
  if (!isStatementOfTest(node)) return ['!not a statement of it or describe'];
  return node.arguments.map((it) => (ts.isStringLiteral(it) ? it.text : '!not a literal'));
}

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

function titlesOf(node: ts.Node): string[] {
  const titles: string[] = [];
  for (let at: ts.Node | undefined = node.parent; at; at = at.parent) {
    if (!ts.isCallExpression(at) || !['it', 'describe'].includes(calleeOf(at))) continue;
    const [title] = at.arguments;
    if (title) titles.unshift(textOf(title));
  }
  return titles;
}
function textOf(title: ts.Expression): string {
  if (ts.isStringLiteralLike(title)) return title.text;
  if (!ts.isTemplateExpression(title)) return '…';
  return [title.head.text, ...title.templateSpans.map((it) => it.literal.text)].join('…');
}
