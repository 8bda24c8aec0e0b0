/** One file of a unified diff. A missing `from` creates the file, a missing `to` deletes it. */
export interface FilePatch {
  readonly from?: string;
  readonly to?: string;
  readonly hunks: readonly Hunk[];
}
export interface Hunk {
  /** The line of the block on which the hunk begins, from 1. */
  readonly at: number;
  /** The first old line in the file, from 1. Absent for `@@` without numbers: then the old lines must occur exactly once. */
  readonly start?: number;
  readonly lines: readonly { readonly mark: ' ' | '+' | '-'; readonly text: string; readonly noNewline?: boolean }[];
}
export type ParsedPatch =
  | { readonly ok: true; readonly files: readonly FilePatch[] }
  | { readonly ok: false; readonly line: number; readonly message: string };

/** Reads a unified diff. Git's own lines (`diff --git`, `index`, modes) are ignored. Renames are rejected. */
export function parsePatch(text: string): ParsedPatch {
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .map((it) => it.replace(/\r$/, ''));
  const files: { from?: string; to?: string; hunks: Hunk[] }[] = [];
  const fail = (index: number, message: string): ParsedPatch => ({ ok: false, line: index + 1, message });
  let index = 0;
  while (index < lines.length) {
    const line = lines[index]!;
    if (/^(rename|copy) (from|to) |^GIT binary patch/.test(line))
      return fail(
        index,
        'a diff can change only text; rename or copy files with a command (in a runbook, use an `sh` block)',
      );
    if (line.startsWith('--- ')) {
      const next = lines[index + 1];
      if (!next?.startsWith('+++ ')) return fail(index + 1, '`--- a/file` must be followed by `+++ b/file`');
      const from = pathOf(line);
      const to = pathOf(next);
      if (from === undefined && to === undefined) return fail(index, 'only one of the two files can be /dev/null');
      files.push({ ...(from !== undefined && { from }), ...(to !== undefined && { to }), hunks: [] });
      index += 2;
    } else if (line.startsWith('@@')) {
      const file = files.at(-1);
      if (!file) return fail(index, 'a diff must begin with the file names: `--- a/file` and `+++ b/file`');
      const read = readHunk(lines, index);
      if (typeof read === 'string') return fail(index, read);
      file.hunks.push(read.hunk);
      index = read.next;
    } else if (
      line === '' ||
      /^(diff --git|index |new file mode|deleted file mode|old mode|new mode|similarity) ?/.test(line)
    ) {
      index += 1;
    } else {
      return fail(index, 'this line is not part of a hunk; start a hunk with `@@` and unchanged lines with a space');
    }
  }
  const empty = files.findIndex((it) => it.hunks.length === 0);
  if (files.length === 0) return fail(0, 'a diff must begin with the file names: `--- a/file` and `+++ b/file`');
  if (empty !== -1)
    return fail(0, `${files[empty]!.to ?? files[empty]!.from} has no hunks; add \`@@\` and the changed lines`);
  return { ok: true, files };
}

function readHunk(lines: readonly string[], index: number): { hunk: Hunk; next: number } | string {
  const header = /^@@(?: -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@.*)?$/.exec(lines[index]!.trimEnd());
  if (!header) return "write `@@`, or `@@ -1,3 +1,4 @@` with the hunk's line numbers";
  const counted = header[1] !== undefined;
  let oldLeft = counted ? Number(header[2] ?? 1) : Number.POSITIVE_INFINITY;
  let newLeft = counted ? Number(header[3] ?? 1) : Number.POSITIVE_INFINITY;
  const body: { mark: ' ' | '+' | '-'; text: string; noNewline?: boolean }[] = [];
  let next = index + 1;
  for (; next < lines.length; next++) {
    const line = lines[next]!;
    if (line.startsWith('\\')) {
      const last = body.at(-1);
      if (last) last.noNewline = true;
      continue;
    }
    if (counted ? oldLeft <= 0 && newLeft <= 0 : line.startsWith('@@') || /^--- .+/.test(line)) break;
    // An editor that trims line ends turns an empty context line into nothing.
    const mark = line === '' ? ' ' : line[0];
    if (mark !== ' ' && mark !== '+' && mark !== '-') break;
    body.push({ mark, text: line.slice(1) });
    if (mark !== '+') oldLeft -= 1;
    if (mark !== '-') newLeft -= 1;
  }
  if (counted && (oldLeft !== 0 || newLeft !== 0)) {
    return 'the numbers after @@ do not match the lines that follow; correct them, or write only `@@`';
  }
  if (!body.some((it) => it.mark !== ' ')) return 'the hunk changes nothing; start changed lines with - or +';
  const oldCount = body.filter((it) => it.mark !== '+').length;
  // `-0,0` means "before the first line": there is nothing that could be found elsewhere.
  const start = counted ? Number(header[1]) + (oldCount === 0 ? 1 : 0) : undefined;
  return { hunk: { at: index + 1, ...(start !== undefined && { start }), lines: body }, next };
}

function pathOf(line: string): string | undefined {
  const path = line.slice(4).split('\t')[0]!.trim();
  return path === '/dev/null' ? undefined : path.replace(/^[ab]\//, '');
}
