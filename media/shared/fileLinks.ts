/** A piece of a text that names a file, and a line of it. */
export interface FileLink {
  readonly text: string;
  /** As a link of an answer: the path, and the line behind a colon. */
  readonly href: string;
}

/** Longer texts are searched in their last part only: a pause is worth no link. */
const longest = 64 * 1024;

/**
 * A path that ends in a name with an extension. A line may follow, behind a colon or in brackets, as compilers write it, and
 * a column behind it. A name without a folder counts only with a line: the names of many programs look like those of
 * files. What stands behind two slashes is an address.
 */
const named =
  /(?<![\w@:/\\.-])((?:[a-z]:[\\/]|~?\.{0,2}\/)?(?:[\w@.+-]+[\\/])*[\w@+-][\w@.+-]*\.[a-z][a-z0-9]{0,9})(?::(\d+)(?::\d+)?|\((\d+)(?:,\d+)?\))?(?![\w/\\-])/gi;

/** The text in pieces, in their order. */
export function withFileLinks(text: string): (string | FileLink)[] {
  const from = Math.max(0, text.length - longest);
  const pieces: (string | FileLink)[] = [];
  let at = 0;
  for (const found of text.slice(from).matchAll(named)) {
    const [whole, path = '', colon, bracket] = found;
    const line = colon ?? bracket;
    if (line === undefined && !/[\\/]/.test(path)) continue;
    const start = from + found.index;
    if (start > at) pieces.push(text.slice(at, start));
    pieces.push({ text: whole, href: `${asLink(path)}${line === undefined ? '' : `:${line}`}` });
    at = start + whole.length;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

/** The file that a text names, where it names one and nothing else. */
export function fileNamed(text: string): FileLink | undefined {
  const pieces = withFileLinks(text.trim());
  const [only] = pieces;
  return pieces.length === 1 && typeof only === 'object' ? only : undefined;
}

/** A name alone would be taken for the scheme of an address. */
function asLink(path: string): string {
  const shown = path.replaceAll('\\', '/');
  return shown.includes('/') ? shown : `./${shown}`;
}
