import type { ConfigProblem, Finding } from './problem.ts';
import { ConfigText } from './text.ts';

/** Problems as a person reads them in a terminal, in the order of the text: `file:line:column: member: what is wrong`. */
export function sentencesOf(
  file: string,
  text: string,
  problems: readonly (ConfigProblem | Finding)[],
): readonly string[] {
  const source = new ConfigText(text);
  return problems
    .map((it) => ('offset' in it ? it : source.place(it)))
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ path, message, offset }) => {
      const before = text.slice(0, offset).split('\n');
      const place = `${file}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
      return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
    });
}
