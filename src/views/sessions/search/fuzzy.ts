/**
 * How well what was typed fits: each of its words stands in the title, with letters left out at most, or as it is in what
 * else is known. `undefined` when one does not.
 */
export function matchScore(typed: string, title: string, more: string): number | undefined {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((it) => it !== '');
  let sum = 0;
  for (const word of words) {
    const fits = fitOfWord(word, title.toLowerCase()) ?? (more.toLowerCase().includes(word) ? 1 : undefined);
    if (fits === undefined) return undefined;
    sum += fits;
  }
  return sum;
}

/** A word as it is counts more than its letters in their order, and more at the beginning of a word. */
function fitOfWord(word: string, title: string): number | undefined {
  const at = title.indexOf(word);
  if (at >= 0) return at === 0 || /\W/.test(title.charAt(at - 1)) ? 4 : 3;
  let from = 0;
  for (const letter of word) {
    const found = title.indexOf(letter, from);
    if (found < 0) return undefined;
    from = found + 1;
  }
  return 2;
}
