import type { FilePatch, Hunk } from './patch.ts';

export type Applied =
  | { readonly ok: true; readonly after: string | undefined }
  | { readonly ok: false; readonly message: string };

const byteOrderMark = '\uFEFF';

interface Line {
  readonly text: string;
  /** `\n`, `\r\n`, or nothing for a last line without one. */
  readonly end: string;
}

/**
 * Applies one file of a diff. Every unchanged and removed line must match the file exactly, except for line ends, which stay
 * those of the file (CRLF stays CRLF).
 *
 * @param before the text of the file, `undefined` if it does not exist
 * @returns the new text, `undefined` for a deleted file; or why the diff does not apply
 */
export function applyPatch(before: string | undefined, patch: FilePatch): Applied {
  const name = patch.to ?? patch.from ?? '';
  if (patch.from === undefined && before !== undefined)
    return refuse(`${name} already exists, but the diff would create it.`);
  if (patch.from !== undefined && before === undefined) return refuse(`${name} does not exist.`);
  const mark = before?.startsWith(byteOrderMark) ? byteOrderMark : '';
  const lines = toLines((before ?? '').slice(mark.length));
  const end = lines.find((it) => it.end !== '')?.end ?? '\n';
  let shift = 0;
  let from = 0;
  for (const [index, hunk] of patch.hunks.entries()) {
    const old = hunk.lines.filter((it) => it.mark !== '+');
    const place = hunk.start === undefined ? onlyPlace(lines, old, from) : hunk.start - 1 + shift;
    if (typeof place === 'string') return refuse(`hunk ${index + 1} of ${name}: ${place}`);
    const wrong = firstMismatch(lines, old, place);
    if (wrong)
      return refuse(
        `hunk ${index + 1} of ${name} does not match line ${place + wrong.offset + 1}: expected ${wrong.expected}, found ${wrong.found}.`,
      );
    const fresh = hunk.lines
      .filter((it) => it.mark !== '-')
      .map((it): Line => ({ text: it.text, end: it.noNewline ? '' : end }));
    keepLineEnds(lines, hunk, place, fresh);
    lines.splice(place, old.length, ...fresh);
    shift += fresh.length - old.length;
    from = place + fresh.length;
  }
  const after = mark + lines.map((it) => it.text + it.end).join('');
  if (patch.to === undefined)
    return after === mark
      ? { ok: true, after: undefined }
      : refuse(`${name} has more lines than the diff removes, so it was not deleted.`);
  return { ok: true, after };
}

/** Context lines, and a last line without a line end, keep their line ends. */
function keepLineEnds(lines: readonly Line[], hunk: Hunk, place: number, fresh: Line[]): void {
  let oldAt = place;
  let newAt = 0;
  for (const { mark } of hunk.lines) {
    if (mark === ' ') fresh[newAt] = lines[oldAt]!;
    if (mark !== '+') oldAt += 1;
    if (mark !== '-') newAt += 1;
  }
  const lastOld = lines[oldAt - 1];
  const replacesLast = oldAt === lines.length && lastOld?.end === '';
  const hasNoNewlineMark = hunk.lines.some((it) => it.noNewline);
  const lastNew = fresh.at(-1);
  if (replacesLast && !hasNoNewlineMark && lastNew) fresh[fresh.length - 1] = { text: lastNew.text, end: '' };
  for (const [at, line] of fresh.entries()) {
    if (line.end === '' && at < fresh.length - 1)
      fresh[at] = { text: line.text, end: lines.find((it) => it.end !== '')?.end ?? '\n' };
  }
}

function firstMismatch(
  lines: readonly Line[],
  old: Hunk['lines'],
  place: number,
): { readonly offset: number; readonly expected: string; readonly found: string } | undefined {
  if (place < 0 || place > lines.length)
    return { offset: 0, expected: 'this line to exist', found: `only ${lines.length} lines` };
  const offset = old.findIndex((it, at) => lines[place + at]?.text !== it.text);
  if (offset === -1) return undefined;
  const found = lines[place + offset]?.text;
  return {
    offset,
    expected: shown(old[offset]!.text),
    found: found === undefined ? 'the end of the file' : shown(found),
  };
}

function onlyPlace(lines: readonly Line[], old: Hunk['lines'], from: number): number | string {
  if (old.length === 0)
    return lines.length === 0
      ? 0
      : 'there are no context lines to show where the change belongs; add unchanged lines around it.';
  const places: number[] = [];
  for (let at = from; at + old.length <= lines.length; at++) {
    if (!firstMismatch(lines, old, at)) places.push(at);
  }
  if (places.length === 1) return places[0]!;
  if (places.length > 1) return `its lines appear ${places.length} times in the file; add unchanged lines around them.`;
  return `its lines were not found in the file (first line: ${shown(old[0]!.text)}).`;
}

function toLines(text: string): Line[] {
  const pieces = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return pieces.map((it) => {
    const end = it.endsWith('\r\n') ? '\r\n' : it.endsWith('\n') ? '\n' : '';
    return { text: it.slice(0, it.length - end.length), end };
  });
}

function shown(text: string): string {
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

function refuse(message: string): Applied {
  return { ok: false, message };
}
