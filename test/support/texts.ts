import ts from 'typescript';
import { findInCode } from './sources.ts';

/** Texts that the code hands to l10n, and the expressions that no reading of the code can tell the texts of. */
export interface CodeTexts {
  readonly texts: readonly string[];
  readonly computed: readonly string[];
}

/**
 * Every text that `t(…)` and `plural(…)` of the editor's side (`src`), of the pages (`media`) and of definitions
 * (`sidecar/protocol`) are called with, and titles that `src/webviews` makes for a page to translate.
 */
export function textsInCode(): CodeTexts {
  const texts = new Set<string>();
  const computed: string[] = [];
  findInCode(['src', 'media', 'sidecar/protocol'], (node, path) => {
    for (const argument of argumentsOf(node, path)) {
      for (const it of leavesOf(argument)) {
        if (!ts.isStringLiteralLike(it)) computed.push(`${path} ${it.getText()}`);
        else if (it.text !== '') texts.add(it.text);
      }
    }
    if (path.startsWith('src/webviews/') && ts.isPropertyAssignment(node) && node.name.getText() === 'title') {
      for (const it of leavesOf(node.initializer)) if (ts.isStringLiteralLike(it) && it.text !== '') texts.add(it.text);
    }
    return undefined;
  });
  return { texts: [...texts], computed };
}

function argumentsOf(node: ts.Node, path: string): readonly ts.Expression[] {
  if (!ts.isCallExpression(node) || path === 'media/shared/l10n.ts') return [];
  const name = node.expression.getText().split('.').at(-1);
  if (name === 't') return node.arguments.slice(0, 1);
  return name === 'plural' ? node.arguments.slice(1, 3) : [];
}

/** What an expression can come out as. */
function leavesOf(node: ts.Expression): readonly ts.Expression[] {
  if (ts.isParenthesizedExpression(node)) return leavesOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...leavesOf(node.whenTrue), ...leavesOf(node.whenFalse)];
  if (ts.isBinaryExpression(node)) return [...leavesOf(node.left), ...leavesOf(node.right)];
  return [node];
}
