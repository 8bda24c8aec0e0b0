import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../cache.ts';

/** Every document of the project, for whomever it is. */
export const documents = [
  'README.md',
  'MARKETPLACE.md',
  'GATEWAY.md',
  'HOSTS.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
] as const;
export type DocumentName = (typeof documents)[number];

export const readDocument = (name: string): string => readFileSync(join(projectRoot, name), 'utf8');

/** A block of code in a document. */
export interface Fence {
  readonly language: string;
  readonly text: string;
  /** The text of the heading above it, without its marks. */
  readonly section: string;
}

/** The blocks of code, in their order. A block in a block of more backticks belongs to the outer one. */
export function fencesOf(text: string): Fence[] {
  const found: Fence[] = [];
  let section = '';
  let open: { ticks: string; language: string; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const [, ticks = '', language = ''] = /^(`{3,})(\w*)\s*$/.exec(line) ?? [];
    if (open) {
      if (ticks === open.ticks && language === '') {
        found.push({ language: open.language, text: open.lines.join('\n'), section });
        open = undefined;
      } else open.lines.push(line);
    } else if (ticks !== '') open = { ticks, language, lines: [] };
    else section = /^#+ (.*)$/.exec(line)?.[1] ?? section;
  }
  return found;
}

/** The text without its blocks of code. */
export function proseOf(text: string): string {
  return text.replaceAll(/^(`{3,}).*\n[\s\S]*?^\1\s*$/gm, '');
}

/** The anchors that links may name, as GitHub makes them of headings. */
export const anchorsOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/^#+ (.*)$/gm)].map((it) =>
    (it[1] ?? '')
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  );
