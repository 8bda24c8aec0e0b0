import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from './cache.ts';

/** Paths of the TypeScript files below the folders `tops`, relative to the project, with forward slashes. */
export function sourcePaths(tops: readonly string[]): string[] {
  return tops
    .flatMap((top) =>
      readdirSync(join(projectRoot, top), { recursive: true, encoding: 'utf8' }).map(
        (it) => `${top}/${it.replaceAll('\\', '/')}`,
      ),
    )
    .filter((it) => it.endsWith('.ts'));
}

export function readSource(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

const parsed = new Map<string, ts.SourceFile>();

/** A file of the project as the compiler reads it; it is read once, whoever asks. */
export function parseSource(path: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known) return known;
  const source = ts.createSourceFile(path, readSource(path), ts.ScriptTarget.Latest, true);
  parsed.set(path, source);
  return source;
}

/** Every place below `tops` that `judge` answers something for, as `path:line what`. Comments and strings are no code. */
export function findInCode(
  tops: readonly string[],
  judge: (node: ts.Node, path: string) => string | undefined,
): string[] {
  return sourcePaths(tops).flatMap((path) => {
    const source = parseSource(path);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const what = judge(node, path);
      if (what !== undefined)
        found.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${what}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}
