/** One line of a `.gitignore`. */
export interface IgnoreRule {
  /** Matches a path relative to the folder of the `.gitignore`, with slashes. */
  readonly pattern: RegExp;
  readonly isException: boolean;
  readonly foldersOnly: boolean;
}

/** The rules of a `.gitignore`, in order. The last rule that matches a path decides. @see https://git-scm.com/docs/gitignore */
export function readIgnore(text: string): readonly IgnoreRule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const trimmed = line.replace(/(?<!\\)\s+$/, '');
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const isException = trimmed.startsWith('!');
    const body = trimmed.slice(isException ? 1 : 0).replace(/^\\([#!])/, '$1');
    const foldersOnly = body.endsWith('/');
    const path = body.replace(/\/+$/, '');
    // A slash anywhere but at the end anchors the pattern to the folder of the file.
    const start = path.includes('/') ? '^' : '^(?:.*/)?';
    const pattern = patternOf(`${start}${globSource(path.replace(/^\//, ''))}$`);
    return pattern ? [{ pattern, isException, foldersOnly }] : [];
  });
}

/** `undefined` for what is not a valid pattern, such as `[z-a]`. */
export function patternOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
}

/** The source of a regular expression for a glob: `**`, `*`, `?`, and classes. */
export function globSource(glob: string): string {
  return glob.replace(
    /\*\*\/|\/\*\*$|\*\*|\*|\?|\[!?\]?[^\]]*\]|\{[^{}]*\}|\\.|[.+^$|(){}[\]\\]/g,
    (part, at: number) => {
      if (part === '**/') return at === 0 || glob[at - 1] === '/' ? '(?:.*/)?' : '[^/]*/';
      if (part === '/**') return '/.+';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      if (part === '?') return '[^/]';
      if (part.length > 2 && part.startsWith('[')) return part.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
      if (part.length > 1 && part.startsWith('{'))
        return `(?:${part.slice(1, -1).split(',').map(globSource).join('|')})`;
      return part.startsWith('\\') && part.length > 1 ? `\\${part[1]}` : `\\${part}`;
    },
  );
}

/** @param path relative to the folder of the rules, with slashes. @returns `undefined` if no rule matches */
export function isIgnored(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean | undefined {
  const last = rules.findLast((it) => (isFolder || !it.foldersOnly) && it.pattern.test(path));
  return last && !last.isException;
}
