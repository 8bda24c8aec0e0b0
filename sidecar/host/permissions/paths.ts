import type { PathComparison } from './facts.ts';

/** True for `/x`, `C:\x`, `C:/x` and `\\server\share`. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

/** Resolves `.` and `..` by text alone; separators become `/`. A `..` above the root stays at the root. */
export function resolvePath(cwd: string, path: string): string {
  const whole = toSlashes(isAbsolutePath(path) ? path : `${cwd}/${path}`);
  const root = /^(?:[A-Za-z]:)?\/+/.exec(whole)?.[0] ?? '';
  const kept: string[] = [];
  for (const segment of whole.slice(root.length).split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `${root.replace(/\/+$/, '')}/${kept.join('/')}`;
}

/** True when `path` is one of `folders` or lies in one. Both sides are real paths already. */
export function isInside(path: string, folders: readonly string[], comparison: PathComparison = {}): boolean {
  return relativeTo(path, folders, comparison) !== undefined;
}

/** The path below the first folder that holds it (`''` for the folder itself), or `undefined` when none does. */
export function relativeTo(
  path: string,
  folders: readonly string[],
  comparison: PathComparison = {},
): string | undefined {
  if (!isAbsolutePath(path)) return undefined;
  const whole = comparable(resolvePath('/', path), comparison);
  for (const folder of folders) {
    if (!isAbsolutePath(folder)) continue;
    const base = comparable(resolvePath('/', folder), comparison);
    if (whole === base) return '';
    const prefix = base.endsWith('/') ? base : `${base}/`;
    if (whole.startsWith(prefix)) return whole.slice(prefix.length);
  }
  return undefined;
}

export function comparable(text: string, comparison: PathComparison): string {
  const normalized = comparison.ignoreNormalization ? text.normalize('NFC') : text;
  return comparison.ignoreCase ? normalized.toLowerCase() : normalized;
}

/** A backslash separates only in paths of Windows; elsewhere it is a character like any other. */
function toSlashes(path: string): string {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) ? path.replaceAll('\\', '/') : path;
}
