import { posix } from 'node:path';
import ts from 'typescript';
import { parseSource, sourcePaths } from '../../support/sources.ts';

/** Runtime imports between the project's own files: path → the paths that it imports. Imports of types alone vanish when built. */
export function runtimeImports(tops: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const paths = sourcePaths(tops).filter((it) => !it.endsWith('.d.ts'));
  const known = new Set(paths);
  return new Map(
    paths.map((path) => {
      const targets = importedNames(path).map((name) => posix.join(posix.dirname(path), name));
      return [path, [...new Set(targets.filter((it) => known.has(it)))]];
    }),
  );
}

function importedNames(path: string): string[] {
  const source = parseSource(path);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !isOfTypesAlone(node.importClause)) names.push(textOf(node.moduleSpecifier));
    if (ts.isExportDeclaration(node) && node.moduleSpecifier && !node.isTypeOnly && !exportsTypesAlone(node))
      names.push(textOf(node.moduleSpecifier));
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0])
      names.push(textOf(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names.filter((it) => it.startsWith('.'));
}

const textOf = (node: ts.Node) => (ts.isStringLiteralLike(node) ? node.text : '');

function isOfTypesAlone(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  if (clause.name || !named || !ts.isNamedImports(named)) return false;
  return named.elements.length > 0 && named.elements.every((it) => it.isTypeOnly);
}

function exportsTypesAlone(node: ts.ExportDeclaration): boolean {
  const clause = node.exportClause;
  return clause !== undefined && ts.isNamedExports(clause) && clause.elements.every((it) => it.isTypeOnly);
}
