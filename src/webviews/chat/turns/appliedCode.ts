/** Where code goes in a text: from and to, in UTF-16 units. */
export interface Placed {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Line {
  readonly text: string;
  readonly start: number;
  /** After the last character, before the line break. */
  readonly end: number;
}

/**
 * Where code of an answer belongs in a file: in the place of what is selected; else of the lines from the one that begins the
 * code to the one that ends it, where the file has both, each once; else at the cursor. A person sees it before it is written.
 */
export function placeCode(
  text: string,
  selection: { readonly start: number; readonly end: number },
  code: string,
): Placed {
  const wanted = code.replace(/\n+$/, '');
  if (selection.end > selection.start) return { ...selection, text: wanted };
  const lines = linesOf(text);
  const range = sameRange(lines, wanted);
  if (range) return { ...range, text: withIndent(wanted, lines, range.start) };
  const at = lines.find((it) => it.start <= selection.start && selection.start <= it.end);
  if (!at || at.text.trim() === '') return { start: at?.start ?? 0, end: at?.end ?? 0, text: wanted };
  return { start: at.end, end: at.end, text: `\n${wanted}` };
}

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((whole) => {
    const line = whole.replace(/\r$/, '');
    const found = { text: line, start, end: start + line.length };
    start += whole.length + 1;
    return found;
  });
}

function sameRange(lines: readonly Line[], code: string): { readonly start: number; readonly end: number } | undefined {
  const wanted = code
    .split('\n')
    .map((it) => it.trim())
    .filter((it) => it !== '');
  const [first, last] = [wanted[0], wanted.at(-1)];
  if (wanted.length < 2 || first === undefined || last === undefined) return undefined;
  const begins = lines.filter((it) => it.text.trim() === first);
  const [begin] = begins;
  if (!begin || begins.length > 1) return undefined;
  // A file has many closing brackets, so the one at the same depth as the first line is used.
  const depth = indentOf(begin.text).length;
  const ends = lines.filter((it) => it.start > begin.start && it.text.trim() === last);
  const end = ends.find((it) => indentOf(it.text).length === depth) ?? (ends.length === 1 ? ends[0] : undefined);
  return end && { start: begin.start, end: end.end };
}

/** Indents the code like the lines that it replaces. */
function withIndent(code: string, lines: readonly Line[], start: number): string {
  const there = indentOf(lines.find((it) => it.start === start)?.text ?? '');
  const own = indentOf(code.split('\n').find((it) => it.trim() !== '') ?? '');
  if (there === own || !there.startsWith(own)) return code;
  const more = there.slice(own.length);
  return code.replace(/^(?=.*\S)/gm, more);
}

function indentOf(line: string): string {
  return /^[\t ]*/.exec(line)?.[0] ?? '';
}
