import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import ts from 'typescript';
import { sparseZod } from './zodOnUse.ts';

/** Putting off an expression with fewer calls saves no time and adds code. */
const LEAST_CALLS = 4;

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** What begins an expression that is a schema. */
const makers = wordsOf(
  'string number int boolean object strictObject looseObject array record partialRecord tuple union discriminatedUnion intersection enum literal url email iso coerce preprocess lazy custom codec',
);
/** Members that make another schema of one that has a name. Those that only wrap it are put off by the schema itself. */
const changes = wordsOf('extend safeExtend omit pick partial required refine superRefine');
/** Members of schemas that return another schema. */
const links = new Set([
  ...changes,
  ...wordsOf(
    'optional nullable nullish describe default or and array min max length regex int positive nonnegative nonempty multipleOf gt gte lt lte startsWith endsWith trim toLowerCase catch prefault transform pipe readonly brand strict loose passthrough strip catchall exclude extract date datetime time number string',
  ),
]);

/**
 * Evaluates the schemas that a module makes when they are first used. A start evaluates hundreds of modules whose schemas it
 * does not use, or of which it uses few. Functions run as they are written: only what a module evaluates itself is changed.
 * Works with {@link sparseZod} only.
 */
const zodLater: Plugin = {
  name: 'zod-later',
  setup(build) {
    build.onLoad({ filter: /[\\/]sidecar[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!/ from 'zod';/.test(text)) return undefined;
      return { contents: withLaterSchemas(path, text), loader: 'ts' };
    });
  },
};

/** A schema is put off until it is used, and then until it is built. */
export const laterZod: readonly Plugin[] = [sparseZod, zodLater];

/** In the same lines, so that they are where the source map says. */
function withLaterSchemas(path: string, text: string): string {
  const found: ts.Node[] = [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isTypeNode(node)) return;
    if (ts.isCallExpression(node) && isSchema(node)) found.push(node);
    else ts.forEachChild(node, visit);
  };
  visit(source);
  if (found.length === 0) return text;
  let end = text.length;
  let changed = '';
  for (const it of found.toReversed()) {
    const start = it.getStart(source);
    changed = `/* @__PURE__ */ schemaLater(() => ${text.slice(start, it.end)})${text.slice(it.end, end)}${changed}`;
    end = start;
  }
  return `${text.slice(0, end)}${changed}\nimport { later as schemaLater } from 'zod/v4/core';\n`;
}

/** Whether a call makes a schema, and it pays to put it off. */
function isSchema(call: ts.CallExpression): boolean {
  const names: string[] = [];
  let calls = 0;
  let node: ts.Expression = call;
  for (;;) {
    if (ts.isCallExpression(node)) {
      calls += 1;
      node = node.expression;
    } else if (ts.isPropertyAccessExpression(node)) {
      names.unshift(node.name.text);
      node = node.expression;
    } else break;
  }
  if (!ts.isIdentifier(node)) return false;
  const [first = '', ...rest] = names;
  if (node.text === 'z') return makers.has(first) && rest.every((it) => links.has(it)) && callsIn(call) >= LEAST_CALLS;
  const called = names.slice(-calls);
  return /^[A-Z]/.test(node.text) && changes.has(called[0] ?? '') && called.every((it) => links.has(it));
}

function callsIn(node: ts.Node): number {
  let calls = ts.isCallExpression(node) ? 1 : 0;
  ts.forEachChild(node, (it) => void (calls += callsIn(it)));
  return calls;
}
