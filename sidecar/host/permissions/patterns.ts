import type { SimpleCommand } from './commandLine.ts';
import type { PathComparison } from './facts.ts';
import { comparable, isAbsolutePath, relativeTo, resolvePath } from './paths.ts';
import { lexShell } from './shellTokens.ts';

/** A simple command as rules see it, with its assignments in front and its redirections left out. */
export function canonicalCommand(command: SimpleCommand): string {
  return [...command.assignments, ...command.words].map((it) => it.canonical).join(' ');
}

/**
 * `*` stands for any text within one simple command; a closing ` *` also for nothing (`ls *` matches `ls`). A star in
 * quotes is a star. Quoting is compared after the shell's rules, so `"a b"` and `'a b'` are the same.
 */
export function matchesCommand(pattern: string, command: string): boolean {
  const canonical = canonicalPattern(pattern);
  if (canonical === undefined) return false;
  if (canonical.endsWith(' *') && command === canonical.slice(0, -2)) return true;
  return globText(canonical, true).test(command);
}

/** `undefined` for a pattern that is no single simple command. */
function canonicalPattern(pattern: string): string | undefined {
  const { tokens, nested, clear } = lexShell(pattern.trim());
  const words = tokens.flatMap((it) => (it.kind === 'word' && !it.word.dynamic ? [it.word.canonical] : []));
  return clear && nested.length === 0 && words.length === tokens.length && words.length > 0
    ? words.join(' ')
    : undefined;
}

/** `*` stands for any text. For addresses and names of tools. */
export function matchesText(pattern: string, text: string): boolean {
  return globText(pattern, false).test(text);
}

/** True for the patterns that mean "everything". */
export function isEverything(pattern: string): boolean {
  return /^(?:\*|\*\*|\*\*\/\*|\.\/\*\*)$/.test(pattern.trim());
}

/**
 * A glob of paths: `*` and `?` within a name, `**` across folders. Absolute, or relative to each of `folders`; without
 * a slash it is the name of a file or folder at any depth; `./name` is the one directly in a folder; a closing `/`
 * means all that is in it.
 */
export function matchesPath(
  pattern: string,
  path: string,
  folders: readonly string[],
  comparison: PathComparison,
): boolean {
  const whole = pattern.trim().replaceAll('\\', '/').replace(/\/$/, '/**');
  if (isEverything(whole)) return true;
  const normalized = comparable(resolvePath('/', path), comparison);
  if (isAbsolutePath(whole)) return globPath(comparable(whole, comparison)).test(normalized);
  const relative = relativeTo(path, folders, comparison);
  if (relative === undefined) return false;
  const own = comparable(whole.replace(/^\.\//, ''), comparison);
  if (whole.includes('/')) return globPath(own).test(relative);
  return relative.split('/').some((name) => globPath(own).test(name));
}

function globText(pattern: string, quotesCount: boolean): RegExp {
  let inQuotes = false;
  let source = '';
  for (const char of pattern) {
    if (quotesCount && char === "'") inQuotes = !inQuotes;
    source += char === '*' && !inQuotes ? '[^]*' : literally(char);
  }
  return new RegExp(`^${source}$`, 'u');
}

function globPath(pattern: string): RegExp {
  const source = pattern
    .split(/(\*\*\/|\/\*\*$|\*\*|\*|\?)/)
    .map((it) => {
      if (it === '**/') return '(?:[^]*/)?';
      if (it === '/**') return '(?:/[^]*)?';
      if (it === '**') return '[^]*';
      if (it === '*') return '[^/]*';
      return it === '?' ? '[^/]' : literally(it);
    })
    .join('');
  return new RegExp(`^${source}$`, 'u');
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
