import { Fault } from '../../platform/faults.ts';

/** Which paths a list of globs means. Paths are relative, with `/`. */
export interface GlobList {
  matches(path: string): boolean;
}

const MAX_ITEMS = 100;
const MAX_LENGTH = 400;
const MAX_EXPANDED = 200;

/**
 * `*` and `?` stand for text within a name, `**` for any folders, `{a,b}` for either; a closing `/**` means the folder
 * too. Matched name by name without regular expressions: no pattern takes long.
 * @param field named in the error
 * @throws {Fault} `invalid_params`
 */
export function parseGlobs(items: readonly string[], field: string): GlobList {
  const tooMany = items.length > MAX_ITEMS || items.some((it) => it.length > MAX_LENGTH || it === '');
  const patterns = tooMany ? [] : items.flatMap((it) => expandBraces(it)).map((it) => it.split('/'));
  if (tooMany || patterns.length > MAX_EXPANDED)
    throw new Fault('invalid_params', `${field}.items: too many entries, or an entry is too long`);
  return { matches: (path) => patterns.some((it) => matchesNames(it, path.split('/'))) };
}

function expandBraces(pattern: string): string[] {
  const found = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(pattern);
  if (!found) return [pattern];
  const [, before = '', inner = '', after = ''] = found;
  const all: string[] = [];
  for (const rest of expandBraces(after)) {
    for (const choice of inner.split(',')) if (all.length <= MAX_EXPANDED) all.push(`${before}${choice}${rest}`);
  }
  return all;
}

/** The usual two-pointer match, once over names and once over letters: a star that failed takes one more. */
function matchesNames(pattern: readonly string[], names: readonly string[]): boolean {
  return matchesList(pattern, names, '**', (wanted, name) =>
    matchesList(Array.from(wanted), Array.from(name), '*', isLetter),
  );
}
function isLetter(wanted: string, letter: string): boolean {
  return wanted === '?' || wanted === letter;
}

function matchesList(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  isSame: (wanted: string, item: string) => boolean,
): boolean {
  let [p, at, starP, starAt] = [0, 0, -1, 0];
  while (at < items.length) {
    if (pattern[p] === star) [starP, starAt, p] = [p, at, p + 1];
    else if (p < pattern.length && isSame(pattern[p]!, items[at]!)) [p, at] = [p + 1, at + 1];
    else if (starP < 0) return false;
    else [p, starAt, at] = [starP + 1, starAt + 1, starAt + 1];
  }
  return pattern.slice(p).every((it) => it === star);
}
