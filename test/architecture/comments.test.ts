import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { projectRoot } from '../support/cache.ts';
import { readSource, sourcePaths } from '../support/sources.ts';

const tops = ['src', 'sidecar', 'media', 'test'];
const atTop = readdirSync(projectRoot).filter((it) => /\.(ts|mjs|css|json|md)$/.test(it) && it !== 'package-lock.json');
const below = tops.flatMap((top) =>
  readdirSync(join(projectRoot, top), { recursive: true, encoding: 'utf8' })
    .map((it) => `${top}/${it.replaceAll('\\', '/')}`)
    .filter((it) => /\.(mjs|css|json|md)$/.test(it)),
);
const files = [...atTop, ...below, ...sourcePaths(tops)];

/** Documents that agents look for in the folders of a person, the one that the tour writes there, and the one that a run of all tests writes. */
const namesOfUsers = new Set(['AGENTS.md', 'CLAUDE.md', 'SKILL.md', 'switchboard-tour.md', 'features.md']);

/** The comments of a file of code; all of a document; of JSON the whole text, which has no comments. */
function readable(path: string): string[] {
  const text = readSource(path);
  if (path.endsWith('.css')) return [...text.matchAll(/\/\*[\s\S]*?\*\//g)].map(([it]) => it);
  return /\.(ts|mjs)$/.test(path) ? commentsOf(text) : [text];
}

function commentsOf(text: string): string[] {
  const source = ts.createSourceFile('it.ts', text, ts.ScriptTarget.Latest, true);
  const found = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of ts.isTemplateMiddleOrTemplateTail(node) ? [] : ranges)
      found.set(pos, text.slice(pos, end));
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...found.values()];
}

/** What a text names that is no file of the project. `home` is the folder of the file that it stands in. */
function missing(text: string, home: string, isData: boolean): string[] {
  const plain = text.replaceAll(/\s*\n\s*\*?\s*/g, ' ').replaceAll(/https?:\/\/\S+/g, '');
  const sections = plain.match(/\b(?:host|gateway)-completion\b|\bcompletion \d+(?:\.\d+)*/gi) ?? [];
  if (isData) return sections;
  const documents = plain.match(/(?<![\w./*-])[\w-]+(?:\/[\w-]+)*\.md\b/g) ?? [];
  const paths = plain.match(/(?<![\w./-])(?:src|sidecar|media|test)\/[\w./-]*\.(?:ts|mjs|css|json|md)\b/g) ?? [];
  const isThere = (name: string) =>
    namesOfUsers.has(posix.basename(name)) || [home, ''].some((it) => existsSync(join(projectRoot, it, name)));
  return [...sections, ...[...documents, ...paths].filter((it) => !isThere(it))];
}

describe('comments', () => {
  it('cite no document and no file that is not in the repository', () => {
    const wrong = files.flatMap((path) => {
      const wrongIn = (text: string) => missing(text, posix.dirname(path), path.endsWith('.json'));
      // Few files need to be parsed: the others have no such name anywhere.
      const found = wrongIn(readSource(path)).length === 0 ? [] : readable(path).flatMap(wrongIn);
      return found.map((it) => `${path}: ${it}`);
    });
    assert.deepEqual([...new Set(wrong)], []);
  });

  const rows: readonly (readonly [string, string[]])[] = [
    ['// as plans.md says', ['plans.md']],
    ['/** See completion 1.23. */', ['completion 1.23']],
    ['/* of the host-completion\n * 4.5 */', ['host-completion']],
    ['f(); // see sidecar/nowhere.ts', ['sidecar/nowhere.ts']],
    ['// sidecar/main.ts and README.md and AGENTS.md', []],
    ["const name = '// plans.md'; // a name", []],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    ['const name = `${a} // plans.md ${b} // plans.md`;', []],
  ];
  for (const [code, names] of rows)
    it(`of the code ${JSON.stringify(code)} ${names.length === 0 ? 'are right' : `cite ${names.join()}, which is not there`}`, () =>
      assert.deepEqual(
        commentsOf(code).flatMap((it) => missing(it, '', false)),
        names,
      ));
});
