/** A fenced block that a runbook performs. `content` is what stands between the fences, to the letter. */
export interface Fence {
  readonly kind: 'block';
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly language: 'sh' | 'diff' | 'write' | 'ask' | 'tool';
  readonly info: string;
  readonly marker: string;
  readonly content: string;
  readonly closed: boolean;
}
export type Piece = Fence | { readonly kind: 'prose'; readonly line: number; readonly text: string };

const performed = new Set<string>(['sh', 'diff', 'write', 'ask', 'tool'] satisfies Fence['language'][]);

/**
 * Cuts Markdown into prose and blocks, losing no character of the prose.
 *
 * @param firstLine where to begin, from 1: behind the front matter
 */
export function splitFences(source: string, firstLine: number): readonly Piece[] {
  const lines = source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const pieces: Piece[] = [];
  let prose = '';
  let proseLine = firstLine;
  let index = firstLine - 1;
  const flush = () => {
    if (prose !== '') pieces.push({ kind: 'prose', line: proseLine, text: prose });
    prose = '';
  };
  while (index < lines.length) {
    const opening = openingOf(lines[index]!);
    if (!opening) {
      if (prose === '') proseLine = index + 1;
      prose += lines[index];
      index += 1;
      continue;
    }
    const end = lines.findIndex((it, at) => at > index && closes(it, opening.marker));
    const stop = end === -1 ? lines.length : end;
    const language = opening.info.split(/\s/)[0] ?? '';
    if (performed.has(language)) {
      flush();
      pieces.push({
        kind: 'block',
        line: index + 1,
        language: language as Fence['language'],
        info: opening.info,
        marker: opening.marker,
        content: lines.slice(index + 1, stop).join(''),
        closed: end !== -1,
      });
    } else {
      if (prose === '') proseLine = index + 1;
      prose += lines.slice(index, stop + 1).join('');
    }
    index = stop + 1;
  }
  flush();
  return pieces;
}

function openingOf(line: string): { readonly marker: string; readonly info: string } | undefined {
  const found = /^ {0,3}(`{3,}|~{3,})\s*([^\r\n]*?)\s*$/.exec(line);
  if (!found || (found[1]!.startsWith('`') && found[2]!.includes('`'))) return undefined;
  return { marker: found[1]!, info: found[2]! };
}

function closes(line: string, marker: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line);
  return found !== null && found[1]![0] === marker[0] && found[1]!.length >= marker.length;
}
