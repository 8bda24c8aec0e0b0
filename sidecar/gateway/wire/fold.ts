/**
 * A member's name as the most generous readers compare it: without regard to case, where `ſ` is an s and `K` (U+212A) a k,
 * without `_`, `-` and control characters. Two names that fold to one are one member to such a reader
 * (CVE-2026-27896, GHSA-q382-vc8q-7jhj).
 */
export function foldName(name: string): string {
  if (plain.test(name)) return name;
  // Both ways: some letters have a plain one as their capital (ſ, ı), others as their small one (K, İ).
  return name
    .replace(loose, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/\u0307/g, '');
}

const plain = /^[a-z0-9]*$/;
const loose = /[_\-\p{Cc}\p{Cf}]/gu;

/** `snake_case` of a name in `camelCase`, as protobuf's JSON spells it. */
export const snakeOf = (name: string): string => name.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);

/** A name as a message may hold it: whatever looks like another character is written as its number. */
export function shownName(name: string): string {
  const short = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  return short.replace(/[^\x20-\x7e…]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
