import { diffWordsWithSpace } from 'diff';

/** Where something lies in a line: from and to, in UTF-16 units. */
type Places = [number, number][];

/**
 * Which words of two lines that replace each other differ.
 * @returns `undefined` for lines that have too little in common to be compared word for word
 */
export function changedWords(
  before: string,
  after: string,
): { readonly removed: Places; readonly added: Places } | undefined {
  const places: Record<'removed' | 'added', Places> = { removed: [], added: [] };
  const at = { removed: 0, added: 0 };
  let common = 0;
  for (const part of diffWordsWithSpace(before, after)) {
    const { length } = part.value;
    if (part.removed) places.removed.push([at.removed, (at.removed += length)]);
    else if (part.added) places.added.push([at.added, (at.added += length)]);
    else {
      at.removed += length;
      at.added += length;
      common += part.value.trim().length;
    }
  }
  return common * 3 < Math.max(before.trim().length, after.trim().length) ? undefined : places;
}
