/** Characters that nobody sees, or that turn the order of others: controls, format, bidi, tags, lone surrogates. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Longest text of others that is shown, in UTF-16 units. */
export const maxShownLength = 4_096;

/**
 * Text of others as it may be shown to models and people: without invisible and bidirectional control characters, and cut
 * with an ellipsis (security.tool-poisoning). Line breaks and tabs stay. Doing it again changes nothing.
 */
export function shownText(text: string, maxLength = maxShownLength): string {
  const clean = text.replace(unseen, '');
  if (clean.length <= maxLength) return clean;
  const cut = clean.slice(0, maxLength - 1);
  const isHalf = /[\ud800-\udbff]$/.test(cut);
  return `${isHalf ? cut.slice(0, -1) : cut}…`;
}
